"""The gallery: vectors grouped by class, read a chunk of classes at a time."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ._typing import FloatArray, IntArray
from .vectors import Vectors


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some classes of a gallery, held in memory as they are stored.

    Exemplars of ``classes[i]`` are vectors ``starts[i]`` to ``starts[i + 1]``.
    """

    vectors: Vectors
    classes: IntArray
    starts: IntArray
    mean: bool

    @property
    def single(self) -> bool:
        """Whether each class has one vector to compare with."""
        return self.mean or len(self.vectors) == len(self.classes)

    @cached_property
    def columns(self) -> slice | IntArray:
        """The classes as an index, a slice if they are consecutive, which is much faster to assign to."""
        first, last = int(self.classes[0]), int(self.classes[-1]) + 1
        consecutive = last - first == len(self.classes) and bool(np.all(np.diff(self.classes) == 1))
        return slice(first, last) if consecutive else self.classes

    @property
    def segments(self) -> IntArray:
        """Where the vectors of each class start, means counting as one."""
        return np.arange(len(self.classes) + 1) if self.mean else self.starts

    def exemplars(self, first: int, last: int) -> FloatArray:
        """Vectors ``first`` to ``last``; with means, of the classes."""
        if not self.mean:
            return self.vectors.float64(slice(first, last))
        return self.of_classes(np.arange(first, last))[0]

    def of_classes(self, index: IntArray) -> tuple[FloatArray, IntArray]:
        """Vectors of some classes (places in the chunk), one class after the other, and where each starts."""
        sizes = (self.starts[1:] - self.starts[:-1])[index]
        first = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.repeat(self.starts[index] - first[:-1], sizes) + np.arange(first[-1])
        if not self.mean:
            return self.vectors.float64(rows), first
        plain = Vectors(self.vectors.store, self.vectors.what, self.vectors.scale)
        means = np.add.reduceat(plain.float64(rows), first[:-1], axis=0) / sizes[:, None]
        if self.vectors.unit:
            means = Vectors(means, self.vectors.what, unit=True).float64(slice(None))
        return means, np.arange(len(index) + 1)


@dataclass(frozen=True, eq=False)
class Gallery:
    """Vectors and the class of each; classes are 0 … k − 1 and each has at least one vector.

    Parameters
    ----------
    vectors : Vectors
        Exemplars, in any order. Sorted by class they are read fastest.
    column : ndarray of int
        Class of each vector.
    mean : bool
        Whether a class is its mean vector, rather than the nearest of its exemplars.
    """

    vectors: Vectors
    column: IntArray
    mean: bool = False

    def __len__(self) -> int:
        return int(self._sizes.size)

    @cached_property
    def _sizes(self) -> IntArray:
        return np.bincount(self.column)

    @cached_property
    def _sorted(self) -> bool:
        return bool(np.all(self.column[1:] >= self.column[:-1]))

    @cached_property
    def in_order(self) -> bool:
        """Whether classes may be read in the order in which they are stored."""
        return self._sorted or len(self.column) == len(self)

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self.column, kind="stable")

    @cached_property
    def _starts(self) -> IntArray:
        return np.concatenate([[0], np.cumsum(self._sizes)])

    @cached_property
    def largest(self) -> int:
        """Most exemplars of a class that are compared one by one."""
        return 1 if self.mean else int(self._sizes.max())

    def chunk(self, first: int, last: int) -> Chunk:
        """Classes number ``first`` to ``last`` in the order of reading, which need not be that of their columns."""
        rows = self._rows(first, last)
        if self.in_order and not self._sorted:  # one vector for each class: as they come
            return Chunk(self.vectors.take(rows), self.column[rows], np.arange(last - first + 1), False)
        starts = self._starts[first : last + 1] - self._starts[first]
        mean = self.mean and int(starts[-1]) > last - first
        return Chunk(self.vectors.take(rows), np.arange(first, last), starts, mean)

    def section(self, first: int, last: int) -> "Gallery":
        """The same classes as a gallery of their own, not read yet if they are somewhere else."""
        column = np.repeat(np.arange(last - first), np.diff(self._starts[first : last + 1]))
        return Gallery(self.vectors.section(self._rows(first, last)), column, self.mean)

    def _rows(self, first: int, last: int) -> slice | IntArray:
        """Where the vectors of classes ``first`` to ``last`` are stored."""
        begin, end = int(self._starts[first]), int(self._starts[last])
        return slice(begin, end) if self.in_order else self._order[begin:end]

    def of(self, classes: IntArray) -> Chunk:
        """Some classes, by column."""
        sizes = self._sizes[classes]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.repeat(self._starts[classes] - starts[:-1], sizes) + np.arange(starts[-1])
        if not self._sorted:
            rows = self._order[rows]
        return Chunk(self.vectors.take(rows), classes, starts, self.mean and bool((sizes > 1).any()))

    def first_row(self, classes: IntArray) -> IntArray:
        """Where the first vector of some classes is stored."""
        place = self._starts[classes]
        return place if self._sorted else self._order[place]

    def next_stop(self, first: int, rows: int) -> int:
        """Where a chunk that starts at a class ends if it may hold about so many vectors."""
        stop = int(np.searchsorted(self._starts, self._starts[first] + rows, side="right")) - 1
        return min(max(stop, first + 1), len(self))

    def take(self, classes: IntArray) -> "Gallery":
        """Only some classes, in this order."""
        chunk = self.of(classes)
        return Gallery(chunk.vectors, np.repeat(np.arange(len(classes)), np.diff(chunk.starts)), self.mean)
