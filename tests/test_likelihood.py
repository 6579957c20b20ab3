"""The likelihood of counts: against brute force, and its bookkeeping of ties and weights."""

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom, norm

from rankcast import Evidence
from rankcast.likelihood import (
    CountTable,
    effective_size,
    even_grid,
    likelihood_matrix,
    log_binomial,
    npmle,
)


def some_evidence(rng, n=400, ties=0.4, most=60):
    rivals = rng.integers(5, most, n)
    tied = rng.integers(1, 4, n) * (rng.random(n) < ties)
    above = rng.integers(0, rivals - tied + 1)
    return Evidence.from_ranks(above + 1, rivals + 1, labels=rng.integers(0, n // 3, n), tied=tied)


# -- the matrix ------------------------------------------------------------------------------------------


def test_log_binomial_is_the_binomial(rng):
    lost, z = np.arange(11.0), rng.normal(size=11)
    np.testing.assert_allclose(np.exp(log_binomial(lost, np.array(10.0), z)), binom.pmf(lost, 10, ndtr(-z)))


def test_log_binomial_next_to_one():
    exact = mpmath.log(mpmath.mpf(10) ** 9) + mpmath.log(mpmath.ncdf(-7)) + (10**9 - 1) * mpmath.log(mpmath.ncdf(7))
    found = log_binomial(np.array(1.0), np.array(1e9), np.array(7.0))
    assert float(found) == pytest.approx(float(exact), abs=1e-6)


def test_atoms():
    z = np.array([-1.0, 0.0, 2.0])
    found = likelihood_matrix(np.array([3.0]), np.array([7.0]), z, 0.0)
    np.testing.assert_allclose(found[0], binom.pmf(3, 7, ndtr(-z)))


@pytest.mark.parametrize("rivals", [1, 7, 400, 100_000])
@pytest.mark.parametrize("spread", [0.1, 0.02])
def test_matrix_against_brute_force(rivals, spread):
    z = even_grid(spread, -4, 5)
    lost = np.unique(np.rint(rivals * np.array([0, 1e-5, 1e-3, 0.02, 0.2, 0.5, 0.9, 1])))
    found = likelihood_matrix(lost, np.full(len(lost), float(rivals)), z, spread)
    for g in range(3, len(z), len(z) // 6):
        fine = np.linspace(z[g] - 9 * spread, z[g] + 9 * spread, 6001)
        density = norm.pdf(fine, z[g], spread) * (fine[1] - fine[0])
        exact = binom.pmf(lost[:, None], rivals, ndtr(-fine)) @ density
        np.testing.assert_allclose(found[:, g], exact, rtol=1e-7, atol=1e-8 / (rivals + 1))


def test_matrix_at_all_beaten_is_a_plateau():
    z = even_grid()
    row = likelihood_matrix(np.array([0.0]), np.array([1e5]), z, 0.1)[0]
    assert np.all(np.diff(row) >= -1e-12)
    assert row[-1] == pytest.approx(1.0)


def test_probabilities_of_all_counts_sum_to_one():
    m = 300
    found = likelihood_matrix(np.arange(m + 1.0), np.full(m + 1, float(m)), even_grid(), 0.1)
    np.testing.assert_allclose(found.sum(axis=0), 1.0, rtol=1e-10)


def test_wide_normal_is_a_mixture_of_narrow_ones():
    lost, rivals = np.array([0.0, 3.0, 40.0, 90.0]), np.full(4, 100.0)
    z, tau = even_grid(), 0.5
    share = 0.1 * norm.pdf(z, 1.5, np.sqrt(tau**2 - 0.01))
    narrow = likelihood_matrix(lost, rivals, z, 0.1) @ share
    wide = likelihood_matrix(lost, rivals, np.array([1.5]), tau)[:, 0]
    np.testing.assert_allclose(narrow, wide, rtol=1e-9)


# -- the table of counts -----------------------------------------------------------------------------------


def test_table_is_the_histogram(rng):
    evidence = some_evidence(rng)
    lost, rivals, weight = evidence.histogram()
    real = weight > 1e-15
    order = np.lexsort((lost[real], rivals[real]))
    table = CountTable.of(evidence)
    np.testing.assert_array_equal(table.lost, lost[real][order])
    np.testing.assert_array_equal(table.rivals, rivals[real][order])
    np.testing.assert_allclose(table.weight, weight[real][order], rtol=1e-10)


def test_reweighted_is_the_table_of_reweighted_evidence(rng):
    evidence = some_evidence(rng)
    weights = rng.random((3, len(evidence)))
    found = CountTable.of(evidence).reweighted(weights)
    for column, weight in zip(found.T, weights, strict=True):
        np.testing.assert_allclose(column, CountTable.of(evidence.reweight(weight)).weight, atol=1e-15)


def test_examples_without_weight_keep_their_place(rng):
    evidence = some_evidence(rng)
    weight = rng.random(len(evidence)) * (rng.random(len(evidence)) < 0.5)
    table = CountTable.of(evidence.reweight(weight))
    assert len(table.lost) == len(CountTable.of(evidence).lost)
    assert table.weight.sum() == pytest.approx(1.0)


def test_ties_are_spread_over_their_places():
    tied = CountTable.of(Evidence.from_ranks([2, 1], 10, tied=[3, 0]))
    np.testing.assert_array_equal(tied.lost, [0, 1, 2, 3, 4])
    np.testing.assert_allclose(tied.weight, [0.5, 0.125, 0.125, 0.125, 0.125])


def test_merged_counts_hardly_change_the_likelihood(rng, monkeypatch):
    n = 6000
    rivals = rng.integers(2000, 40_000, n)
    lost = rng.binomial(rivals, ndtr(-rng.normal(1.5, 0.8, n)))
    evidence = Evidence.from_ranks(lost + 1, rivals + 1)
    merged = CountTable.of(evidence)
    monkeypatch.setattr("rankcast.likelihood._EXACT", 10**9)
    exact = CountTable.of(evidence)
    assert len(merged.lost) < len(exact.lost) / 5
    z, values = even_grid(), []
    for table in (merged, exact):
        matrix = likelihood_matrix(table.lost, table.rivals, z, 0.1)
        score = [table.weight @ np.log(matrix @ (0.1 * norm.pdf(z, mu, 0.8))) for mu in (1.4, 1.5, 1.6)]
        values.append(np.diff(score))
    np.testing.assert_allclose(values[0], values[1], atol=2e-4)


def test_size_with_one_example_per_class_is_the_number_of_classes(rng):
    assert effective_size(Evidence.from_ranks(rng.integers(1, 50, 80), 50)) == pytest.approx(80)


def test_size_with_identical_examples_is_the_number_of_classes(rng):
    rank = np.repeat(rng.integers(1, 50, 40), 5)
    evidence = Evidence.from_ranks(rank, 50, labels=np.repeat(np.arange(40), 5))
    assert effective_size(evidence) == pytest.approx(40)


def test_size_with_examples_that_ignore_their_class_is_their_number(rng):
    evidence = Evidence.from_ranks(rng.integers(1, 50, 4000), 50, labels=np.repeat(np.arange(800), 5))
    assert effective_size(evidence) > 3200


def test_size_when_all_are_alike():
    assert effective_size(Evidence.from_ranks([1] * 6, 9, labels=[0, 0, 1, 1, 2, 2])) == pytest.approx(3)


# -- the nonparametric estimate ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_npmle_meets_the_optimality_conditions(seed):
    rng = np.random.default_rng(seed)
    lost = rng.binomial(200, ndtr(-rng.choice([0.5, 1.5, 2.5], 500)))
    table = CountTable.of(Evidence.from_ranks(lost + 1, 201))
    matrix = likelihood_matrix(table.lost, table.rivals, even_grid(), 0.1)
    share = npmle(matrix, table.weight)
    gain = (table.weight / (matrix @ share)) @ matrix
    assert share.min() >= 0
    assert share.sum() == pytest.approx(1.0)
    assert gain.max() < 1 + 2e-7
    np.testing.assert_allclose(gain[share > 1e-3], 1.0, atol=1e-4)


def test_npmle_beats_every_single_normal(rng):
    lost = rng.binomial(100, ndtr(-rng.choice([0.0, 2.0], 300)))
    table = CountTable.of(Evidence.from_ranks(lost + 1, 101))
    z = even_grid()
    matrix = likelihood_matrix(table.lost, table.rivals, z, 0.1)
    best = table.weight @ np.log(matrix @ npmle(matrix, table.weight))
    for mu in np.linspace(-1, 3, 9):
        for tau in (0.3, 1.0, 2.0):
            assert best > table.weight @ np.log(matrix @ (0.1 * norm.pdf(z, mu, tau)))
