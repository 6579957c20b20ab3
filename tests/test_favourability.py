"""The distribution of U*: accuracies at any k, its cdf, density and samples."""

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr, ndtri

from rankcast import Favourability
from rankcast.errors import InputError
from rankcast.favourability import moments, probit_of_log


def exact_moment(mean: float, spread: float, k: int) -> float:
    """E[Φ(Z)^(k-1)] to thirty digits."""
    with mpmath.workdps(30):
        reach = [mean + step * spread for step in (-14, -6, -3, -1, 0, 1, 3, 6, 14)]
        bends = [z for z in (2, 3, 4, 5, 5.5, 6, 6.5, 7, 8) if reach[0] < z < reach[-1]]
        return float(
            mpmath.quad(
                lambda z: mpmath.exp((k - 1) * mpmath.log(mpmath.ncdf(z))) * mpmath.npdf(z, mean, spread),
                sorted({*reach, *bends}),
            )
        )


@pytest.mark.parametrize(
    ("mean", "spread", "k"),
    [
        (0, 1, 2),
        (-1, 1, 1000),
        (-3.7, 0.1, 100),
        (2, 0.3, 50),
        (4, 0.03, 10**5),
        (0, 3, 10**7),
        (3, 0.5, 10**9),
        (5.5, 0.1, 10**9),
        (6, 1, 10**9),
        (7.3, 0.2, 10**9),
    ],
)
def test_moments_are_good_to_ten_digits(mean, spread, k):
    found = moments(np.array([float(mean)]), spread, np.array([float(k)]))[0, 0]
    assert found == pytest.approx(exact_moment(mean, spread, k), abs=1e-10)


def test_moments_of_many_centres_and_k_at_once():
    centres, k = np.array([-2.0, 0.5, 6.0]), np.array([1.0, 7.0, 1e6])
    together = moments(centres, 0.4, k)
    for row, number in enumerate(k):
        for column, centre in enumerate(centres):
            alone = moments(np.array([centre]), 0.4, np.array([number]))[0, 0]
            assert together[row, column] == pytest.approx(alone, abs=1e-13)


def test_uniform_favourability_has_accuracy_one_over_k():
    k = np.array([1, 2, 10, 10**4, 10**9])
    np.testing.assert_allclose(Favourability([0.0], [1.0], 1.0).value(k), 1 / k, rtol=1e-9)


def test_atoms_at_a_thousand_million_classes():
    found = Favourability([6.0, np.inf, -np.inf], [0.5, 0.3, 0.2]).value(10**9)
    with mpmath.workdps(40):
        power = mpmath.ncdf(6) ** (10**9 - 1)
    assert found == pytest.approx(0.3 + 0.5 * float(power), rel=1e-12)


@pytest.mark.parametrize("metric", ["top1", "top5"])
def test_value_never_rises_with_k(metric):
    mixture = Favourability([-1.0, 0.5, 3.0, np.inf], [0.2, 0.3, 0.4, 0.1], [0.3, 1.0, 0.0, 0.0])
    values = mixture.value(np.unique(np.geomspace(1, 1e9, 200).astype(int)), metric)
    assert values[0] == pytest.approx(1)
    assert np.all(np.diff(values) <= 1e-14)
    assert values[-1] >= 0.1 - 1e-14


def test_deep_metrics_pass_shallow_ones():
    mixture = Favourability([1.0, 4.0], [0.5, 0.5], [0.5, 0.2])
    found = [float(mixture.value(10**6, f"top{n}")) for n in (1, 2, 5, 20)]
    assert np.all(np.diff(found) > 0)


def test_missing_weight_goes_to_zero():
    half = Favourability([np.inf], [0.5])
    np.testing.assert_allclose(half.value([1, 2, 1000]), [1, 0.5, 0.5])
    assert half.proper


def test_keeps_the_shape_of_k():
    uniform = Favourability([0.0], [1.0], 1.0)
    assert uniform.value(5).shape == ()
    assert uniform.value([[2, 3], [4, 5]]).shape == (2, 2)


def test_many_atoms_and_many_k_in_bounded_memory(rng):
    atoms = Favourability(rng.normal(size=3000), np.full(3000, 1 / 3000))
    k = np.arange(1, 3001)
    np.testing.assert_allclose(atoms.value(k)[[0, 9, 2999]], [atoms.value(int(n)) for n in (1, 10, 3000)], rtol=1e-12)


class TestDistribution:
    MIXTURE = Favourability([-1.0, 2.0, 2.5, np.inf], [0.2, 0.3, 0.4, 0.1], [0.5, 0.2, 0.0, 0.0])

    def test_cdf_is_one_minus_the_accuracy_integrated(self):
        k = 6
        area = quad(lambda u: float(self.MIXTURE.cdf(u)) * u ** (k - 2), 0, 1, limit=400, points=[ndtr(2.5)])[0]
        assert float(self.MIXTURE.value(k)) == pytest.approx(1 - (k - 1) * area, abs=1e-6)

    def test_cdf_rises_from_zero_to_one(self):
        values = self.MIXTURE.cdf(np.linspace(0, 1, 500))
        assert np.all(np.diff(values) >= 0)
        assert values[0] == pytest.approx(0, abs=1e-12)
        assert values[-1] == pytest.approx(1)

    def test_an_atom_at_one_is_not_below_one(self):
        assert float(self.MIXTURE.cdf(1 - 1e-16)) == pytest.approx(0.9)
        assert float(self.MIXTURE.probit_cdf(30.0)) == pytest.approx(0.9)

    def test_density_integrates_to_the_finite_weight(self):
        z = np.arange(-8, 8, 0.001)
        assert self.MIXTURE.density(z).sum() * 0.001 == pytest.approx(0.9, abs=1e-6)

    def test_density_is_the_slope_of_the_cdf(self):
        smooth = Favourability([-1.0, 1.0], [0.4, 0.6], [0.5, 0.8])
        z, step = np.linspace(-3, 3, 13), 1e-5
        slope = (smooth.probit_cdf(z + step) - smooth.probit_cdf(z - step)) / (2 * step)
        np.testing.assert_allclose(smooth.density(z), slope, atol=1e-8)

    def test_samples_follow_the_cdf(self):
        draws = self.MIXTURE.sample(20_000, rng=1)
        for u in (0.05, 0.2, 0.9, 0.98, 0.999):
            share, truth = np.mean(draws <= u), float(self.MIXTURE.cdf(u))
            assert abs(share - truth) < 4 * np.sqrt(truth * (1 - truth) / 20_000) + 1e-12

    def test_samples_are_repeatable_and_have_a_logarithm(self):
        plain, logs = self.MIXTURE.sample(50, rng=4), self.MIXTURE.sample(50, rng=4, log=True)
        np.testing.assert_allclose(np.exp(logs), plain, rtol=1e-12)

    def test_samples_next_to_one_keep_their_logarithm(self):
        logs = Favourability([9.0], [1.0]).sample(3, rng=0, log=True)
        np.testing.assert_allclose(logs, log_ndtr(9.0), rtol=1e-12)
        assert np.all(logs < 0)

    def test_negative_weights_cannot_be_sampled(self):
        signed = Favourability([0.0, 1.0], [1.5, -0.5], 1.0)
        assert not signed.proper
        with pytest.raises(InputError, match="cannot be sampled"):
            signed.sample(3)


@pytest.mark.parametrize(
    ("z", "weight"), [([0.0], [np.nan]), ([0.0, 1.0], [1.0]), ([[0.0]], [[1.0]])], ids=["nan", "length", "shape"]
)
def test_bad_mixtures_are_refused(z, weight):
    with pytest.raises(InputError, match="finite weight for each centre"):
        Favourability(z, weight)


def test_nan_centres_are_refused():
    with pytest.raises(InputError):
        Favourability([np.nan], [1.0])


def test_printing_shows_two_accuracies():
    assert "0.5000 at k=2, 0.0100 at k=100" in repr(Favourability([0.0], [1.0], 1.0))


@pytest.mark.parametrize("z", [-30.0, -5.0, -0.3, 0.0, 0.3, 3.0, 8.0, 20.0, 37.0])
def test_probit_of_log_inverts_log_ndtr(z):
    assert float(probit_of_log(log_ndtr(z))) == pytest.approx(z, abs=1e-12, rel=1e-12)


def test_probit_of_log_at_the_ends():
    np.testing.assert_array_equal(probit_of_log([-np.inf, 0.0]), [-np.inf, np.inf])
    assert float(probit_of_log(np.log(0.2))) == pytest.approx(float(ndtri(0.2)))
