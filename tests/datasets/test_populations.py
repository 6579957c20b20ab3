"""Populations: draws, exact truth, and the oracle between them."""

import numpy as np
import pytest

from rankcast import Evidence, curve
from rankcast.datasets import gaussian
from rankcast.datasets.populations import Gaussian, Pairs, Pictures, Scored, exact_ranks


@pytest.fixture
def vectors(rng):
    """Two vectors of each of 40 classes, some of them alike."""
    centre = rng.integers(-9, 9, size=(40, 3))
    return [(centre + rng.integers(-2, 3, size=centre.shape)).astype(np.int8) for _ in range(2)]


def test_exact_ranks_are_those_of_the_evidence(vectors):
    gallery, probes = vectors
    label = np.arange(40)
    expected = Evidence.from_embeddings(gallery.astype(float), label, probes.astype(float), label)
    for kind in (np.int8, np.float64):
        found = exact_ranks(gallery.astype(kind), probes, label)
        np.testing.assert_array_equal(found.beaten, expected.beaten)
        np.testing.assert_array_equal(found.tied, expected.tied)
    assert expected.tied.any()


class TestPairs:
    def test_truth_is_the_exact_curve(self, vectors):
        label = np.arange(40)
        every = Evidence.from_embeddings(vectors[0], label, vectors[1], label)
        np.testing.assert_allclose(Pairs("pairs", *vectors).truth([2, 40]), curve(every, [2, 40]))

    def test_oracles_of_all_draws_average_to_the_truth(self, vectors):
        source = Pairs("pairs", *vectors)
        parts = np.random.default_rng(0).permutation(40).reshape(4, 10)
        oracles = [curve(exact_ranks(vectors[0], vectors[1][part], part), [40]) for part in parts]
        np.testing.assert_allclose(np.mean(oracles, axis=0), source.truth([40]))

    def test_draw(self, vectors):
        sample = Pairs("pairs", *vectors).draw(10, np.random.default_rng(3))
        again = Pairs("pairs", *vectors, similarity="sqeuclidean").draw(10, np.random.default_rng(3))
        assert sample.evidence.k1 == 10
        np.testing.assert_array_equal(sample.evidence.beaten, again.evidence.beaten)
        assert 0 <= float(sample.oracle([40])[0]) <= float(sample.oracle([10])[0]) <= 1

    def test_truth_from_some_tests(self, vectors):
        assert len(Pairs("pairs", *vectors, tests=12).ranks) == 12


class TestPictures:
    def test_single_pictures_are_left_out(self, rng):
        source = Pictures("pictures", rng.normal(size=(7, 2)), np.array([0, 0, 1, 2, 2, 2, 3]), pairings=3)
        assert source.total == 2
        assert len(source.ranks) == 6

    def test_gallery_and_test_differ(self, rng):
        source = Pictures("pictures", rng.normal(size=(60, 2)), np.repeat(np.arange(20), 3), pairings=1)
        gallery, probes = source.pair(rng, np.arange(20))
        assert not np.any(np.all(gallery == probes, axis=1))
        sample = source.draw(5, rng)
        assert sample.evidence.k1 == 5
        assert sample.oracle([20]).shape == (1,)


class TestScored:
    def test_draws_are_restricted_scores(self, scores):
        source = Scored("scored", *scores)
        sample = source.draw(8, np.random.default_rng(1))
        assert (sample.evidence.k1, len(sample.evidence)) == (8, 24)
        assert float(source.truth([25])[0]) == pytest.approx(source.full.accuracy)

    def test_the_oracle_of_all_classes_is_the_truth(self, scores):
        source = Scored("scored", *scores)
        np.testing.assert_allclose(source.draw(25, np.random.default_rng(1)).oracle([5, 25]), source.truth([5, 25]))


class TestGaussian:
    def test_same_evidence_as_the_simulation(self):
        sample = Gaussian(0.2).draw(50, np.random.default_rng(4))
        assert sample.evidence.fingerprint == gaussian.simulate(50, 0.2, rng=4).fingerprint

    def test_oracles_average_to_the_truth(self):
        draws = np.array([Gaussian(0.2).draw(200, np.random.default_rng(i)).oracle([500]) for i in range(30)])
        assert abs(draws.mean() - Gaussian(0.2).truth([500])[0]) < 4 * draws.std() / np.sqrt(30)
