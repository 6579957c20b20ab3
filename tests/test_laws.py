"""The binomial and hypergeometric laws against scipy, closed forms and exact arithmetic."""

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import hypergeom

from rankcast.laws import binomial_mean, hypergeometric_law, hypergeometric_mean


@pytest.mark.parametrize("k", [1, 2, 3, 50, 1000, 10**6, 10**9])
def test_the_second_moment_of_the_binomial(k):
    z = np.array([-np.inf, -40.0, -6.0, -1.0, 0.0, 0.5, 2.0, 3.0, 4.5, 6.0, 9.0, 40.0, np.inf])
    mean, n = (k - 1) * ndtr(-z), k - 1
    exact = mean * ndtr(z) + (1 + mean) ** 2
    found = binomial_mean(lambda rank: rank.astype(float) ** 2, z, np.array(float(n + 1)))
    np.testing.assert_allclose(found, exact, rtol=1e-11)


@pytest.mark.parametrize("z", [2.0, 4.0, 5.5])
def test_a_smooth_function_at_a_million_classes(z):
    with mpmath.workdps(30):
        p, n = mpmath.ncdf(-mpmath.mpf(z)), 10**6 - 1
        mean = int(n * p)
        reach = int(12 * mpmath.sqrt(n * p)) + 30
        start = max(0, mean - reach)
        term = mpmath.binomial(n, start) * p**start * (1 - p) ** (n - start)
        exact = mpmath.mpf(0)
        for s in range(start, mean + reach):
            exact += term / mpmath.log(2 + s, 2)
            term *= (n - s) / mpmath.mpf(s + 1) * p / (1 - p)
    found = binomial_mean(lambda rank: 1 / np.log2(1 + rank), np.array(z), np.array(1e6))
    assert float(found) == pytest.approx(float(exact), rel=1e-12)


def test_hypergeometric_mean_against_scipy():
    lost, rivals, draws = np.array([0, 1, 7, 300, 499, 500]), np.full(6, 500), np.array([0, 1, 20, 250, 499, 500])
    found = hypergeometric_mean(lambda rank: np.sin(rank * 7.0), lost, rivals, draws)
    for row, d in enumerate(lost):
        for column, j in enumerate(draws):
            s = np.arange(j + 1)
            exact = hypergeom.pmf(s, 500, d, j) @ np.sin((s + 1) * 7.0)
            assert found[row, column] == pytest.approx(exact, abs=1e-11)


def test_hypergeometric_mean_of_a_hundred_thousand_rivals():
    lost, draws = np.array([3, 500, 40_000, 99_000]), np.array([10, 5000, 50_000, 99_999])
    found = hypergeometric_mean(lambda rank: rank.astype(float), lost, np.full(4, 100_000), draws)
    np.testing.assert_allclose(found, 1 + np.outer(lost, draws) / 100_000, rtol=1e-12)


def test_the_law_averaged_over_examples():
    lost, rivals, weight = np.array([0, 4, 30]), np.array([40, 30, 60]), np.array([0.5, 0.3, 0.2])
    s = np.arange(26)
    exact = sum(w * hypergeom.pmf(s, m, d, 25) for d, m, w in zip(lost, rivals, weight, strict=True))
    np.testing.assert_allclose(hypergeometric_law(lost, rivals, weight, 25), exact, atol=1e-13)
