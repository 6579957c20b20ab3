"""Bases: knots, moments, and the mixtures that they make."""

import mpmath
import numpy as np
import pytest
from scipy.special import ndtri

from rankcast.bases import RadialBasis, SplineBasis, largest_knot
from rankcast.errors import InputError

K = np.array([1, 2, 3, 10, 100, 10_000, 10**9])
BASES = [RadialBasis(0.1, 4.0), RadialBasis(0.5, 4.0, "authors"), RadialBasis(3.0, 4.0)]
BASES += [SplineBasis(0.3, 4.0), SplineBasis(2.5, 4.0), SplineBasis(10.0, 3.0, (1.0,))]


def test_largest_knot():
    assert largest_knot(100) == pytest.approx(-ndtri(1e-4))
    assert largest_knot(100, examples=50) == pytest.approx(-ndtri(1 / (50 * 1e4)))
    assert np.isfinite(largest_knot(10**9, 1000))


@pytest.mark.parametrize("width", [0.03, 0.1, 0.4, 1.0, 5.0])
def test_the_papers_knots_are_at_least_half_a_width_apart(width):
    knots = RadialBasis(width, 3.7).knots
    assert knots[[0, -1]] == pytest.approx([-3.7, 3.7])
    gaps = np.diff(knots)
    np.testing.assert_allclose(gaps, gaps[0])
    assert gaps[0] >= width / 2 - 1e-12
    if width < 3.7:
        assert gaps[0] < width


@pytest.mark.parametrize(("width", "count"), [(0.1, 75), (0.5, 15), (0.9, 9), (1.0, 7)])
def test_the_authors_number_of_knots(width, count):
    assert len(RadialBasis(width, largest_knot(100), "authors").knots) == count


def test_unknown_spacing():
    with pytest.raises(InputError, match="spacing must be 'paper' or 'authors'"):
        _ = RadialBasis(0.5, 3.0, "wide").knots


@pytest.mark.parametrize("basis", BASES, ids=repr)
def test_moments_are_those_of_distributions(basis):
    table = basis.moments(K)
    np.testing.assert_allclose(table[0], 1, atol=1e-12)
    assert np.all(np.diff(table, axis=0) <= 1e-12)
    assert table.min() >= 0


@pytest.mark.parametrize("basis", BASES, ids=repr)
def test_the_mixture_has_the_moments_of_its_basis(basis):
    rng = np.random.default_rng(1)
    weight = rng.dirichlet(np.ones(basis.moments(np.array([2])).shape[1]))
    mixture = basis.favourability(weight)
    np.testing.assert_allclose(mixture.value(K), basis.moments(K) @ weight, atol=1e-12)
    assert mixture.proper


@pytest.mark.parametrize("basis", BASES, ids=repr)
def test_atoms_come_last(basis):
    atoms = basis.moments(np.array([2, 50]))[:, -len(basis.atoms) :]
    np.testing.assert_array_equal(atoms, [basis.atoms, basis.atoms])


def test_without_atoms():
    basis = RadialBasis(0.5, 3.0, atoms=())
    assert basis.moments(K).shape[1] == len(basis.knots)
    assert len(basis.favourability(np.full(len(basis.knots), 1 / len(basis.knots))).z) == len(basis.knots)


def cubic(t):
    """The cardinal cubic B-spline, centred."""
    t = abs(t)
    return mpmath.mpf(2) / 3 - t**2 + t**3 / 2 if t < 1 else (2 - t) ** 3 / 6 if t < 2 else mpmath.mpf(0)


@pytest.mark.parametrize("k", [2, 100, 10**9])
@pytest.mark.parametrize("width", [0.3, 1.2])
def test_spline_moments_are_good_to_ten_digits(width, k):
    basis = SplineBasis(width, 6.0, atoms=())
    found = basis.moments(np.array([k]))[0]
    half = (len(found) - 1) // 2
    gap = mpmath.mpf(6) / half
    for column in (half + 1, len(found) - 1):
        centre = gap * (column - half)
        with mpmath.workdps(18):
            pieces = [centre + gap * step / 2 for step in range(-4, 5)]
            exact = mpmath.quad(
                lambda z, c=centre: mpmath.exp((k - 1) * mpmath.log(mpmath.ncdf(z))) * cubic((z - c) / gap) / gap,
                pieces,
            )
        assert found[column] == pytest.approx(float(exact), abs=1e-10)
