"""Two systems on the same classes: which is better, how surely, and where they cross."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

import rankcast as rc
from rankcast.compare import _last_change
from rankcast.errors import InputError
from rankcast.methods import Method


def systems(k, first, second, rng, names=None):
    """Two noise levels on the same classes, with the same directions of the noise."""
    centre, noise = rng.standard_normal((k, 10)), rng.standard_normal((2, k, 10))
    label = np.arange(k) if names is None else names
    return [
        rc.Evidence.from_embeddings(centre + s**0.5 * noise[0], label, centre + s**0.5 * noise[1], label)
        for s in (first, second)
    ]


@pytest.fixture(scope="module")
def pair():
    return systems(150, 0.1, 0.16, np.random.default_rng(3))


def test_the_better_system_is_found(pair):
    found = rc.compare(*pair, [100, 300], method="gaussian", rng=0)
    assert found.paired
    assert np.all(found.better < 0.05)
    assert np.all(found.high < 0)
    swapped = rc.compare(*pair[::-1], [100, 300], method="gaussian", rng=0)
    np.testing.assert_allclose(swapped.difference, -found.difference)
    np.testing.assert_allclose(swapped.better, 1 - found.better)
    np.testing.assert_allclose(swapped.low, -found.high, atol=1e-12)


def test_estimates_are_those_of_the_forecasts(pair):
    found = rc.compare(*pair, [20, 500], "mrr", "gaussian", rng=0, replicates=20)
    for side, evidence in zip((found.a, found.b), pair, strict=True):
        np.testing.assert_allclose(side, rc.forecast(evidence, [20, 500], "mrr", "gaussian", rng=0).estimate)


def test_pairing_narrows_the_interval(pair):
    together = rc.compare(*pair, 100, method="gaussian", rng=0)
    apart = rc.compare(*pair, 100, method="gaussian", rng=0, paired=False)
    assert not apart.paired
    assert together.high - together.low < 0.85 * (apart.high - apart.low)


def test_a_system_against_itself(pair):
    found = rc.compare(pair[0], pair[0], [50, 5000], rng=0, replicates=30)
    np.testing.assert_array_equal([found.low, found.high], 0)
    np.testing.assert_array_equal(found.better, 0.5)
    assert np.isnan(found.crossing.classes)
    assert found.crossing.share == 0


def test_classes_are_paired_by_name_not_by_position(pair):
    names = np.array([f"class {n:03}" for n in range(150)])
    a, b = systems(150, 0.1, 0.16, np.random.default_rng(3), names)
    order = np.random.default_rng(0).permutation(150)
    shuffled = replace(
        b,
        label=np.argsort(order)[b.label],
        classes=names[order],
        scores=None,
    )
    straight = rc.compare(a, b, 500, method="gaussian", rng=0)
    np.testing.assert_allclose(rc.compare(a, shuffled, 500, method="gaussian", rng=0).low, straight.low)


def test_less_is_better_for_a_loss(pair):
    found = rc.compare(*pair, 1000, "mean_rank", rng=0, replicates=50)
    assert found.b > found.a
    assert found.better[0] < 0.05
    assert "less is better" in str(found)


@dataclass(frozen=True)
class ByRank(Method):
    """A favourability that depends on whether the evidence is mostly perfect."""

    name, needs = "by-rank", "ranks"

    def fit(self, evidence, rng):
        steady = rc.Favourability([np.inf], [0.8])
        return rc.Favourability([3.2], [1.0]) if evidence.accuracy > 0.9 else steady


def test_where_the_curves_cross():
    fragile = rc.Evidence.from_ranks([1] * 60, 30)
    steady = rc.Evidence.from_ranks([1] * 48 + [30] * 12, 30)
    found = rc.compare(fragile, steady, 10_000, method=ByRank(), rng=0, replicates=40)
    exact = 1 + np.log(0.8) / np.log(rc.Favourability([3.2], [1.0]).value(2))  # U^(k-1) = 0.8
    assert found.crossing.classes == pytest.approx(exact, rel=0.03)
    assert found.crossing.share == 1
    assert found.crossing.low <= found.crossing.classes <= found.crossing.high
    assert "B is better beyond" in str(found)


@pytest.mark.parametrize(
    ("change", "expected"),
    [([1, 1, 1], np.nan), ([0, 0, 1], np.nan), ([1, -1, -2], 10**0.5), ([-1, 1, -3], 10**1.25), ([1, 0, -1], 10)],
)
def test_the_last_change_of_sign(change, expected):
    assert _last_change(np.array([1, 10, 100]), np.array(change, float)) == pytest.approx(expected, nan_ok=True)


def test_as_data(pair):
    found = rc.compare(*pair, [100, 500], method="gaussian", rng=0, replicates=20)
    assert json.loads(found.to_json())["comparison"]["better"] == found.better.tolist()
    assert found.to_frame("polars").shape == (2, 7)
    assert len(str(found).splitlines()) == 5


def test_what_cannot_be_paired(pair):
    a, b = pair
    bare = rc.Evidence.from_ranks([1, 2, 3] * 20, 30)
    cases = {
        "B has no class labels": (a, bare),
        "A has test examples of 150 classes, B of 140, and 140 are the same": (a, b.subset(np.arange(140))),
        "A has 60 examples, B 59": (bare, rc.Evidence.from_ranks([1] * 59, 30)),
        "names in one and numbers in the other": (a, rc.Evidence.from_ranks([1] * 30, 40, labels=["x"] * 30)),
    }
    for part, (first, second) in cases.items():
        with pytest.raises(InputError, match=part) as caught:
            rc.compare(first, second, 200)
        assert "paired=False" in str(caught.value)
    assert rc.compare(a, bare, 200, method="gaussian", rng=0, paired=False, replicates=20).a > 0.5


def test_examples_without_labels_are_paired_by_position():
    rank = np.array([1, 1, 2, 1, 5, 1, 1, 9] * 10)
    a, b = (rc.Evidence.from_ranks(place, 40) for place in (rank, rank + 2 * (np.arange(80) % 4 == 1)))
    found = rc.compare(a, b, [40, 400], method="gaussian", rng=0, replicates=50)
    assert found.b[1] < found.a[1]
    assert found.better[1] < 0.1


@pytest.mark.filterwarnings("ignore::rankcast.RankcastWarning")
def test_notes_of_the_forecasts_stand_once():
    few = rc.Evidence.from_ranks([1, 2, 1, 1], 10)
    assert str(rc.compare(few, few, 100, rng=0, replicates=20)).count("note: only 10 classes") == 1
