"""Slips in the paper's formulas: what is printed is wrong, what docs/errata.md puts in its place is right."""

import numpy as np
import pytest
from scipy.special import ndtr

from rankcast import Evidence, curve
from rankcast.bandwidth import bandwidth
from rankcast.bases import RadialBasis
from rankcast.datasets import toy
from rankcast.methods.kde import KdeUcv
from rankcast.metrics import TOP1

RHO = 0.8


@pytest.fixture(scope="module")
def quadrature():
    nodes, weights = np.polynomial.legendre.leggauss(400)
    return (nodes + 1) / 2, weights / 2


@pytest.fixture(scope="module")
def draws():
    """Labels, their rivals, and one example of each label."""
    rng = np.random.default_rng(0)
    y, rival = rng.standard_normal((2, 100_000))
    return y, rival, RHO * y + np.sqrt(1 - RHO**2) * rng.standard_normal(len(y))


def test_accuracy_at_two_classes(quadrature, draws):
    u, w = quadrature
    printed = float(w @ toy.cdf(u, RHO))
    y, rival, x = draws
    simulated = np.mean(np.abs(RHO * y - x) < np.abs(RHO * rival - x))
    assert 1 - printed == pytest.approx(simulated, abs=0.005)
    assert abs(printed - simulated) > 0.1


def test_resampling_estimate_has_one_minus(quadrature):
    # with D = Σ β h, Σ β H_k is the error rate, and so is not an estimate of accuracy
    basis, k = RadialBasis(0.5, 3.0, atoms=()), 7
    weight = np.full(len(basis.knots), 1 / len(basis.knots))
    u, w = quadrature
    moments = (k - 1) * (w * u ** (k - 2)) @ basis.favourability(weight).cdf(u)
    accuracy = float((basis.moments(np.array([k])) @ weight)[0])
    assert 1 - moments == pytest.approx(accuracy, abs=1e-3)
    assert float(basis.favourability(weight).value(k, TOP1)) == pytest.approx(accuracy)


def test_integral_in_the_proof():
    # Pr[U* > max of k-1 uniform draws | U* = u] is the integral from 0 to u, not from u to 1
    k, u = 6, 0.9
    largest = np.random.default_rng(0).uniform(size=(100_000, k - 1)).max(axis=1)
    simulated = np.mean(u > largest)
    assert u ** (k - 1) == pytest.approx(simulated, abs=0.005)
    assert abs((1 - u ** (k - 1)) - simulated) > 0.1


def test_favourability_of_the_toy_example():
    y, x = 0.5, 0.6
    rivals = np.random.default_rng(0).standard_normal(200_000)
    beaten = np.mean(np.abs(RHO * y - x) < np.abs(RHO * rivals - x))
    distance = abs(RHO * y - x)
    printed = ndtr((x + distance) / RHO) - ndtr((x - distance) / RHO)
    assert 1 - printed == pytest.approx(beaten, abs=0.005)
    assert abs(printed - beaten) > 0.1


def test_accuracy_of_given_labels_has_the_factor_rho():
    labels = np.array([-0.7, 0.4])
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=200_000)
    x = RHO * labels[truth] + np.sqrt(1 - RHO**2) * rng.standard_normal(len(truth))
    simulated = np.mean(np.abs(x[:, None] - RHO * labels).argmin(axis=1) == truth)
    assert float(toy.ga(labels, RHO)) == pytest.approx(simulated, abs=0.004)
    printed = ndtr((labels[1] - labels[0]) / (2 * np.sqrt(1 - RHO**2)))
    assert abs(printed - simulated) > 0.02


def test_classes_are_resampled_without_replacement():
    # a class that is drawn twice ties with itself: accuracy on such a set is too low
    evidence = toy.simulate(60, 0.99, rng=1)
    exact = float(curve(evidence, 30))
    rng = np.random.default_rng(0)
    without = [evidence.subset(rng.choice(60, 30, replace=False)).accuracy for _ in range(200)]
    assert np.mean(without) == pytest.approx(exact, abs=0.02)
    scores = evidence.scores.block(slice(0, 60))
    values = []
    for _ in range(200):
        chosen = rng.choice(60, 30, replace=True)
        values.append(Evidence.from_scores(scores[chosen][:, chosen], np.arange(30)).accuracy)
    assert np.mean(values) < exact - 0.02


def test_kernel_densities_are_integrated_from_minus_infinity():
    # the printed integral starts at zero, and scores such as -distance are below it
    rng = np.random.default_rng(2)
    scores = -np.abs(rng.normal(3, 1, size=(40, 40)))
    evidence = Evidence.from_scores(scores, np.arange(40))
    found = KdeUcv().example_z(evidence, rng)
    rivals = np.delete(scores[0], 0)
    h = bandwidth(rivals[None], "ucv")[0]
    below = ndtr((scores[0, 0] - rivals) / h)
    assert ndtr(found[0]) == pytest.approx(np.mean(below), abs=1e-6)
    printed = np.mean(below - ndtr((0 - rivals) / h))
    assert printed < 0
