"""Vectors in files that need not fit in memory: .npy, .safetensors, Parquet, HDF5 and Zarr, read in blocks.

A file with several arrays is named with the one that is meant: ``faces.h5::embeddings``.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from ._typing import Array, IntArray
from .errors import InputError
from .extras import need
from .files import opened, read_array
from .tables import check_labels, to_numpy
from .tensors import TensorStore, is_plain, is_tensor
from .vectors import RemoteStore, Store

ENDINGS = (".npy", ".safetensors", ".parquet", ".h5", ".hdf5", ".zarr")


@dataclass(frozen=True, eq=False)
class BlockStore:
    """Rows that are cheap to read one after the other, and dear one at a time.

    ``read(start, stop)`` gives rows as an array. Row numbers are sorted and read block by block.
    """

    read: Callable[[int, int], Array]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    block: int

    def __getitem__(self, rows: slice | IntArray, /) -> Array:
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(self.shape[0])
            return self.read(start, max(start, stop))
        out = np.empty((len(rows), *self.shape[1:]), self.dtype)
        order = np.argsort(rows, kind="stable")
        ordered = np.asarray(rows)[order]
        cuts = np.flatnonzero(np.diff(ordered // self.block)) + 1
        for part, places in zip(np.split(ordered, cuts), np.split(order, cuts), strict=True):
            if len(part):
                start = int(part[0])
                out[places] = self.read(start, int(part[-1]) + 1)[part - start]
        return out


def as_store(data: Any, what: str) -> Store:
    """Whatever a user passes as vectors: an array, a path, or an open dataset."""
    if isinstance(data, RemoteStore):
        return cast(Store, data)
    if isinstance(data, str | Path):
        return open_store(data)
    if type(data).__module__.split(".")[0] in ("h5py", "zarr"):
        return _dataset(data, what)
    if is_tensor(data) and not is_plain(data):
        return TensorStore.wrap(data, what)
    return to_numpy(data, what)


def stored_labels(data: Any, rows: int, shape: tuple[int, ...], what: str, of: str) -> Array:
    """Labels, one for each row, read from a file if they are given as a path."""
    return check_labels(_labels(data) if isinstance(data, str | Path) else data, rows, shape, what, of)


def _labels(where: str | Path) -> Any:
    path, name = _named(where)
    if path.suffix == ".parquet":
        file = opened(path, lambda: _parquet(path))
        column = _only(file.schema_arrow.names, path, name)
        return file.read([column]).column(0).to_numpy()
    if path.suffix in (".h5", ".hdf5"):
        found = _in_hdf5(path, name, 1)
        return found.asstr()[:] if found.dtype.kind == "O" else found[:]
    if path.suffix == ".zarr":
        return _in_zarr(path, name, 1)[:]
    return open_store(where)[:]


def open_store(where: str | Path) -> Store:
    """Open the vectors in a file, without reading them."""
    path, name = _named(where)
    if path.suffix == ".npy":
        return read_array(path)
    if path.suffix == ".safetensors":
        return _safetensors(path, name)
    if path.suffix == ".parquet":
        return _parquet_store(path, name)
    if path.suffix in (".h5", ".hdf5"):
        return _dataset(_in_hdf5(path, name, 2), str(path))
    if path.suffix == ".zarr":
        return _dataset(_in_zarr(path, name, 2), str(path))
    raise InputError(f"{path}: unknown kind of file, vectors are read from {', '.join(ENDINGS)}")


def _named(where: str | Path) -> tuple[Path, str]:
    path, _, name = str(where).partition("::")
    return Path(path), name


def _only(names: list[str], path: Path, name: str = "") -> str:
    """The array that is meant: the one asked for, or the only one there is."""
    if name in names or (not name and len(names) == 1):
        return name or names[0]
    found = ", ".join(names) or "none that fits"
    if name:
        raise InputError(f"{path}: has no array {name!r}, found {found}")
    raise InputError(f"{path}: which array? found {found}: name one, e.g. {path.name}::{names[0] if names else 'NAME'}")


def _guarded(path: Path, read: Callable[[int, int], Array]) -> Callable[[int, int], Array]:
    """Reading that ends in one line if the file turns out to be damaged."""

    def guarded(start: int, stop: int) -> Array:
        found: Array = opened(path, lambda: read(start, stop), folder=True)
        return found

    return guarded


def _dataset(found: Any, what: str) -> BlockStore:
    """An h5py or Zarr dataset."""
    chunks = getattr(found, "chunks", None)
    return BlockStore(
        read=_guarded(Path(what), lambda start, stop: np.asarray(found[start:stop])),
        shape=tuple(found.shape),
        dtype=np.dtype(found.dtype),
        block=max(1, chunks[0] if chunks else 1024),
    )


def _in_hdf5(path: Path, name: str, dimensions: int) -> Any:
    h5py = need("h5py", "io")
    file = opened(path, lambda: h5py.File(path, "r"))
    names: list[str] = []

    def visit(key: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.ndim == dimensions:
            names.append(key)

    file.visititems(visit)
    return file[_only(names, path, name)]


def _in_zarr(path: Path, name: str, dimensions: int) -> Any:
    zarr = need("zarr", "io")
    if not path.exists():
        raise InputError(f"{path}: no such file")
    found = opened(path, lambda: zarr.open(str(path), mode="r"), folder=True)
    if isinstance(found, zarr.Array):
        return found
    names = [key for key, array in found.arrays() if array.ndim == dimensions]
    return found[_only(names, path, name)]


def _safetensors(path: Path, name: str) -> Store:
    """A tensor mapped into memory: the format is a header in JSON, then the numbers."""
    kinds = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "i1", "U8": "u1", "I16": "<i2"}
    kinds |= {"U16": "<u2", "I32": "<i4", "U32": "<u4", "I64": "<i8"}

    def header() -> tuple[int, dict[str, Any]]:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if size > path.stat().st_size:
                raise ValueError("header longer than the file")
            return 8 + size, json.loads(file.read(size))

    offset, tensors = opened(path, header)
    tensors.pop("__metadata__", None)
    entry = tensors[_only(sorted(tensors), path, name)]
    kind = kinds.get(entry["dtype"])
    if kind is None:
        raise InputError(f"{path}: tensors of type {entry['dtype']} are not read: convert them to F16")
    start, shape = offset + entry["data_offsets"][0], tuple(entry["shape"])
    mapped: Array = opened(path, lambda: np.memmap(path, kind, "r", start, shape))
    if entry["dtype"] != "BF16":
        return mapped

    def widened(first: int, last: int) -> Array:
        return np.left_shift(mapped[first:last], 16, dtype=np.uint32).view(np.float32)

    return BlockStore(widened, shape, np.dtype(np.float32), 1024)


def _parquet(path: Path) -> Any:
    return need("pyarrow.parquet", "io").ParquetFile(path)


def _parquet_store(path: Path, name: str) -> BlockStore:
    """A column of lists of one length, read by row groups; the last group read is kept."""
    file = opened(path, lambda: _parquet(path))
    schema = file.schema_arrow
    lists = [field.name for field in schema if str(field.type).startswith("fixed_size_list")]
    column = _only(lists, path, name)
    kind = schema.field(column).type
    starts = np.cumsum([0] + [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)])
    dtype, width = np.dtype(kind.value_type.to_pandas_dtype()), kind.list_size
    kept: dict[int, Array] = {}

    def group(index: int) -> Array:
        if index not in kept:
            kept.clear()
            table = file.read_row_group(index, [column])
            if table.column(0).null_count:
                raise InputError(f"{path}: column {column!r} has missing vectors: drop those rows")
            kept[index] = table.column(0).combine_chunks().flatten().to_numpy(zero_copy_only=False)
        return kept[index].reshape(-1, width)

    def read(start: int, stop: int) -> Array:
        first = int(np.searchsorted(starts, start, side="right")) - 1
        last = int(np.searchsorted(starts, stop, side="left"))
        parts = [
            group(i)[max(start - starts[i], 0) : stop - starts[i]] for i in range(max(first, 0), last) if stop > start
        ]
        return np.concatenate(parts) if parts else np.empty((0, width), dtype)

    largest = int(np.diff(starts).max()) if file.num_row_groups else 1
    return BlockStore(_guarded(path, read), (int(starts[-1]), width), dtype, largest)
