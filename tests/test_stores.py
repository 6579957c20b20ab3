"""Vectors in files: every format gives the same counts as arrays, is read in blocks, and fails in one line."""

import json
import tracemalloc

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.errors import InputError, MissingExtraError
from rankcast.stores import BlockStore, open_store

FORMATS = ["npy", "safetensors", "parquet", "h5", "zarr"]


def write(path, kind, vectors, name="vectors"):
    """A file with an array of vectors and one of labels; where the vectors are."""
    file = path / f"{name}.{kind}"
    if kind == "npy":
        np.save(file, vectors)
    elif kind == "safetensors":
        pytest.importorskip("safetensors.numpy").save_file({"vectors": vectors}, file)
    elif kind == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        names = pa.array([f"c{i}" for i in range(len(vectors))])
        pq.write_table(pa.table({"vectors": column, "names": names}), file, row_group_size=37)
    elif kind == "h5":
        h5py = pytest.importorskip("h5py")
        with h5py.File(file, "w") as out:
            out.create_dataset("group/vectors", data=vectors, chunks=(16, vectors.shape[1]))
            out["names"] = [f"c{i}" for i in range(len(vectors))]
    else:
        zarr = pytest.importorskip("zarr")
        group = zarr.open_group(str(file), mode="w")
        made = group.create_array("vectors", shape=vectors.shape, dtype=vectors.dtype, chunks=(16, vectors.shape[1]))
        made[:] = vectors
    return file


def counts(evidence):
    return np.array([evidence.beaten, evidence.tied])


@pytest.fixture
def vectors(rng):
    gallery = rng.normal(size=(150, 6)).astype(np.float32)
    gallery[70:80] = gallery[:10]
    return gallery, (gallery + rng.normal(size=gallery.shape)).astype(np.float32)[:90]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("several", [False, True], ids=["one exemplar", "scattered exemplars"])
def test_counts_are_those_of_arrays(vectors, rng, tmp_path, kind, several):
    gallery, probes = vectors
    owner = rng.permutation(np.arange(150) % (60 if several else 150))
    label = owner[:90]
    expected = counts(Evidence.from_embeddings(gallery, owner, probes, label, similarity="cosine"))
    files = [write(tmp_path, kind, array, name) for name, array in (("gallery", gallery), ("probes", probes))]
    found = Evidence.from_embeddings(files[0], owner, str(files[1]), label, similarity="cosine", memory="1MB")
    np.testing.assert_array_equal(counts(found), expected)
    assert found.subset(owner[:3]).k1 == 3


@pytest.mark.parametrize("kind", FORMATS)
def test_rows_by_slice_and_by_number(vectors, tmp_path, kind):
    store = open_store(write(tmp_path, kind, vectors[0]))
    assert store.shape == (150, 6)
    assert store.dtype == np.float32
    rows = np.array([149, 3, 3, 36, 37, 0])
    np.testing.assert_array_equal(store[rows], vectors[0][rows])
    for part in (slice(0, 150), slice(30, 80), slice(74, 75), slice(5, 5), slice(140, None)):
        np.testing.assert_array_equal(store[part], vectors[0][part])


@pytest.mark.parametrize(("kind", "name"), [("parquet", "names"), ("h5", "names")])
def test_labels_from_the_same_file(vectors, tmp_path, kind, name):
    gallery, probes = vectors
    file = write(tmp_path, kind, gallery)
    names = [f"c{i}" for i in range(150)]
    found = Evidence.from_embeddings(file, f"{file}::{name}", probes, names[:90])
    np.testing.assert_array_equal(counts(found), counts(Evidence.from_embeddings(gallery, names, probes, names[:90])))
    assert sorted(names) == found.classes.tolist()


def test_labels_from_npy(vectors, tmp_path):
    gallery, probes = vectors
    np.save(tmp_path / "labels.npy", np.arange(150))
    found = Evidence.from_embeddings(gallery, tmp_path / "labels.npy", probes, range(90))
    np.testing.assert_array_equal(
        counts(found), counts(Evidence.from_embeddings(gallery, range(150), probes, range(90)))
    )


def test_open_datasets(vectors, tmp_path):
    h5py = pytest.importorskip("h5py")
    gallery, probes = vectors
    with h5py.File(write(tmp_path, "h5", gallery)) as file:
        found = Evidence.from_embeddings(file["group/vectors"], range(150), probes, range(90))
    np.testing.assert_array_equal(
        counts(found), counts(Evidence.from_embeddings(gallery, range(150), probes, range(90)))
    )


def test_bfloat16_in_safetensors(tmp_path, vectors):
    bits = vectors[0].view(np.uint32) >> 16
    header = json.dumps({"t": {"dtype": "BF16", "shape": [150, 6], "data_offsets": [0, 1800]}}).encode()
    file = tmp_path / "b.safetensors"
    file.write_bytes(len(header).to_bytes(8, "little") + header + bits.astype("<u2").tobytes())
    np.testing.assert_array_equal(open_store(file)[:], (bits << 16).view(np.float32))


def test_blocks_are_read_once_and_not_all_at_once():
    data, reads = np.arange(2000.0).reshape(1000, 2), []

    def read(start, stop):
        reads.append((start, stop))
        return data[start:stop]

    store = BlockStore(read, (1000, 2), np.dtype(float), 100)
    rows = np.array([950, 20, 999, 21, 20])
    np.testing.assert_array_equal(store[rows], data[rows])
    assert reads == [(20, 22), (950, 1000)]


def test_a_gallery_larger_than_the_budget(tmp_path, rng):
    h5py = pytest.importorskip("h5py")
    gallery = rng.normal(size=(40_000, 32)).astype(np.float32)
    with h5py.File(tmp_path / "g.h5", "w") as out:
        out.create_dataset("g", data=gallery, chunks=(500, 32))
    owner, probes = np.arange(40_000), gallery[::800] + np.float32(0.8)
    expected = counts(Evidence.from_embeddings(gallery, owner, probes, owner[::800]))
    tracemalloc.start()
    try:
        found = Evidence.from_embeddings(tmp_path / "g.h5", owner, probes, owner[::800], memory="2MB")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(counts(found), expected)
    assert peak < 2e6 + 8 * owner.nbytes < gallery.nbytes


def test_files_are_not_copied_into_evidence(vectors, tmp_path):
    pytest.importorskip("h5py")
    made = Evidence.from_embeddings(write(tmp_path, "h5", vectors[0]), range(150), vectors[1], range(90))
    made.save(tmp_path / "e.npz")
    assert made.scores is not None
    assert Evidence.load(tmp_path / "e.npz").scores is None


class TestErrors:
    @pytest.mark.parametrize("kind", FORMATS)
    def test_missing(self, tmp_path, kind):
        with pytest.raises(InputError, match=f"nothing.{kind}: no such file"):
            open_store(tmp_path / f"nothing.{kind}")

    @pytest.mark.parametrize("kind", ["npy", "safetensors", "parquet", "h5"])
    @pytest.mark.parametrize("keep", [0, 5, 60])
    def test_damaged(self, tmp_path, kind, vectors, keep):
        file = write(tmp_path, kind, vectors[0])
        file.write_bytes(file.read_bytes()[:keep])
        with pytest.raises(InputError, match=r"is damaged or cut short|is not a numpy file"):
            open_store(file)

    def test_damaged_further_on(self, tmp_path, vectors):
        file = write(tmp_path, "parquet", vectors[0])
        content = bytearray(file.read_bytes())
        content[4:60] = b"x" * 56
        file.write_bytes(bytes(content))
        with pytest.raises(InputError, match="is damaged or cut short"):
            Evidence.from_embeddings(file, range(150), vectors[1], range(90))

    def test_which_array(self, tmp_path, vectors):
        h5py = pytest.importorskip("h5py")
        with h5py.File(tmp_path / "two.h5", "w") as out:
            out["a"], out["b"] = vectors
        with pytest.raises(InputError, match=r"which array\? found a, b: name one, e.g. two.h5::a"):
            open_store(tmp_path / "two.h5")
        with pytest.raises(InputError, match="has no array 'c', found a, b"):
            open_store(f"{tmp_path}/two.h5::c")
        np.testing.assert_array_equal(open_store(f"{tmp_path}/two.h5::b")[:], vectors[1])

    def test_unknown_kind(self, tmp_path):
        with pytest.raises(InputError, match=r"unknown kind of file, vectors are read from \.npy"):
            open_store(tmp_path / "a.csv")

    def test_missing_vectors_in_parquet(self, tmp_path):
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table({"v": pa.array([[1.0, 2.0], None], pa.list_(pa.float32(), 2))}), tmp_path / "v.parquet")
        with pytest.raises(InputError, match="column 'v' has missing vectors"):
            open_store(tmp_path / "v.parquet")[:]

    @pytest.mark.parametrize(("kind", "module"), [("h5", "h5py"), ("zarr", "zarr"), ("parquet", "pyarrow.parquet")])
    def test_extra_not_installed(self, tmp_path, monkeypatch, kind, module):
        (tmp_path / f"a.{kind}").write_bytes(b"")
        monkeypatch.setitem(__import__("sys").modules, module, None)
        with pytest.raises(MissingExtraError, match=r"rankcast\[io\]"):
            open_store(tmp_path / f"a.{kind}")
