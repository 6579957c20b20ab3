"""Counting in blocks: ties of identical vectors, memory, and sets of classes."""

import tracemalloc

import numpy as np
import pytest

from rankcast import Evidence, ranking


@pytest.fixture
def small_blocks(monkeypatch):
    """Two or three rows to a block, whatever the budget."""
    plain = ranking.blocks

    def tiny(shape, *_):
        return plain(shape, 3 * 8 * shape[1])

    monkeypatch.setattr(ranking, "blocks", tiny)


@pytest.mark.parametrize("rows", [0, 1, 7, 1000])
@pytest.mark.parametrize("budget", [1, 800, 10**9])
def test_blocks_cover_every_row_once(rows, budget):
    parts = list(ranking.blocks((rows, 10), budget))
    assert [i for part in parts for i in range(rows)[part]] == list(range(rows))
    assert all(part.stop - part.start <= max(1, budget // 80) for part in parts)


@pytest.mark.parametrize("dimension", [1, 3, 17, 130])
@pytest.mark.parametrize("similarity", ranking.SIMILARITIES)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.usefixtures("small_blocks")
def test_identical_gallery_vectors_tie_wherever_they_stand(rng, dimension, similarity, order, dtype):
    # each vector belongs to three classes far apart in the gallery
    base = rng.normal(size=(7, dimension)) * 10.0 ** rng.integers(-3, 4, size=(7, 1))
    if dimension == 1 and similarity == "cosine":
        pytest.skip("in one dimension cosines are signs")
    gallery = np.asarray(np.vstack([base, base, base]), dtype, order=order)
    probes = np.asarray(gallery + 0.3 * rng.normal(size=gallery.shape) * np.abs(gallery), dtype, order=order)
    evidence = Evidence.from_embeddings(gallery, range(21), probes, range(21), similarity=similarity)
    assert evidence.tied.tolist() == [2] * 21
    again = Evidence.from_embeddings(gallery, range(21), probes[4:5], [4], similarity=similarity)
    assert again.tied.tolist() == [2]


@pytest.mark.parametrize("exemplars", ["nearest", "mean"])
@pytest.mark.usefixtures("small_blocks")
def test_classes_with_identical_exemplars_tie(rng, exemplars):
    base = rng.normal(size=(10, 40))
    gallery, owner = np.vstack([base, base]), np.r_[np.arange(10) // 2, 5 + np.arange(10) // 2]
    probes = gallery + rng.normal(size=gallery.shape)
    evidence = Evidence.from_embeddings(gallery, owner, probes, owner, exemplars=exemplars)
    assert evidence.tied.tolist() == [1] * 20


def test_a_probe_level_with_two_centres_ties():
    evidence = Evidence.from_embeddings([[0.0], [2.0], [9.0]], [0, 1, 2], [[1.0], [1.0]], [0, 1])
    assert evidence.tied.tolist() == [1, 1]
    assert evidence.beaten.tolist() == [1, 1]


def test_vectors_one_ulp_apart_do_not_tie():
    gallery = np.array([[1.0], [np.nextafter(1.0, 2.0)], [5.0]])
    evidence = Evidence.from_embeddings(gallery, [0, 1, 2], [[0.5], [0.5]], [0, 1])
    assert evidence.tied.tolist() == [0, 0]
    assert evidence.beaten.tolist() == [2, 1]


@pytest.mark.parametrize("kind", ["scores", "embeddings"])
def test_the_size_of_blocks_changes_nothing(rng, kind, monkeypatch, request):
    table = rng.normal(size=(50, 20)).round(1)
    label = np.arange(50) % 20
    vectors = rng.integers(-2, 3, size=(2, 50, 3)).astype(float)

    def make():
        if kind == "scores":
            return Evidence.from_scores(table, label)
        return Evidence.from_embeddings(vectors[0], label, vectors[1], label)

    whole = make()
    masks = rng.random((20, 4)) < 0.5
    within = whole.within(masks)
    request.getfixturevalue("small_blocks")
    parted = make()
    np.testing.assert_array_equal(parted.beaten, whole.beaten)
    np.testing.assert_array_equal(parted.tied, whole.tied)
    np.testing.assert_array_equal(parted.within(masks), within)


def test_nan_is_located_in_later_blocks(rng, small_blocks):
    table = rng.normal(size=(20, 5))
    table[17, 2] = np.nan
    with pytest.raises(ValueError, match="row 17, column 2"):
        Evidence.from_scores(table, np.arange(20) % 5)


def test_counts_within_sets_of_classes(rng):
    table = rng.integers(0, 4, size=(30, 12))
    label = np.arange(30) % 12
    masks = rng.random((12, 5)) < 0.5
    beaten, tied = Evidence.from_scores(table, label).within(masks)
    for i, own in enumerate(label):
        rivals = masks & (np.arange(12) != own)[:, None]
        np.testing.assert_array_equal(beaten[i], ((table[i] < table[i, own])[:, None] & rivals).sum(axis=0))
        np.testing.assert_array_equal(tied[i], ((table[i] == table[i, own])[:, None] & rivals).sum(axis=0))


@pytest.mark.parametrize(
    ("classes", "exemplars", "probes"), [(4000, 1, 10_000), (2, 1000, 40_000)], ids=["many classes", "many exemplars"]
)
def test_memory_is_bounded_by_the_block(rng, classes, exemplars, probes):
    gallery = rng.normal(size=(classes * exemplars, 2))
    owner = np.arange(len(gallery)) // exemplars
    tests, label = rng.normal(size=(probes, 2)), np.arange(probes) % classes
    tracemalloc.start()
    try:
        Evidence.from_embeddings(gallery, owner, tests, label)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * ranking.BLOCK_BYTES
    assert probes * len(gallery) * 8 > 2 * ranking.BLOCK_BYTES
