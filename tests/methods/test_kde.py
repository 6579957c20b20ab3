"""The kernel methods: the integral, its tails, and scores that leave little to estimate."""

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

from rankcast import Evidence
from rankcast.bandwidth import bandwidth
from rankcast.errors import MethodError
from rankcast.methods import kde
from rankcast.methods.kde import KdeBcv, KdePlcv, KdeUcv, probit_below
from rankcast.metrics import get_metric

METHODS = (KdeBcv, KdeUcv, KdePlcv)


def estimated(method, scores, labels, **options):
    evidence = Evidence.from_scores(scores, labels, **options)
    return method().example_z(evidence, np.random.default_rng(0))


def accuracy(method, evidence, k):
    return method().fit(evidence, np.random.default_rng(0)).value(k)


# -- what is estimated -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_mean_of_kernels_below_the_truth(method, scores):
    matrix, labels = scores
    expected = []
    for row, label in zip(matrix, labels, strict=True):
        rivals = np.delete(row, label)
        h = bandwidth(rivals[None], method.criterion)[0]
        expected.append(ndtr((row[label] - rivals) / h).mean())
    np.testing.assert_allclose(ndtr(estimated(method, matrix, labels)), expected, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_accuracy_is_the_weighted_mean_of_powers(method, measured, rng):
    evidence = measured.reweight(rng.random(len(measured)))
    u = ndtr(method().example_z(evidence, rng))
    assert accuracy(method, evidence, 50) == pytest.approx(evidence.weight @ u**49, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_score_of_the_truth_does_not_move_the_bandwidth(method, scores):
    matrix, labels = scores
    raised = matrix.copy()
    raised[np.arange(len(labels)), labels] += 1e9
    assert np.all(estimated(method, raised, labels) == np.inf)


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_have_their_own_bandwidth(method):
    assert method.name == f"kde-{method.criterion}"


@pytest.mark.parametrize("method", METHODS)
def test_embeddings_as_scores(method, rng):
    gallery, labels = rng.normal(size=(50, 3)), np.arange(50)
    probes = gallery + 0.1 * rng.normal(size=(50, 3))
    evidence = Evidence.from_embeddings(gallery, labels, probes, labels)
    distance = np.sqrt(((probes[:, None] - gallery) ** 2).sum(axis=2))
    expected = estimated(method, distance, labels, higher_is_better=False)
    np.testing.assert_allclose(method().example_z(evidence, rng), expected, rtol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_blocks_of_any_size_give_the_same(method, measured, rng, monkeypatch):
    whole = method().example_z(measured, rng)
    monkeypatch.setattr(kde, "_CACHED", 1)
    np.testing.assert_allclose(method().example_z(measured, rng), whole, rtol=1e-9)


def test_replicates_reweight_the_examples(measured, rng):
    weights = rng.dirichlet(np.ones(len(measured)), size=3)
    draws = KdeUcv().replicate(measured, weights, np.array([60, 600]), get_metric("top1"), rng)
    expected = [accuracy(KdeUcv, measured.reweight(weight), [60, 600]) for weight in weights]
    np.testing.assert_allclose(draws, expected, rtol=1e-9)


# -- precision -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", [0.5, 3.0, 9.0, 20.0, 36.0])
def test_both_tails_are_precise(distance, rng):
    rivals = rng.random((1, 40))
    rivals -= rivals.min()
    h = np.array([0.05])
    truth = rivals.max(axis=1) + distance * h
    terms = [mpmath.ncdf((r - mpmath.mpf(truth[0])) / mpmath.mpf(h[0])) for r in rivals[0]]
    tail = sum(terms) / len(terms)
    z = probit_below(rivals, truth, h)
    assert float(mpmath.ncdf(-z[0]) / tail) == pytest.approx(1, rel=1e-9)
    mirrored = probit_below(rivals.max() - rivals, rivals.max(axis=1) - truth, h)
    assert mirrored[0] == pytest.approx(-z[0], rel=1e-12)


def test_far_rivals_are_counted_not_forgotten(rng):
    rivals = np.concatenate([rng.random((1, 70)), 1000 + rng.random((1, 30))], axis=1)
    rivals -= rivals.min()
    z = probit_below(rivals, np.array([500.0]), np.array([0.1]))
    assert ndtr(z[0]) == pytest.approx(0.7, rel=1e-12)


# -- little to go by -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_one_rival(method):
    z = estimated(method, [[2.0, 1.0], [1.0, 1.0], [5.0, 1.0], [1.0, 2.0]], [0, 1, 1, 1])
    np.testing.assert_array_equal(z, [np.inf, 0.0, -np.inf, np.inf])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("classes", [4, 60])
def test_rivals_that_score_alike(method, classes):
    matrix = np.full((3, classes), 7.0)
    matrix[0, 0], matrix[2, 0] = 8.0, 6.0
    np.testing.assert_array_equal(estimated(method, matrix, [0, 0, 0]), [np.inf, 0.0, -np.inf])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e300])
def test_any_scale(method, scale, scores):
    matrix, labels = scores
    np.testing.assert_allclose(
        estimated(method, matrix * scale, labels), estimated(method, matrix, labels), rtol=1e-3, atol=1e-9
    )


@pytest.mark.parametrize("method", METHODS)
def test_truth_on_another_scale_than_its_rivals(method, rng):
    matrix = rng.normal(size=(4, 40)) * [[1.0], [1e-300], [1e-300], [1e-20]]
    matrix[:, 0] = [1e300, 1.0, -1.0, 1e308]
    z = estimated(method, matrix, [0] * 4)
    np.testing.assert_array_equal(z, [np.inf, np.inf, -np.inf, np.inf])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("classes", [6, 100])
def test_duplicated_columns(method, classes, rng):
    half = rng.normal(size=(30, classes // 2))
    matrix = np.concatenate([half, half], axis=1)
    evidence = Evidence.from_scores(matrix, matrix.argmax(axis=1))
    values = accuracy(method, evidence, [1, 2, classes, 10**6])
    assert np.all((values >= 0) & (values <= 1))
    assert np.all(np.diff(values) <= 0)


# -- settings --------------------------------------------------------------------------------------------


def test_ranks_are_not_enough(rng):
    with pytest.raises(MethodError, match="'kde-bcv' needs scores"):
        KdeBcv().fit(Evidence.from_ranks([1, 2, 3], 10), rng)


def test_search_is_checked():
    with pytest.raises(MethodError, match="search must be one of global, local, not 'grid'"):
        KdeUcv(search="grid")


def test_authors_settings_search_as_r_does(measured, rng):
    assert KdeUcv.authors() == KdeUcv(search="local")
    assert np.any(KdeUcv.authors().example_z(measured, rng) != KdeUcv().example_z(measured, rng))
