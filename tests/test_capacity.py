"""How many classes until a metric falls below what is asked."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

import rankcast as rc
from rankcast.errors import InputError
from rankcast.methods import Method


@dataclass(frozen=True)
class Uniform(Method):
    """U* is uniform, so accuracy is 1/k."""

    name, needs = "uniform", "ranks"

    def fit(self, evidence, rng):
        return rc.Favourability([0.0], [1.0], 1.0)


@pytest.fixture(scope="module")
def chance():
    """Every rank among 20 once: accuracy is 1/k."""
    return rc.Evidence.from_ranks(np.arange(1, 21), 20)


@pytest.mark.parametrize(("accuracy", "classes"), [(0.5, 2), (0.101, 9), (1e-3, 1000), (1e-6, 10**6)])
def test_where_one_over_k_is_the_accuracy(chance, accuracy, classes):
    found = rc.capacity(chance, accuracy, method=Uniform(), rng=0, replicates=20)
    assert found.classes == pytest.approx(classes, rel=0.03 if classes > 20 else 0)


@pytest.mark.parametrize("accuracy", [0.97, 0.6, 0.4, 0.25])
def test_within_the_measured_classes_it_is_exact(measured, accuracy):
    found = rc.capacity(measured, accuracy, rng=0, replicates=20)
    values = rc.curve(measured, np.arange(1, 61))
    assert values[-1] < accuracy
    assert found.classes == np.count_nonzero(values >= accuracy)
    assert any("nothing was extrapolated" in note for note in found.notes)


def test_the_interval_is_that_of_the_draws(measured):
    made = rc.forecast(measured, np.arange(1, 61), rng=2, replicates=50)
    found = rc.capacity(measured, 0.35, rng=2, replicates=50)
    per_draw = np.sort(np.count_nonzero(made.draws >= 0.35, axis=1))
    assert per_draw[1] <= found.low <= per_draw[4]
    assert per_draw[-5] <= found.high <= per_draw[-2]
    assert found.low < found.classes < found.high


def test_the_forecast_passes_the_accuracy_there(measured):
    found = rc.capacity(measured, 0.1, method="classexreg", rng=2)
    made = rc.forecast(measured, [int(found.low), int(found.classes), int(found.high)], method="classexreg", rng=2)
    np.testing.assert_allclose([made.low[0], made.estimate[1], made.high[2]], 0.1, atol=0.002)


def test_a_loss_is_passed_from_below(chance):
    found = rc.capacity(chance, 10, "mean_rank", rng=0, replicates=20)  # the mean rank is (k+1)/2
    assert found.classes == 19
    assert "mean_rank ≤ 10" in str(found)
    assert rc.capacity(chance, 500, "mean_rank", rng=0, replicates=20).classes == pytest.approx(999, rel=0.03)


def test_ends_that_are_not_there(chance):
    never = rc.capacity(rc.Evidence.from_ranks([1] * 50, 50), 0.99, method="classexreg", rng=0, replicates=20)
    assert never.classes == never.high == np.inf
    assert "more than 1,000,000,000" in str(never)
    assert "no upper end" in str(never)
    assert json.loads(never.to_json())["high"] is None
    found = rc.capacity(chance, 0.99, method=Uniform(), rng=0, replicates=20)
    assert found.classes == found.low == 1
    assert "no lower end" in str(found)


@pytest.mark.parametrize("accuracy", [95, 0, -0.1, float("nan")])
def test_what_no_metric_can_be(measured, accuracy):
    with pytest.raises(InputError, match="accuracy is a value of top1, between 0 and 1, found"):
        rc.capacity(measured, accuracy)


def test_a_metric_without_direction(measured):
    with pytest.raises(InputError, match="neither a gain nor a loss"):
        rc.capacity(measured, 0.5, np.cos)
