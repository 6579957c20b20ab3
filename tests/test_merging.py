"""Gallery shards add up to the whole, sets of probes are joined, and nothing else is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast import Evidence, curve, forecast
from rankcast.errors import InputError


def same(one, two):
    for name in ("beaten", "tied", "rivals"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.names[one.label].tolist() == two.names[two.label].tolist()
    np.testing.assert_allclose(one.weight, two.weight)


@pytest.fixture
def data(rng):
    """Whole-number vectors, so that there are ties: 40 classes with one to three exemplars, 60 probes."""
    owner = rng.permutation(np.r_[np.arange(40), rng.integers(40, size=40)])
    gallery = rng.integers(-3, 4, size=(80, 4)).astype(float)
    label = rng.integers(40, size=60)
    probes = np.array([gallery[owner == c].mean(axis=0).round() for c in label]) + rng.integers(-1, 2, size=(60, 4))
    return gallery, owner, probes, label


def shard(data, classes, **kwargs):
    gallery, owner, probes, label = data
    part = np.isin(owner, classes)
    return Evidence.from_embeddings(
        gallery[part], owner[part], probes, label, truth=gallery, truth_labels=owner, **kwargs
    )


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), pieces=st.integers(1, 5), exemplars=st.sampled_from(["nearest", "mean"]))
@pytest.mark.filterwarnings("ignore:the truth beats")
def test_shards_add_up_to_the_whole(seed, pieces, exemplars):
    rng = np.random.default_rng(seed)
    owner = rng.permutation(np.r_[np.arange(12), rng.integers(12, size=10)])
    data = (rng.integers(-2, 3, size=(22, 3)), owner, rng.integers(-2, 3, size=(9, 3)), rng.integers(12, size=9))
    whole = Evidence.from_embeddings(*data, exemplars=exemplars)
    home = np.r_[np.arange(pieces), rng.integers(pieces, size=12 - pieces)]
    parts = [shard(data, np.nonzero(home == i)[0], exemplars=exemplars) for i in range(pieces)]
    merged = parts[0].merge(*parts[1:])
    same(merged, whole)
    assert merged.classes.tolist() == whole.classes.tolist()


def test_any_order_any_tree_and_through_files(data, tmp_path):
    whole = Evidence.from_embeddings(*data)
    parts = [shard(data, range(start, 40, 4)) for start in range(4)]
    for number, part in enumerate(parts):
        part.save(tmp_path / f"{number}.npz")
    a, b, c, d = (Evidence.load(tmp_path / f"{number}.npz") for number in range(4))
    same(a.merge(c).merge(d.merge(b)), whole)
    same(d.merge(c, b, a), whole)


def test_shards_of_parts_of_the_probes(data):
    gallery, owner, probes, label = data
    halves = [(gallery, owner, probes[half], label[half]) for half in (slice(25), slice(25, None))]
    low, high = range(20), range(20, 40)
    joined = [shard(halves[0], classes).merge(shard(halves[1], classes)) for classes in (low, high)]
    added = [shard(half, low).merge(shard(half, high)) for half in halves]
    whole = Evidence.from_embeddings(*data)
    same(joined[0].merge(joined[1]), whole)
    same(added[0].merge(added[1]), whole)


def test_a_single_class_can_be_a_shard(data):
    parts = [shard(data, [7]), shard(data, [c for c in range(40) if c != 7])]
    assert set(parts[0].rivals.tolist()) == {0, 1}
    same(parts[0].merge(parts[1]), Evidence.from_embeddings(*data))


class TestRefusals:
    def test_overlapping_shards(self, data):
        with pytest.raises(InputError, match=r"overlap, 5 classes .* e\.g\. 15"):
            shard(data, range(20)).merge(shard(data, range(15, 40)))

    def test_the_same_shard_twice(self, data):
        with pytest.raises(InputError, match="overlap, 20 classes"):
            shard(data, range(20)).merge(shard(data, range(20)))

    def test_other_probes(self, data):
        gallery, owner, probes, label = data
        other = (gallery, owner, probes + np.eye(1, 4), label)
        with pytest.raises(InputError, match=r"part 2 was measured on different classes .* same probes"):
            shard(data, range(20)).merge(shard(other, range(20, 40)))

    def test_other_truth_or_similarity(self, data):
        changed = (data[0] * 2, *data[1:])
        for other in (shard(changed, range(20, 40)), shard(data, range(20, 40), similarity="dot")):
            with pytest.raises(InputError, match="same probes, similarity and truth"):
                shard(data, range(20)).merge(other)

    def test_one_set_of_probes_twice_among_others(self, data):
        gallery, owner, probes, label = data
        half = Evidence.from_embeddings(gallery, owner, probes[:30], label[:30])
        rest = Evidence.from_embeddings(gallery, owner, probes[30:], label[30:])
        with pytest.raises(InputError, match="same probes against the same classes"):
            half.merge(rest, half)

    def test_labels_of_another_kind(self, data):
        gallery, owner, probes, label = data
        with pytest.raises(InputError, match=r"truth_labels are of type <U\d+, gallery_labels of type int64"):
            Evidence.from_embeddings(
                gallery, owner, probes, label.astype(str), truth=gallery, truth_labels=owner.astype(str)
            )


class TestSampling:
    @pytest.fixture
    def large(self, rng):
        gallery = rng.normal(size=(600, 5))
        label = np.arange(600)
        return gallery, label, gallery + 0.7 * rng.normal(size=gallery.shape), label

    def test_probes(self, large):
        gallery, owner, probes, label = large
        part = Evidence.from_embeddings(*large, max_probes=100, rng=3)
        kept = part.names[part.label]
        assert len(np.unique(kept)) == 100
        direct = Evidence.from_embeddings(gallery, owner, probes[kept], label[kept])
        same(part, direct)
        assert part.scores is not None

    def test_rivals(self, large):
        part = Evidence.from_embeddings(*large, max_rivals=50, rng=3)
        assert part.shard.members.shape == (50,)
        inside = np.isin(part.names[part.label], part.shard.members)
        np.testing.assert_array_equal(part.rivals, np.where(inside, 49, 50))
        gallery, _, probes, _ = large
        for i in (0, 17, 300):
            rivals = np.setdiff1d(part.shard.members, [i])
            beaten = np.sum(((probes[i] - gallery[rivals]) ** 2).sum(1) > ((probes[i] - gallery[i]) ** 2).sum())
            assert part.beaten[i] == beaten

    def test_the_same_seed_draws_the_same(self, large):
        one, two, other = (Evidence.from_embeddings(*large, max_probes=90, max_rivals=80, rng=r) for r in (1, 1, 2))
        same(one, two)
        assert one.shard.members.tolist() != other.shard.members.tolist()

    def test_the_curve_of_sampled_rivals_is_unbiased(self, large):
        truth = curve(Evidence.from_embeddings(*large), [5, 20])
        found = [curve(Evidence.from_embeddings(*large, max_rivals=40, rng=r), [5, 20]) for r in range(60)]
        error = np.std(found, axis=0) / np.sqrt(60)
        assert np.all(np.abs(np.mean(found, axis=0) - truth) < 4 * error)

    def test_fewer_probes_make_a_wider_interval(self, large):
        whole = forecast(Evidence.from_embeddings(*large), 400, rng=0)
        part = forecast(Evidence.from_embeddings(*large, max_probes=60, rng=0), 400, rng=0)
        assert np.all(part.high - part.low > 2 * (whole.high - whole.low))

    def test_more_than_there_are_means_all(self, large):
        whole = Evidence.from_embeddings(*large)
        same(Evidence.from_embeddings(*large, max_probes=10**6, max_rivals=10**6), whole)

    @pytest.mark.parametrize("what", [{"max_probes": 0}, {"max_rivals": 1}, {"rng": -1}, {"rng": "a"}])
    def test_refusals(self, large, what):
        with pytest.raises(InputError, match="must be"):
            Evidence.from_embeddings(*large, **what)
