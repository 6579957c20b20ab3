"""Metrics by name, and their expectation given the favourability."""

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from rankcast.errors import InputError
from rankcast.metrics import TOP1, Metric, get_metric


@pytest.mark.parametrize(("name", "depth"), [("top1", 1), ("top5", 5), ("recall@10", 10), ("top10000", 10_000)])
def test_names(name, depth):
    assert get_metric(name).depth == depth
    assert get_metric(name).gains == (1.0,) * depth


@pytest.mark.parametrize("name", ["top0", "top", "top-1", "recall@0", "recall", "mrr", "", "top1.5", "top99999", None])
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
    np.testing.assert_allclose(found, binom.cdf(get_metric(metric).depth - 1, k - 1, 1 - u), atol=1e-12)


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
