"""forecast(): bounded, falling, repeatable, exact where it can be, and honest about what it does not know."""

import dataclasses
import json
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankcast
from rankcast import Evidence, Forecast, curve, forecast
from rankcast.datasets import toy
from rankcast.errors import (
    FarExtrapolationWarning,
    FewClassesWarning,
    InputError,
    MethodError,
    MissingExtraError,
    RankcastWarning,
)
from rankcast.methods.classexreg import ClassExReg
from rankcast.metrics import Metric, get_metric

K = [1, 2, 30, 60, 61, 100, 1000, 30_000]


@pytest.fixture(scope="module")
def made(measured) -> Forecast:
    return forecast(measured, K, rng=1, replicates=60)


WIDTHS = (0.2, 0.6)
SETTINGS = {
    f"{constraint} {basis}": ClassExReg(constraint=constraint, basis=basis, resamples=5, widths=WIDTHS, widen=False)
    for constraint in ("nonnegative", "simplex", "free")
    for basis in ("radial", "spline")
} | {
    "authors": ClassExReg.authors(),
    "default": ClassExReg(),
    "free without atoms": ClassExReg(constraint="free", atoms=(), widths=(0.1,)),
}


def check(found: Forecast) -> None:
    for values in (found.estimate, found.low, found.high, *found.draws):
        assert np.all((values >= 0) & (values <= 1))
        assert np.all(np.diff(values) <= 0)
    assert np.all((found.low <= found.estimate) & (found.estimate <= found.high))


@pytest.mark.parametrize("setting", SETTINGS)
def test_within_bounds_and_never_rising(measured, setting):
    check(forecast(measured, K, method=SETTINGS[setting], rng=0, replicates=20))


@pytest.mark.parametrize("constraint", ["nonnegative", "simplex", "free"])
def test_top_n_within_bounds_and_never_rising(measured, constraint):
    method = ClassExReg(constraint=constraint, widths=(0.5,))
    check(forecast(measured, [10, 60, 200], "top5", method, rng=0, replicates=20))


@pytest.mark.parametrize("rank", ["always first", "always last", "always second"])
@pytest.mark.parametrize("constraint", ["nonnegative", "simplex", "free"])
@pytest.mark.filterwarnings("ignore::rankcast.errors.BelowChanceWarning")
def test_extreme_evidence(rank, constraint):
    place = {"always first": 1, "always second": 2, "always last": 30}[rank]
    evidence = Evidence.from_ranks(np.full(50, place), 30)
    found = forecast(evidence, [30, 300, 3000], method=ClassExReg(constraint=constraint), rng=0, replicates=20)
    np.testing.assert_allclose(found.estimate, place == 1, atol=0.05)
    assert np.isfinite(found.draws).all()


@pytest.mark.filterwarnings("ignore::rankcast.RankcastWarning")
@pytest.mark.parametrize("k1", [2, 3, 4, 5, 19])
def test_a_handful_of_classes(k1):
    found = forecast(toy.simulate(k1, 0.99, rng=0), [k1, 10 * k1], rng=0, replicates=20)
    assert np.isfinite(found.draws).all()
    assert np.all(np.diff(found.estimate) <= 0)


def test_exact_curve_within_the_measured_classes(measured, made):
    inside = made.k <= 60
    np.testing.assert_allclose(made.estimate[inside], curve(measured, made.k[inside]), atol=1e-15)


def test_near_the_truth_beyond_them(measured, made):
    truth = toy.aga([100, 1000], 0.99)
    at = np.searchsorted(made.k, [100, 1000])
    np.testing.assert_allclose(made.estimate[at], truth, atol=0.06)


def test_same_seed_same_answer(measured, made):
    again = forecast(measured, K, rng=1, replicates=60)
    np.testing.assert_array_equal(again.draws, made.draws)
    np.testing.assert_array_equal(again.estimate, made.estimate)
    other = forecast(measured, K, rng=2, replicates=60)
    assert not np.array_equal(other.draws, made.draws)


def test_a_generator_gives_the_answer_of_its_seed(measured, made):
    again = forecast(measured, K, rng=np.random.default_rng(1), replicates=60)
    np.testing.assert_array_equal(again.draws, made.draws)


def test_without_a_seed_it_still_tells_the_seed(measured):
    first = forecast(measured, 100, replicates=20)
    again = forecast(measured, 100, replicates=20, rng=first.provenance["seed"])
    np.testing.assert_array_equal(first.draws, again.draws)


def test_asking_for_more_changes_no_answer(measured, made):
    few = forecast(measured, [100, 30_000], rng=1, replicates=60)
    at = np.searchsorted(made.k, few.k)
    np.testing.assert_allclose(few.estimate, made.estimate[at], atol=1e-12)


def test_order_repeats_and_scalars(measured):
    found = forecast(measured, [1000, 5, 1000], rng=0, replicates=20)
    assert found.k.tolist() == [1000, 5, 1000]
    assert found.estimate[0] == found.estimate[2] < found.estimate[1]
    assert forecast(measured, 1000, rng=0, replicates=20).estimate.shape == (1,)


def test_a_thousand_million_classes(measured):
    with pytest.warns(FarExtrapolationWarning):
        found = forecast(measured, 10**9, rng=0, replicates=20)
    assert 0 <= found.low[0] <= found.estimate[0] <= found.high[0] <= 1


def test_intervals_are_nested_in_their_level(made):
    ends = [made.interval(level) for level in (0.5, 0.8, 0.9, 0.99)]
    for (low, high), (wider_low, wider_high) in pairwise(ends):
        assert np.all(wider_low <= low)
        assert np.all(high <= wider_high)
    np.testing.assert_array_equal(made.interval(0.9), [made.low, made.high])


@pytest.mark.parametrize("level", [0, 1, 90, -0.1, float("nan")])
def test_bad_levels(measured, made, level):
    with pytest.raises(InputError, match="level must lie between 0 and 1"):
        made.interval(level)
    with pytest.raises(InputError, match="level must lie between 0 and 1"):
        forecast(measured, 100, level=level)


def test_frozen(made):
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.estimate = None


class TestBadInput:
    @pytest.mark.parametrize(
        ("k", "part"),
        [(0, "at least 1"), (-5, "at least 1"), (2.5, "whole numbers"), (10**10, "beyond 10⁹"), ("x", "whole numbers")],
    )
    def test_k(self, measured, k, part):
        with pytest.raises(InputError, match=part):
            forecast(measured, k)

    def test_method(self, measured):
        with pytest.raises(MethodError, match=r"unknown method 'magic': choose one of .*classexreg"):
            forecast(measured, 100, method="magic")

    @pytest.mark.parametrize("method", [None, 3, ClassExReg], ids=["none", "number", "class"])
    def test_something_that_is_no_method(self, measured, method):
        with pytest.raises(MethodError):
            forecast(measured, 100, method=method, replicates=20)

    def test_metric(self, measured):
        with pytest.raises(InputError, match="unknown metric"):
            forecast(measured, 100, metric="auc")

    def test_replicates(self, measured):
        with pytest.raises(InputError, match="at least 20 replicates, found 5"):
            forecast(measured, 100, replicates=5)

    @pytest.mark.parametrize("rng", [-1, 1.5, "seed", True])
    def test_rng(self, measured, rng):
        with pytest.raises(InputError, match="rng must be"):
            forecast(measured, 100, rng=rng)

    def test_something_that_is_no_evidence(self):
        with pytest.raises(InputError, match="Evidence"):
            forecast(np.ones((3, 3)), 100)


class TestWarnings:
    def test_few_classes(self):
        evidence = toy.simulate(19, 0.9, rng=0)
        with pytest.warns(FewClassesWarning, match="only 19 classes were measured, too few to extrapolate"):
            found = forecast(evidence, 40, rng=0, replicates=20)
        assert any("only 19 classes" in text for text in found.warnings)
        assert "note: only 19 classes" in repr(found)

    def test_enough_classes(self):
        assert forecast(toy.simulate(20, 0.9, rng=0), 40, rng=0, replicates=20).warnings == ()

    def test_far(self, measured):
        with pytest.warns(FarExtrapolationWarning, match="60,060 is 1,001 times the 60 classes measured"):
            forecast(measured, 60_060, rng=0, replicates=20)

    def test_point_at_the_caller(self, measured):
        with pytest.warns(FarExtrapolationWarning) as caught:
            forecast(measured, 10**6, rng=0, replicates=20)
        assert caught[0].filename == __file__

    def test_can_be_silenced_as_one(self, measured):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankcastWarning)
            forecast(measured, 10**6, rng=0, replicates=20)


class TestShowing:
    def test_table(self, made):
        text = repr(made)
        assert "Forecast of top1 by auto, from 60 classes measured at" in text
        assert "90% interval" in text
        row = next(line for line in text.splitlines() if line.split()[0] == "30,000")
        assert f"{made.estimate[-1]:.4f}" in row
        assert f"{made.low[-1]:.4f} to {made.high[-1]:.4f}" in row

    def test_dict(self, made):
        found = made.to_dict()
        assert found["metric"] == "top1"
        assert found["method"] == "auto"
        assert found["level"] == 0.9
        assert found["measured"] == {"k": 60, "top1": pytest.approx(made.measured)}
        assert [row["k"] for row in found["forecast"]] == K
        assert [row["low"] for row in found["forecast"]] == made.low.tolist()
        assert found["warnings"] == []

    def test_json_round_trip(self, made):
        assert json.loads(made.to_json()) == made.to_dict()

    @pytest.mark.parametrize(
        ("backend", "kind"), [(None, pd.DataFrame), ("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
    )
    def test_frame(self, made, backend, kind):
        frame = made.to_frame(backend)
        assert isinstance(frame, kind)
        assert list(frame.columns) == ["k", "estimate", "low", "high"]
        np.testing.assert_array_equal(frame["k"].to_numpy(), K)
        np.testing.assert_array_equal(frame["high"].to_numpy(), made.high)

    def test_frame_of_an_unknown_library(self, made):
        with pytest.raises(InputError, match="'dplyr' is not installed: use one of"):
            made.to_frame("dplyr")

    def test_frame_without_narwhals(self, made, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "narwhals", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'rankcast\[frames\]'"):
            made.to_frame()


class TestProvenance:
    def test_says_what_it_takes_to_get_it_again(self, measured, made):
        found = made.provenance
        assert found["evidence"] == measured.fingerprint
        assert found["seed"] == 1
        assert found["replicates"] == 60
        assert "Auto(" in found["settings"]
        assert set(found["versions"]) >= {"rankcast", "numpy", "scipy", "python"}
        assert found["versions"]["numpy"] == np.__version__

    def test_of_a_generator(self, measured):
        assert forecast(measured, 100, rng=np.random.default_rng(0), replicates=20).provenance["seed"] == "a Generator"


def test_another_metric_keeps_its_name(measured):
    found = forecast(measured, [60, 600], Metric("mine", (1.0, 0.5)), rng=0, replicates=20)
    assert found.metric == "mine"
    assert found.measured == pytest.approx(float(curve(measured, 60, Metric("mine", (1.0, 0.5)))))


def test_public_names():
    assert set(rankcast.__all__) >= {"Evidence", "Forecast", "Favourability", "curve", "forecast", "methods"}
    assert all(hasattr(rankcast, name) for name in rankcast.__all__)


@pytest.mark.parametrize("metric", ["mrr", "ndcg", "ndcg@10", "mean_rank", np.log])
def test_any_metric_keeps_its_trend_and_its_range(measured, metric):
    found, known = forecast(measured, K, metric, rng=0, replicates=20), get_metric(metric)
    low, high = known.bounds(found.k)
    for values in (found.estimate, found.low, found.high, *found.draws):
        assert np.all(known.trend * np.diff(values) >= 0)
        assert np.all((values >= low) & (values <= high))
    inside = found.k <= 60
    np.testing.assert_allclose(found.estimate[inside], curve(measured, found.k[inside], metric), rtol=1e-12)
    assert found.metric == known.name
    assert known.name in str(found)


@pytest.mark.parametrize("metric", ["mrr", "recall@10"])
def test_near_the_truth_in_other_metrics(measured, metric):
    found = forecast(measured, [100, 1000], metric, rng=0, replicates=20)
    truth = toy.favourability(0.99).value([100, 1000], metric)
    np.testing.assert_allclose(found.estimate, truth, atol=0.06)


def test_the_mean_rank_needs_no_method(measured):
    found = forecast(measured, [10**4], "mean_rank", rng=0, replicates=20)
    np.testing.assert_allclose(found.estimate, curve(measured, 10**4, "mean_rank"))
    assert found.low[0] < found.estimate[0] < found.high[0]
