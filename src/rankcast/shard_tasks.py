"""What the tasks of a cluster do, and what they carry: parts of a gallery that any process can read again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ._typing import Array, FloatArray, IntArray
from .counting import Plan, count_all
from .gallery import Gallery
from .stores import open_store
from .vectors import RemoteStore, Store, Vectors

T = TypeVar("T")
Job = tuple[Vectors, FloatArray, bool, Plan]


@dataclass(eq=False)
class FileStore(RemoteStore):
    """A file of vectors that travels as its name, and is opened where it arrives."""

    where: str
    _open: Store | None = field(default=None, repr=False)

    @property
    def _store(self) -> Store:
        if self._open is None:
            self._open = open_store(self.where)
        return self._open

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and of dimensions."""
        return self._store.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        return self._store.dtype

    def __getitem__(self, rows: slice | IntArray, /) -> Array:
        return np.asarray(self._store[rows])

    def section(self, rows: slice | IntArray) -> "PartStore":
        """Some rows, not read yet."""
        return PartStore(self, rows)

    def __getstate__(self) -> dict[str, Any]:
        return {"where": self.where, "_open": None}


@dataclass(frozen=True, eq=False)
class PartStore:
    """Some rows of a file: a slice with a start and a stop, or row numbers."""

    whole: FileStore
    rows: slice | IntArray

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and of dimensions."""
        size = self.rows.stop - self.rows.start if isinstance(self.rows, slice) else len(self.rows)
        return (size, *self.whole.shape[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        return self.whole.dtype

    def __getitem__(self, rows: slice | IntArray, /) -> Array:
        if not isinstance(self.rows, slice):
            return self.whole[self.rows[rows]]
        if not isinstance(rows, slice):
            return self.whole[np.asarray(rows) + self.rows.start]
        start, stop, _ = rows.indices(self.shape[0])
        return self.whole[slice(self.rows.start + start, self.rows.start + stop)]


@dataclass(frozen=True, eq=False)
class DaskStore(RemoteStore):
    """A Dask array, which stays on the cluster but for the rows that are fetched."""

    array: Any
    fetch: Callable[[Any], Array]

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and of dimensions."""
        return tuple(self.array.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        kind: np.dtype[Any] = np.dtype(self.array.dtype)
        return kind

    def section(self, rows: slice | IntArray) -> "DaskStore":
        """Some rows, on the cluster."""
        return DaskStore(self.array[rows], self.fetch)

    def __getitem__(self, rows: slice | IntArray, /) -> Array:
        if isinstance(rows, slice):
            return self.fetch(self.array[rows])
        ordered, place = np.unique(rows, return_inverse=True)  # Dask slices badly out of order
        return self.fetch(self.array[ordered])[place]


def is_dask(data: Any) -> bool:
    """Whether this is a Dask array."""
    return type(data).__module__.partition(".")[0] == "dask"


def portable(data: Any, fetch: Callable[[Any], Array]) -> Any:
    """Vectors as a task can carry them: paths by name, Dask arrays where they are, other arrays as they are."""
    if isinstance(data, str | Path):
        path, mark, name = str(data).partition("::")
        return FileStore(f"{Path(path).resolve()}{mark}{name}")
    return DaskStore(data, fetch) if is_dask(data) else data


def sections(gallery: Gallery, number: int) -> Iterator[Gallery]:
    """Split a gallery into shards with about the same number of vectors each."""
    rows, first = -(-len(gallery.column) // number), 0
    while first < len(gallery):
        last = gallery.next_stop(first, rows)
        yield gallery.section(first, last)
        first = last


def count_shard(part: Gallery, block: Array | None, job: Job) -> IntArray:
    """Classes of the shard that each probe beats and ties with, as two rows."""
    probes, own, distance, plan = job
    if block is not None:
        part = replace(part, vectors=replace(part.vectors, store=np.asarray(block)))
    return np.stack(count_all(part, probes, own, distance, plan))


def add_counts(one: IntArray, two: IntArray) -> IntArray:
    """Counts over two sets of classes."""
    return one + two


def same(value: T) -> T:
    """A value that the cluster can make again if the worker that holds it dies."""
    return value
