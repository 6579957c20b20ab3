"""What the table of scores shows as a whole."""

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.pretrained.structure import STRUCTURE, structure


def seen(gallery, probes, similarity="dot", seed=0):
    k = len(gallery)
    evidence = Evidence.from_embeddings(gallery, np.arange(k), probes, np.arange(k), similarity=similarity)
    return dict(zip(STRUCTURE, structure(evidence, np.random.default_rng(seed)), strict=True))


def test_directions_are_counted():
    for dim in (3, 12):
        rng = np.random.default_rng(dim)
        gallery, probes = rng.standard_normal((2, 700, dim))
        found = seen(gallery, probes)
        assert np.exp(found["directions"]) == pytest.approx(dim, rel=0.1)
        assert found["steepness"] == pytest.approx(0, abs=0.1)


def test_few_directions_stand_out():
    rng = np.random.default_rng(0)
    gallery, probes = rng.standard_normal((2, 500, 20)) * np.array([3.0] + [1.0] * 19)
    assert seen(gallery, probes)["steepness"] > 0.3


def test_scale_and_place_of_a_row_do_not_matter():
    rng = np.random.default_rng(1)
    scores, label = rng.standard_normal((50, 50)), np.arange(50)
    other = scores * rng.uniform(0.1, 10, (50, 1)) + rng.standard_normal((50, 1))
    one, two = (structure(Evidence.from_scores(each, label), np.random.default_rng(0)) for each in (scores, other))
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_popular_classes_are_seen():
    rng = np.random.default_rng(2)
    scores, label = rng.standard_normal((400, 400)), np.arange(400)
    favours = scores + 2.0 * rng.standard_normal(400)
    plain, popular = (
        structure(Evidence.from_scores(each, label), np.random.default_rng(0))[2] for each in (scores, favours)
    )
    assert abs(plain) < 0.2
    assert popular > 0.8


def test_rivals_that_are_all_alike():
    scores = np.eye(5)
    np.testing.assert_array_equal(
        structure(Evidence.from_scores(scores, np.arange(5)), np.random.default_rng(0))[:2], 0
    )


def test_no_example_of_the_classes_looked_at(monkeypatch):
    monkeypatch.setattr("rankcast.pretrained.structure.LOOKED_AT", 0)
    found = structure(Evidence.from_scores(np.eye(5), np.arange(5)), np.random.default_rng(0))
    np.testing.assert_array_equal(found, 0)
