"""The fused kernel: counts equal to float64 for every pair, whatever the type, the block or the interruption."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rankcast import Evidence, checkpoint, counting, kernel
from rankcast.budget import parse_memory
from rankcast.errors import InputError


def brute_force(gallery, owner, probes, label, similarity="euclidean"):
    """Beaten and tied by float64 scores of every pair, in Python loops."""
    gallery, probes = np.asarray(gallery, float), np.asarray(probes, float)
    if similarity == "cosine":
        gallery = gallery / np.sqrt((gallery**2).sum(axis=1, keepdims=True))
        probes = probes / np.sqrt((probes**2).sum(axis=1, keepdims=True))
    counts = []
    for probe, own in zip(probes, label, strict=True):
        each = (probe * gallery).sum(axis=1)
        if similarity == "euclidean":
            each = -((np.broadcast_to(probe, gallery.shape) - gallery) ** 2).sum(axis=1)
        best = np.array([each[owner == c].max() for c in range(max(owner) + 1)])
        rest = np.delete(best, own)
        counts.append((np.sum(rest < best[own]), np.sum(rest == best[own])))
    return np.array(counts).T


def counts(*args, **kwargs):
    evidence = Evidence.from_embeddings(*args, **kwargs)
    return np.array([evidence.beaten, evidence.tied])


def near_ties(rng, size, dimension, offset):
    """Vectors that differ by a few units in the last place of float32, and some that do not differ at all."""
    base = offset + rng.normal(size=(1, dimension))
    steps = rng.integers(-2, 3, size=(size, dimension)) * 2.0**-24
    return base * (1 + steps * (rng.random((size, 1)) < 0.8))


@pytest.mark.parametrize("similarity", ["euclidean", "cosine", "dot"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("dimension", "offset"), [(1, 1.0), (3, 0.0), (64, 0.0), (64, 100.0)])
def test_near_ties_and_ties_are_counted_as_in_float64(rng, similarity, dtype, dimension, offset):
    if dimension == 1 and similarity == "cosine":
        pytest.skip("in one dimension cosines are signs")
    gallery = near_ties(rng, 90, dimension, offset).astype(dtype)
    probes = near_ties(rng, 90, dimension, offset).astype(dtype)
    label = rng.integers(90, size=90)
    found = counts(gallery, np.arange(90), probes, label, similarity=similarity)
    np.testing.assert_array_equal(found, brute_force(gallery, np.arange(90), probes, label, similarity))
    assert found[1].any()


def test_float32_alone_would_miscount_these(rng):
    gallery, probes = near_ties(rng, 200, 64, 1.0), near_ties(rng, 200, 64, 1.0)
    label = np.arange(200)
    product = (probes.astype(np.float32) @ gallery.astype(np.float32).T).astype(np.float32)
    naive = (product < product[label, label][:, None]).sum(axis=1)
    exact = brute_force(gallery, label, probes, label, "dot")[0]
    assert np.mean(naive != exact) > 0.5
    np.testing.assert_array_equal(counts(gallery, label, probes, label, similarity="dot")[0], exact)


@pytest.mark.filterwarnings("ignore:the truth beats")
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    classes=st.integers(2, 40),
    per_class=st.integers(1, 4),
    dimension=st.integers(1, 9),
    similarity=st.sampled_from(["euclidean", "dot"]),
    memory=st.sampled_from(["1MB", "1GB"]),
)
def test_small_integers_with_many_ties(seed, classes, per_class, dimension, similarity, memory):
    rng = np.random.default_rng(seed)
    owner = rng.permutation(np.r_[np.arange(classes), rng.integers(classes, size=classes * (per_class - 1))])
    gallery = rng.integers(-2, 3, size=(len(owner), dimension)).astype(np.int8)
    probes = rng.integers(-2, 3, size=(11, dimension)).astype(np.float16)
    label = rng.integers(classes, size=11)
    expected = brute_force(gallery, owner, probes, label, similarity)
    assume(np.any(expected[1] < classes - 1))  # all tied is refused
    found = counts(gallery, owner, probes, label, similarity=similarity, memory=memory)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("scale", [2.0**-70, 1e-30, 1e-3, 1e3, 2.0**70, 1e100])
@pytest.mark.parametrize("similarity", ["euclidean", "dot"])
def test_any_magnitude(rng, scale, similarity):
    gallery, probes = rng.normal(size=(2, 50, 6)) * scale
    found = counts(gallery, range(50), probes + gallery, range(50), similarity=similarity)
    np.testing.assert_array_equal(found, brute_force(gallery, np.arange(50), probes + gallery, range(50), similarity))


def test_lengths_of_very_different_size(rng):
    gallery = rng.normal(size=(60, 5)) * 10.0 ** rng.integers(-12, 12, size=(60, 1))
    probes = gallery + rng.normal(size=(60, 5))
    found = counts(gallery, range(60), probes, range(60))
    np.testing.assert_array_equal(found, brute_force(gallery, np.arange(60), probes, range(60)))


def test_values_too_large_to_square_are_refused(rng):
    gallery = rng.normal(size=(5, 3)) * 1e200
    with pytest.raises(InputError, match="gallery holds values too large"), np.errstate(over="ignore"):
        Evidence.from_embeddings(gallery, range(5), gallery, range(5), similarity="dot")


@pytest.mark.parametrize("per_vector", [False, True])
def test_int8_with_a_scale_means_their_product(rng, per_vector):
    codes = rng.integers(-127, 128, size=(2, 70, 16)).astype(np.int8)
    scales = rng.uniform(0.01, 0.02, size=(2, 70)) if per_vector else np.array([[0.013], [0.02]])
    scales = np.broadcast_to(scales, (2, 70))
    given_scales = scales if per_vector else scales[:, 0]
    found = counts(codes[0], range(70), codes[1], range(70), gallery_scale=given_scales[0], probe_scale=given_scales[1])
    plain = codes * scales[:, :, None]
    np.testing.assert_array_equal(found, brute_force(plain[0], np.arange(70), plain[1], range(70)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
def test_precision_does_not_matter(rng, dtype):
    vectors = (20 * rng.normal(size=(2, 300, 24))).astype(dtype)
    found = [counts(vectors[0], range(300), vectors[1], range(300), precision=p) for p in ("float32", "float64")]
    np.testing.assert_array_equal(*found)


def test_memory_budget_is_kept_and_changes_nothing(rng):
    gallery, probes = rng.normal(size=(2, 30_000, 16)).astype(np.float32)
    probes = probes[:500] + gallery[:500]
    whole = counts(gallery, range(30_000), probes, range(500))
    owner = np.arange(30_000)
    tracemalloc.start()
    try:
        tight = counts(gallery, owner, probes, np.arange(500), memory="2MB")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(tight, whole)
    assert peak < 2e6 + 8 * owner.nbytes  # names, columns and bookkeeping of the labels


def test_a_class_with_more_exemplars_than_a_tile(rng):
    owner = np.r_[np.zeros(2500, int), np.ones(3, int), np.full(700, 2)]
    gallery = rng.normal(size=(len(owner), 4))
    probes, label = rng.normal(size=(20, 4)), rng.integers(3, size=20)
    found = counts(gallery, owner, probes, label, memory="1MB")
    np.testing.assert_array_equal(found, brute_force(gallery, owner, probes, label))


@pytest.mark.parametrize(("value", "size"), [("1GB", 10**9), ("1.5 mb", 1_500_000), ("2GiB", 2**31), (10**7, 10**7)])
def test_sizes(value, size):
    assert parse_memory(value) == size


@pytest.mark.parametrize("value", ["", "GB", "1..2GB", "10KB", "-1GB", "1 apple", 5])
def test_sizes_that_make_no_sense(value):
    with pytest.raises(InputError, match="memory must be"):
        parse_memory(value)


def test_column_counts_beyond_a_byte(rng):
    mask = rng.random((1000, 16)) < 0.9
    np.testing.assert_array_equal(kernel.column_counts(mask), mask.sum(axis=0))


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_tally(rng, share):
    x = np.where(rng.random((100, 24)) < share, rng.normal(size=(100, 24)) * 2, -5).astype(np.float32)
    x[3, 4], x[3, 5] = np.nan, 1.0
    beaten, unsure = kernel.Tally(24)(x)
    np.testing.assert_array_equal(beaten, (x < -1).sum(axis=0))
    np.testing.assert_array_equal(unsure, np.flatnonzero(~(np.abs(x) > 1)))


class TestCheckpoint:
    @pytest.fixture
    def data(self, rng):
        gallery, probes = rng.normal(size=(2, 30_000, 8)).round(1)
        return gallery, np.arange(30_000), probes[:400] + gallery[:400], np.arange(400)

    @pytest.fixture
    def stopping(self, monkeypatch):
        """Make the work stop after so many tiles."""
        plain = counting._count_tile

        def install(after):
            left = after

            def count(*args):
                nonlocal left
                if left == 0:
                    raise KeyboardInterrupt
                left -= 1
                return plain(*args)

            monkeypatch.setattr(counting, "_count_tile", count)

        return install

    @pytest.mark.parametrize("after", [0, 1, 17, 30])
    def test_interrupted_work_is_taken_up_again(self, data, stopping, tmp_path, after):
        whole, path = counts(*data), tmp_path / "state.npz"
        stopping(after)
        with pytest.raises(KeyboardInterrupt):
            counts(*data, memory="1MB", checkpoint=path)
        stopping(10**9)
        # with another budget: the chunk at hand is finished as it was begun
        np.testing.assert_array_equal(counts(*data, memory="2MB", checkpoint=path), whole)

    def test_what_is_done_is_not_done_again(self, data, stopping, tmp_path):
        whole = counts(*data, checkpoint=tmp_path / "state.npz")
        stopping(0)
        np.testing.assert_array_equal(counts(*data, checkpoint=tmp_path / "state.npz"), whole)

    def test_it_is_written_now_and_then(self, data, stopping, tmp_path, monkeypatch):
        monkeypatch.setattr(checkpoint, "_SECONDS", -1.0)
        seen = []
        plain = checkpoint.Checkpoint.save
        monkeypatch.setattr(checkpoint.Checkpoint, "save", lambda self, at: (seen.append(at.probes), plain(self, at)))
        counts(*data, memory="1MB", checkpoint=tmp_path / "state.npz")
        assert len(seen) > 5

    def test_a_file_that_cannot_be_written_is_known_at_once(self, data, stopping, tmp_path):
        stopping(0)
        with pytest.raises(InputError, match="cannot be written"):
            counts(*data, checkpoint=tmp_path / "no" / "state.npz")

    def test_other_work_is_refused(self, data, tmp_path):
        path = tmp_path / "state.npz"
        counts(*data, checkpoint=path)
        for other in ({"similarity": "dot"}, {"exemplars": "mean"}):
            with pytest.raises(InputError, match="other data or settings"):
                counts(*data, checkpoint=path, **other)
        with pytest.raises(InputError, match="other data or settings"):
            counts(*data[:2], data[2] + 1, data[3], checkpoint=path)
        np.savez(path, a=1)
        with pytest.raises(InputError, match="is not a checkpoint"):
            counts(*data, checkpoint=path)
