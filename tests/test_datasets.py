"""Simulators, closed forms and the data of the demo."""

import numpy as np
import pytest
from scipy.special import ndtr

from rankcast.datasets import gaussian, han, toy
from rankcast.errors import InputError


class TestToy:
    def test_shape(self):
        evidence = toy.simulate(30, 0.9, examples=3, rng=0)
        assert (evidence.k1, len(evidence)) == (30, 90)
        assert set(np.bincount(evidence.label)) == {3}

    def test_same_seed_same_evidence(self):
        assert toy.simulate(30, 0.9, rng=4).fingerprint == toy.simulate(30, 0.9, rng=4).fingerprint

    def test_favourability_of_one_example(self):
        # a random label is nearer to x if ρY lies within the distance
        labels = np.random.default_rng(0).standard_normal(200_000)
        x, distance, rho = 0.7, 0.4, 0.8
        share = np.mean(np.abs(rho * labels - x) < distance)
        assert toy.outranked(np.array(x), np.array(distance), rho) == pytest.approx(share, abs=0.005)

    @pytest.mark.parametrize("rho", [0.05, 0.1, 0.5, 0.9, 0.99, 0.999])
    def test_two_classes_in_closed_form(self, rho):
        # AGA_2 = E Φ(ρ|y-y'|/(2√(1-ρ²))), y-y' ~ N(0, 2), and E Φ(a|Z|) = 1/2 + arctan(a)/π
        exact = 0.5 + np.arctan(rho / np.sqrt(2 * (1 - rho**2))) / np.pi
        assert float(toy.aga(2, rho)) == pytest.approx(exact, abs=1e-10)

    @pytest.mark.parametrize("rho", [0.2, 0.7, 0.99])
    def test_cdf_agrees_with_the_accuracies(self, rho):
        # AGA_k = 1 - (k-1) ∫ D(u) u^(k-2) du, equation by equation for three k
        nodes, weights = np.polynomial.legendre.leggauss(400)
        u, w = (nodes + 1) / 2, weights / 2
        d = toy.cdf(u, rho)
        for k in (2, 3, 8):
            assert 1 - (k - 1) * (w * u ** (k - 2)) @ d == pytest.approx(float(toy.aga(k, rho)), abs=1e-4)

    def test_cdf_rises_from_zero_to_one(self):
        values = toy.cdf(np.linspace(0, 1, 101), 0.9)
        assert np.all(np.diff(values) >= -1e-12)
        np.testing.assert_allclose(values[[0, -1]], [0, 1], atol=1e-9)

    def test_accuracy_of_a_set_of_labels(self):
        assert toy.ga([0.3, -0.3], 0.8) == pytest.approx(ndtr(0.8 * 0.3 / 0.6))
        assert toy.ga([0.5, 0.5, 0.5], 0.8) == pytest.approx(1 / 3)
        assert toy.ga(np.zeros((4, 2)), 0.8).shape == (4,)

    def test_huge_numbers_of_classes(self):
        values = toy.aga([10**6, 10**8, 10**9], 0.9)
        assert np.all(np.diff(values) < 0)
        assert np.all(values > 0)

    @pytest.mark.parametrize("rho", [0, 1, -0.5, 2, float("nan")])
    def test_bad_correlation(self, rho):
        for make in (toy.favourability, lambda r: toy.simulate(5, r), lambda r: toy.ga([0, 1], r)):
            with pytest.raises(InputError, match="rho must lie between"):
                make(rho)


class TestGaussian:
    def test_shape(self):
        evidence = gaussian.simulate(40, 0.2, p=5, rng=1)
        assert (evidence.k1, len(evidence)) == (40, 40)

    @pytest.mark.parametrize("p", [1, 2, 10])
    def test_exact_favourability_of_examples(self, p):
        train, test = gaussian.draw(6, 0.3, p, rng=2)
        rivals = np.sqrt(1.3) * np.random.default_rng(3).standard_normal((200_000, p))
        for own, x, z in zip(train, test, gaussian.probit(train, test, 0.3), strict=True):
            share = np.mean(((rivals - x) ** 2).sum(axis=1) > ((own - x) ** 2).sum())
            assert float(ndtr(z)) == pytest.approx(share, abs=0.006)

    @pytest.mark.parametrize("p", [1, 2, 3, 10, 50])
    def test_quadrature_agrees_with_draws_of_the_favourability(self, p):
        sigma2 = 0.3 if p < 20 else 1.5
        train, test = gaussian.draw(40_000, sigma2, p, rng=5)
        u = ndtr(gaussian.probit(train, test, sigma2))
        for k in (2, 20, 300):
            gains = u ** (k - 1)
            error = gains.std() / np.sqrt(len(gains))
            assert abs(gains.mean() - float(gaussian.aga(k, sigma2, p))) < 4 * error + 1e-12

    @pytest.mark.parametrize("sigma2", [0, -1, float("nan")])
    def test_bad_variance(self, sigma2):
        for make in (gaussian.favourability, lambda s: gaussian.simulate(5, s)):
            with pytest.raises(InputError, match="sigma2 must be positive"):
                make(sigma2)


class TestHan:
    def test_evidence(self):
        evidence = han.evidence()
        assert evidence.k1 == len(evidence) == 300
        assert len(set(evidence.classes.tolist())) == 300

    def test_truth_covers_all_characters(self):
        k, accuracy = han.truth()
        assert k[-1] == han.TOTAL == 75_763
        assert np.all(np.diff(k) > 0)
        assert np.all(np.diff(accuracy) <= 0)
        assert {1000, 10_000} <= set(k.tolist())

    def test_the_sample_is_typical(self):
        k, accuracy = han.truth()
        at = int(np.argmin(np.abs(k - 300)))
        assert han.evidence().accuracy == pytest.approx(accuracy[at], abs=0.06)

    def test_equals_the_data(self, shared):
        path = shared / "data" / "han-glyphs-75k" / "han_glyphs_75k.npz"
        if not path.exists():
            pytest.skip("needs the Han glyphs in ../shared/data")
        assert han.truth()[1][-1] == pytest.approx(0.509, abs=0.001)
