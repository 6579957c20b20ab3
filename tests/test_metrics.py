"""Metrics by name, and their expectation given the favourability."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from rankcast import Favourability
from rankcast.errors import InputError
from rankcast.metrics import TOP1, Metric, get_metric, show

SPECS = ["top1", "recall@3", "mrr", "mrr@2", "mrr@40", "ndcg", "ndcg@3", "ndcg@50", "mean_rank"]
WILD = Metric("wild", lambda rank: np.cos(rank))


@pytest.mark.parametrize(("name", "depth"), [("top1", 1), ("top5", 5), ("recall@10", 10), ("top10000", 10_000)])
def test_names(name, depth):
    assert get_metric(name).gains == (1.0,) * depth


@pytest.mark.parametrize(
    "name", ["top0", "top", "top-1", "recall@0", "recall", "mrr@0", "ndcg@", "rank", "", "top1.5", "top99999", None]
)
def test_unknown_names_are_refused(name):
    with pytest.raises(InputError, match=r"unknown metric|deeper than"):
        get_metric(name)


def test_a_metric_passes_through():
    mine = Metric("mine", (1.0, 0.3))
    assert get_metric(mine) is mine


@pytest.mark.parametrize("metric", ["top1", "top3", "recall@20"])
def test_expectation_is_a_binomial_probability(metric):
    u, k = np.array([0.01, 0.3, 0.9, 0.999])[:, None], np.array([1, 2, 3, 20, 21, 500])
    found = get_metric(metric).given_favourability(ndtri(u), k)
    np.testing.assert_allclose(found, binom.cdf(len(get_metric(metric).gains) - 1, k - 1, 1 - u), atol=1e-12)


def test_expectation_of_any_gains_is_the_mean_over_ranks():
    gains, u, k = (1.0, 0.6, 0.0, 0.2), 0.8, 12
    expected = sum(gain * binom.pmf(rank, k - 1, 1 - u) for rank, gain in enumerate(gains))
    assert Metric("mine", gains).given_favourability(ndtri(u), k) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("metric", ["top1", "top5"])
def test_the_ends_of_the_scale(metric):
    found = get_metric(metric).given_favourability(np.array([-np.inf, np.inf]), np.array([[1], [100], [10**9]]))
    np.testing.assert_array_equal(found, [[1, 1], [0, 1], [0, 1]])


@pytest.mark.parametrize("z", [5.0, 6.0, 7.0, 8.5])
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_thousand_million_classes(z, depth):
    with mpmath.workdps(40):
        p, n = mpmath.ncdf(-mpmath.mpf(z)), 10**9 - 1
        exact = mpmath.fsum(mpmath.binomial(n, s) * p**s * (1 - p) ** (n - s) for s in range(depth))
    found = float(get_metric(f"top{depth}").given_favourability(np.array(z), np.array(1e9)))
    assert found == pytest.approx(float(exact), rel=1e-10)


def test_top1_is_a_power_of_the_favourability():
    z = np.linspace(-3, 3, 7)
    np.testing.assert_allclose(TOP1.given_favourability(z, np.array(8.0)), ndtr(z) ** 7, rtol=1e-13)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 60), st.floats(-9, 9), st.sampled_from([*SPECS, WILD]))
def test_the_exact_and_the_forecast_view_agree(rivals, z, spec):
    """If the measured rivals win with chance 1-U*, the exact view is the forecast view on average, at every k ≤ k₁."""
    metric, lost, draws = get_metric(spec), np.arange(rivals + 1), np.arange(rivals + 1)
    exact = metric.given_counts(lost, np.full(rivals + 1, rivals), draws)
    law = binom.pmf(lost, rivals, ndtr(-z))
    forecast = metric.given_favourability(np.array(z), draws + 1.0)
    np.testing.assert_allclose(law @ exact, forecast, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("spec", SPECS)
def test_expectation_is_the_mean_gain_over_ranks(spec):
    metric, u, k = get_metric(spec), np.array([1e-9, 0.2, 0.97, 1 - 1e-9]), 150
    law = binom.pmf(np.arange(k)[:, None], k - 1, 1 - u)
    found = metric.given_favourability(ndtri(u), np.array(float(k)))
    np.testing.assert_allclose(found, metric.gain(np.arange(1, k + 1)) @ law, rtol=1e-9, atol=1e-16)


@pytest.mark.parametrize("spec", ["mrr", "mrr@500", "ndcg", "ndcg@500", "top500", "mean_rank", WILD])
@pytest.mark.parametrize("k", [1, 7, 3000])
def test_uniform_favourability_makes_every_rank_as_likely(spec, k):
    found = Favourability([0.0], [1.0], 1.0).value(k, spec)
    expected = get_metric(spec).gain(np.arange(1, k + 1)).mean()
    assert float(found) == pytest.approx(expected, rel=1e-6, abs=1e-4 if spec is WILD else 0)


def test_uniform_favourability_among_a_thousand_million():
    k, uniform = 10**9, Favourability([0.0], [1.0], 1.0)
    harmonic = np.log(k) + np.euler_gamma
    assert float(uniform.value(k, "mrr")) == pytest.approx(harmonic / k, rel=1e-7)
    assert float(uniform.value(k, "mean_rank")) == pytest.approx((k + 1) / 2, rel=1e-9)
    assert float(uniform.value(k, "top5000")) == pytest.approx(5000 / k, rel=1e-6)
    assert float(uniform.value(k, np.sqrt)) == pytest.approx(2 / 3 * k**0.5, rel=1e-6)


@pytest.mark.parametrize("z", [-3.0, 0.0, 5.0, 6.0, 7.0, 12.0, 37.0])
def test_mrr_of_a_thousand_million_classes(z):
    with mpmath.workdps(60):
        p, k = mpmath.ncdf(-mpmath.mpf(z)), 10**9
        exact = -mpmath.expm1(k * mpmath.log1p(-p)) / (k * p)
    found = get_metric("mrr").given_favourability(np.array(z), np.array(1e9))
    assert float(found) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("spec", SPECS)
def test_the_ends_of_the_scale_of_any_metric(spec):
    metric, k = get_metric(spec), np.array([[1], [100], [10**9]])
    found = metric.given_favourability(np.array([-np.inf, np.inf]), k.astype(float))
    np.testing.assert_allclose(found, np.column_stack([metric.gain(k[:, 0]), metric.gain(np.ones(3, int))]), rtol=1e-12)


@pytest.mark.parametrize(
    ("spec", "trend", "bounds"),
    [
        ("top1", -1, (0, 1)),
        ("mrr", -1, (0.01, 1)),
        ("ndcg@10", -1, (0, 1)),
        ("mean_rank", 1, (1, 100)),
        (np.log, 1, (0, np.log(100))),
        (WILD, 0, (-np.inf, np.inf)),
        (Metric("mine", (0.2, 0.5)), 0, (-np.inf, np.inf)),
    ],
)
def test_trend_and_bounds(spec, trend, bounds):
    metric = get_metric(spec)
    assert metric.trend == trend
    np.testing.assert_allclose(metric.bounds(np.array(100)), bounds)


def test_tidy_follows_the_trend():
    k, values = np.array([2, 3, 10]), np.array([[1.5, 1.2, 40.0], [0.5, 0.9, 0.1]])
    np.testing.assert_array_equal(get_metric("mean_rank").tidy(values, k), [[1.5, 1.5, 10.0], [1, 1, 1]])
    np.testing.assert_array_equal(TOP1.tidy(values, k), [[1, 1, 1], [0.5, 0.5, 0.1]])
    np.testing.assert_array_equal(WILD.tidy(values, k), values)


def test_gain_or_loss():
    assert get_metric("mrr").higher_is_better
    assert not get_metric("mean_rank").higher_is_better
    with pytest.raises(InputError, match="neither a gain nor a loss"):
        assert WILD.higher_is_better


def test_a_function_shows_its_name():
    def minutes(rank):
        return rank / 6

    assert get_metric(minutes).name == "minutes"
    assert get_metric(lambda rank: rank / 6).name == "function of the rank"


@pytest.mark.parametrize(
    "function",
    [lambda rank: 1.0, lambda rank: rank[:1], lambda rank: np.log(rank - 1.0), lambda rank: rank.astype(str)],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_that_do_not_map_ranks_to_numbers(function):
    with pytest.raises(InputError, match="must map an array of ranks to as many finite numbers"):
        get_metric(function).given_favourability(np.array(1.0), np.array(10.0))


@pytest.mark.parametrize("gains", [(), (1.0, np.nan)])
def test_gains_are_finite_numbers(gains):
    with pytest.raises(InputError, match="finite gains"):
        Metric("mine", gains)


def test_how_values_read():
    assert [show(value) for value in (0.5, -0.12345, 99.99, 1e6)] == ["0.5000", "-0.1235", "99.990", "1,000,000.0"]
