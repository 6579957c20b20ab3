"""Random subsets of classes: the same counts as by hand, the right law without scores."""

import numpy as np
import pytest

from rankcast import Evidence, curve
from rankcast.errors import InputError
from rankcast.selection import subsamples


@pytest.mark.parametrize("kind", ["scores", "embeddings"])
def test_counts_equal_those_of_subset(rng, kind):
    label = np.arange(40) % 20
    if kind == "scores":
        evidence = Evidence.from_scores(rng.integers(0, 6, size=(40, 25)), label)
    else:
        vectors = rng.integers(-3, 4, size=(2, 25, 2)).astype(float)
        evidence = Evidence.from_embeddings(vectors[0], np.arange(25), vectors[1][label], label)
    twin = np.random.default_rng(8)
    chosen = [twin.choice(25, 9, replace=False) for _ in range(6)]
    parts = list(subsamples(evidence, 9, 6, np.random.default_rng(8)))
    assert len(parts) == 6
    for part, classes in zip(parts, chosen, strict=True):
        direct = evidence.subset(classes)
        np.testing.assert_array_equal(part.beaten, direct.beaten)
        np.testing.assert_array_equal(part.tied, direct.tied)
        np.testing.assert_array_equal(part.rivals, 8)
        np.testing.assert_allclose(part.weight, direct.weight)


@pytest.mark.parametrize("with_scores", [True, False], ids=["scores", "ranks"])
def test_subsamples_average_to_the_exact_curve(rng, with_scores):
    table = rng.normal(size=(80, 40)).round(1)
    label = np.arange(80) % 40
    table[np.arange(80), label] += 1.5
    evidence = Evidence.from_scores(table.round(1), label)
    if not with_scores:
        rank = 1 + evidence.rivals - evidence.beaten - evidence.tied
        evidence = Evidence.from_ranks(rank, 40, label, tied=evidence.tied)
    k = np.array([2, 10, 15])
    curves = np.array([curve(part, k) for part in subsamples(evidence, 15, 800, rng)])
    error = curves.std(axis=0) / np.sqrt(800)
    assert np.all(np.abs(curves.mean(axis=0) - curve(evidence, k)) < 4 * error)


def test_thinned_ranks_are_hypergeometric(rng):
    evidence = Evidence.from_ranks(np.full(20_000, 6), 21, tied=np.full(20_000, 4))  # 5 above, 4 level, 11 below
    part = next(iter(subsamples(evidence, 9, 1, rng)))
    rivals = np.r_[np.full(5, 2), np.full(4, 1), np.zeros(11, int)]
    direct = np.array([rng.choice(rivals, 8, replace=False) for _ in range(len(part))])
    for found, expected in ((part.tied, (direct == 1).sum(axis=1)), (part.beaten, (direct == 0).sum(axis=1))):
        ours, theirs = (np.bincount(counts, minlength=9) / len(part) for counts in (found, expected))
        error = np.sqrt((ours + theirs + 2 / len(part)) / len(part))
        assert np.all(np.abs(ours - theirs) < 4.5 * error)
    assert set(part.rivals) == {8}


def test_thinning_keeps_the_share_of_classes_and_different_rivals(rng):
    rivals = np.r_[np.full(50, 20), np.full(50, 100)]
    evidence = Evidence.from_ranks(np.full(100, 3), rivals + 1, np.arange(100) // 2)
    part = next(iter(subsamples(evidence, 11, 1, rng)))
    assert set(part.rivals) == {10, 50}
    assert len(np.unique(part.label)) == round(50 * 11 / 21)
    assert part.weight.sum() == pytest.approx(1)


def test_weights_follow_those_of_the_evidence(measured, rng):
    uneven = measured.reweight(np.arange(1.0, 121.0))
    part = next(iter(subsamples(uneven, 30, 1, rng)))
    assert part.weight.sum() == pytest.approx(1)
    assert np.ptp(part.weight) > 0


@pytest.mark.parametrize("size", [1, 61])
def test_impossible_sizes(measured, rng, size):
    with pytest.raises(InputError, match=f"2 to 60 classes, asked for {size}"):
        list(subsamples(measured, size, 1, rng))


def test_same_seed_same_subsets(measured):
    one, two = (
        [part.beaten.tolist() for part in subsamples(measured, 20, 3, np.random.default_rng(5))] for _ in range(2)
    )
    assert one == two


def test_thousands_of_millions_of_candidates(rng):
    evidence = Evidence.from_ranks(rng.integers(1, 100, size=30), 3 * 10**9)
    part = next(iter(subsamples(evidence, 10**6, 1, rng)))
    assert part.k1 == 10**6
