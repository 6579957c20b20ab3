"""Forecasts of what was measured, from parts of it."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

import rankcast as rc
from rankcast.datasets import gaussian
from rankcast.errors import InputError
from rankcast.methods import REGISTRY, Method


@dataclass(frozen=True)
class Fixed(Method):
    """Knows the answer, whatever the evidence."""

    name, needs = "fixed", "ranks"

    def fit(self, evidence, rng):
        return rc.Favourability([np.inf], [0.7])


@pytest.fixture(scope="module")
def evidence():
    return gaussian.simulate(64, 0.2, rng=5)


def test_sizes_and_what_was_measured(evidence):
    found = rc.backtest(evidence, method="gaussian", rng=0, repetitions=2, replicates=20)
    assert found.classes.tolist() == [32, 32, 16, 16, 8, 8]
    assert found.measured == evidence.accuracy
    assert found.k1 == 64


def test_errors_and_coverage_of_a_known_forecast(evidence):
    found = rc.backtest(evidence, method=Fixed(), rng=0, repetitions=3, replicates=20, fractions=(0.5,))
    parts = np.array([found.estimate, found.low, found.high])
    np.testing.assert_allclose(parts, 0.7)  # it is the same in every replicate
    (row,) = found.summary()
    off = 0.7 - evidence.accuracy
    assert row == pytest.approx(
        {"classes": 32, "forecasts": 3, "rmse": abs(off), "bias": off, "coverage": 0.0, "width": 0.0}, abs=1e-12
    )
    assert "0 of 3" in str(found)


@pytest.mark.parametrize("method", [name for name in REGISTRY if name != "cleanex"])
def test_every_method(evidence, method):
    found = rc.backtest(evidence, method=method, rng=0, repetitions=1, replicates=20, fractions=(0.5,))
    assert found.method == method
    assert np.abs(found.error[0]) < 0.3


def test_ranks_alone_and_other_metrics(evidence):
    ranks = rc.Evidence.from_ranks(evidence.rivals - evidence.beaten + 1, evidence.rivals + 1)
    found = rc.backtest(ranks, "mrr", "gaussian", rng=0, repetitions=4, replicates=20)
    assert found.metric == "mrr"
    assert found.measured == pytest.approx(float(rc.curve(evidence, 64, "mrr")))
    assert np.abs(found.error[found.classes == 32]).max() < 0.25


def test_intervals_of_the_right_family_mostly_cover():
    found = rc.backtest(gaussian.simulate(200, 0.2, rng=1), method="gaussian", rng=0, replicates=50)
    assert found.covered.mean() > 0.7


def test_a_gallery_with_few_tested_classes(rng):
    gallery = rng.normal(size=(200, 3))
    evidence = rc.Evidence.from_embeddings(gallery, np.arange(200), gallery[:4] + 0.1, np.arange(4))
    found = rc.backtest(evidence, method="gaussian", rng=0, repetitions=2, replicates=20, fractions=(0.1,))
    assert np.isfinite(found.estimate).all()


def test_same_seed_same_answer(evidence):
    first, again = (rc.backtest(evidence, method="gaussian", rng=3, repetitions=2, replicates=20) for _ in range(2))
    assert first.to_dict() == again.to_dict()


def test_as_data(evidence):
    found = rc.backtest(evidence, method="gaussian", rng=0, repetitions=2, replicates=20)
    assert json.loads(found.to_json())["summary"] == found.summary()
    assert found.to_frame("pandas")["covered"].tolist() == found.covered.tolist()


def test_bad_arguments(evidence):
    with pytest.raises(InputError, match="14 classes are too few to back-test"):
        rc.backtest(gaussian.simulate(14, 0.2, rng=0))
    with pytest.raises(InputError, match="fractions must lie between 0 and 1"):
        rc.backtest(evidence, fractions=(2,))
    with pytest.raises(InputError, match="repetitions must be at least 1"):
        rc.backtest(evidence, repetitions=0)
