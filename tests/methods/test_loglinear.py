"""The line in log k, and the distribution behind it."""

import numpy as np
import pytest

from rankcast import Evidence, Favourability, curve
from rankcast.datasets import gaussian
from rankcast.errors import InputError
from rankcast.methods.loglinear import LogLinear, line, straight
from rankcast.metrics import get_metric

TOP1 = get_metric("top1")


def test_line_is_least_squares(rng):
    k = np.array([10, 20, 50, 100])
    accuracy = rng.random(4)
    slope, intercept = np.polyfit(np.log(k), accuracy, 1)
    np.testing.assert_allclose(line(k, accuracy), [intercept, -slope])


@pytest.mark.parametrize("k1", [30, 500, 50_000])
@pytest.mark.parametrize(("top", "drop"), [(0.9, 0.05), (0.8, 0.2), (0.6, 0.2), (0.3, 0.1), (0.95, 0.01)])
def test_the_distribution_follows_the_line(k1, top, drop):
    k = LogLinear()._range(k1)
    fall = drop / np.log(k[-1] / k[0])
    intercept = top + fall * np.log(k[0])
    fit = straight(intercept, fall, k)
    np.testing.assert_allclose(fit.value(k), intercept - fall * np.log(k), atol=0.005)
    assert fit.proper
    # no distribution has a corner where the line reaches 0: it is rounded off in proportion to the slope
    beyond = k1 * np.array([2, 10, 100, 1000])
    target = np.clip(intercept - fall * np.log(beyond), 0, 1)
    np.testing.assert_allclose(fit.value(beyond), target, atol=fall / 5)


@pytest.mark.parametrize("fall", [0.03, 0.05])
def test_frullani_away_from_the_corners(fall):
    """Between the cuts, the accuracy of the log-uniform measure is a line to many digits."""
    k = LogLinear()._range(1000)
    fit = straight(0.9, fall, k)
    far = np.array([3, 30, 3000, 30_000])
    np.testing.assert_allclose(fit.value(far), 0.9 - fall * np.log(far), atol=2e-4)


@pytest.mark.parametrize(("intercept", "expected"), [(1.0, 1.0), (0.7, 0.7), (0.0, 0.0), (1.2, 1.0)])
def test_flat_line(intercept, expected):
    np.testing.assert_allclose(straight(intercept, 0.0, np.array([10, 100])).value([2, 10**9]), expected)


def test_line_below_zero_is_no_accuracy():
    assert straight(-0.2, 0.05, np.array([10, 100])).value(50) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("sigma2", [0.05, 0.15, 0.3, 0.5])
def test_accuracy_at_k1_is_that_of_the_line(sigma2):
    evidence = gaussian.simulate(300, sigma2, rng=1)
    k = LogLinear()._range(300)
    intercept, fall = line(k, curve(evidence, k))
    assert LogLinear().fit(evidence, None).value(300) == pytest.approx(intercept - fall * np.log(300), abs=0.005)


@pytest.mark.parametrize("k1", [2, 3, 5, 15, 1000])
@pytest.mark.parametrize("span", [1.0001, 10.0, 1e9])
def test_range_has_at_least_two_points(k1, span):
    k = LogLinear(span)._range(k1)
    assert len(k) >= 2
    assert k[-1] == k1
    assert k[0] >= 1


@pytest.mark.parametrize("rank", [[1], [1, 2], [2, 2], [1] * 9])
def test_tiny_evidence(rank):
    values = LogLinear().fit(Evidence.from_ranks(rank, 2), None).value([2, 10, 10**9])
    assert np.all((values >= 0) & (values <= 1))


def test_top_n_metrics_work():
    evidence = gaussian.simulate(200, 0.2, rng=1)
    fit = LogLinear().fit(evidence, None)
    assert fit.value(1000, "top5") > fit.value(1000, "top1")


def test_replicates_are_fits_to_reweighted_evidence(measured, rng):
    weights = rng.random((3, len(measured)))
    found = LogLinear().replicate(measured, weights, np.array([60, 600]), TOP1, rng)
    for values, weight in zip(found, weights, strict=True):
        alone = LogLinear().fit(measured.reweight(weight), rng)
        np.testing.assert_allclose(values, alone.value([60, 600]), atol=1e-6)


def test_returns_a_proper_distribution(measured, rng):
    fit = LogLinear().fit(measured, rng)
    assert isinstance(fit, Favourability)
    assert fit.proper


@pytest.mark.parametrize("span", [1.0, 0.5, float("nan")])
def test_settings_are_checked(span):
    with pytest.raises(InputError, match="span must exceed 1"):
        LogLinear(span)
