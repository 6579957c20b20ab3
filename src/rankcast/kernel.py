"""The kernel of ranking: a block of products, compared with the truth at once, and its guard against rounding.

For a probe p with true score t (in float64), the score of every vector g of the gallery is compared with t through

    x = (p·g − [|g|²/2] − t) / s,        s = a bound on the rounding error of the numerator,

where the term in brackets is there for distances only, and vectors are measured from the middle of the gallery. All
of it is one matrix product: g is extended by −|g|²/2 and 1, p/s by 1/s and −t/s. A sum of m products of rounded
numbers, added in any order with unit roundoff u, is off by at most γ(m + 2) Σ|terms| with γ(n) = nu / (1 − nu), and
Σ|terms| ≤ |p|·|g| + |g|²/2 + |t| by Cauchy and Schwarz; |g|²/2, which may be such a sum itself, counts twice. So
x < −1 is proof that the truth wins, x > 1 that it loses, whatever BLAS does. What lies between is computed again in
float64, pair by pair, by one formula whose rounding depends on the two vectors alone. The counts are therefore those
of that formula for every pair.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ._typing import Array, BoolArray, FloatArray, IntArray
from .errors import InputError
from .gallery import Chunk

# Vectors and probes of a tile of products: small enough for the cache, large enough for BLAS. A byte counts to 255.
TILE_ROWS, TILE_COLUMNS = 2 * 255, 1024
_U64 = 2.0**-53


@dataclass(frozen=True, eq=False)
class Work:
    """A chunk of the gallery, extended and rounded for the product."""

    chunk: Chunk
    matrix: Any
    dtype: np.dtype[Any]
    longest: float
    shift: FloatArray
    distance: bool

    @classmethod
    def build(cls, chunk: Chunk, shift: FloatArray, distance: bool, dtype: str, piece: int) -> Self:
        """Extend the vectors, a few at a time; float64 is used where the range of float32 might not do."""
        dimension = len(shift)
        single = dtype == "float32" and (dimension + 8) * 2.0**-24 < 0.01
        kind = np.dtype(np.float32 if single else np.float64)
        matrix, largest = cls.extended_gallery(chunk, shift, distance, kind, max(1, piece // (8 * dimension)))
        if not np.isfinite(largest):
            raise InputError(f"{chunk.vectors.what} holds values too large to be squared: scale the vectors down")
        longest = float(np.sqrt(largest)) * (1 + (dimension + 8) * 2.0**-24)  # squares may have been added in float32
        if single and not 2.0**-40 < longest < 2.0**40:
            return cls.build(chunk, shift, distance, "float64", piece)
        return cls(chunk, matrix, kind, longest, shift, distance)

    @staticmethod
    def extended_gallery(
        chunk: Chunk, shift: FloatArray, distance: bool, kind: np.dtype[Any], step: int
    ) -> tuple[Any, float]:
        """The vectors extended, ``step`` at a time, and the largest of their squared lengths."""
        rows, dimension = int(chunk.segments[-1]), len(shift)
        matrix = np.empty((rows, dimension + 1 + distance), kind)
        largest = 0.0
        for start in range(0, rows, step):
            stop = min(start + step, rows)
            square = _centred(chunk, start, stop, shift, matrix[start:stop, :dimension])
            if square is None:
                part = chunk.exemplars(start, stop)
                part -= shift
                square = np.einsum("ij,ij->i", part, part)
                with np.errstate(over="ignore"):  # the caller finds out from the largest
                    matrix[start:stop, :dimension] = part
            largest = max(largest, float(square.max()))
            if distance:
                with np.errstate(over="ignore"):
                    matrix[start:stop, dimension] = -0.5 * square
        matrix[:, -1] = 1.0
        return matrix, largest

    def extend(self, probes: FloatArray, own: FloatArray) -> Array:
        """Probes with a true score ``own``, extended by it, as rows; their number is a multiple of eight."""
        dimension = len(self.shift)
        u = float(np.finfo(self.dtype).eps) / 2
        centred = probes - self.shift if self.distance else probes
        length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
        if not np.isfinite(length).all():
            raise InputError("probes holds values too large to be squared: scale the vectors down")
        reach = length * self.longest
        if self.distance:
            truth = 0.5 * (length**2 + own)
            terms = reach + self.longest**2 + np.abs(truth)
            wide = (length + self.longest) ** 2 + np.abs(own)
        else:
            middle = probes @ self.shift
            truth = own - middle
            terms = reach + np.abs(truth)
            wide = reach + length * np.sqrt(self.shift @ self.shift) + np.abs(own)
        error = (dimension + 8) * (1.1 * u * terms + 4 * _U64 * wide)
        error[error == 0.0] = 1.0
        rows = np.zeros((-(-len(probes) // 8) * 8, dimension + 1 + self.distance), self.dtype)
        rows[: len(probes), :dimension] = centred / error[:, None]
        if self.distance:
            rows[: len(probes), dimension] = 1.0 / error
        rows[: len(probes), -1] = -truth / error
        rows[len(probes) :, -1] = -2.0  # padding that the truth beats for certain
        return rows

    def tiles(self, most: int = TILE_ROWS) -> Iterator[tuple[slice, slice]]:
        """Vectors and classes of each tile; a class is never split."""
        starts, classes = self.chunk.segments, len(self.chunk.classes)
        first = 0
        while first < classes:
            last = int(np.searchsorted(starts, starts[first] + most, side="right")) - 1
            last = min(max(last, first + 1), classes)
            yield slice(int(starts[first]), int(starts[last])), slice(first, last)
            first = last

    def products(self, extended: Array) -> Iterator[tuple[slice, Array]]:
        """For each tile its classes and their x, classes × probes, in a buffer that the next tile overwrites."""
        starts, width = self.chunk.segments, len(extended)
        buffer = np.empty(max(TILE_ROWS, int(np.diff(starts).max())) * width, self.dtype)
        for rows, classes in self.tiles():
            product = buffer[: (rows.stop - rows.start) * width].reshape(-1, width)
            np.matmul(self.matrix[rows], extended.T, out=product)
            if not self.chunk.single:
                product = np.maximum.reduceat(product, starts[classes] - rows.start, axis=0)
            yield classes, product

    def tallies(self, extended: Array) -> Iterator[tuple[slice, IntArray, IntArray]]:
        """For each tile its classes, the certain wins of each probe, and the places of the unsure pairs."""
        tally = Tally(len(extended))
        for classes, product in self.products(extended):
            yield classes, *tally(product)


def _centred(chunk: Chunk, start: int, stop: int, shift: FloatArray, out: Array) -> Array | None:
    """Vectors that are stored in float32 as they are, less the shift, and their squares; None if that would not do.

    The shift is a float32 number, so the difference is rounded once, as it would be on its way from float64.
    """
    store = chunk.vectors.store
    if chunk.mean or chunk.vectors.unit or chunk.vectors.scale is not None or out.dtype != np.float32:
        return None
    near = shift.astype(np.float32) if isinstance(store, np.ndarray) and store.dtype == np.float32 else None
    if near is None or not np.array_equal(near, shift):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        np.subtract(store[start:stop], near, out=out)
        square: Array = np.einsum("ij,ij->i", out, out)
    return square if np.isfinite(square).all() else None


class Tally:
    """Counts the certain wins of each column of a tile, and finds the pairs that are not certain.

    Comparisons give bytes, and eight of them are looked at as one integer: where the truth wins nearly always, only
    the few integers that are not eight wins need a closer look.
    """

    _EIGHT = np.uint64(0x0101010101010101)

    def __init__(self, width: int) -> None:
        self.masks = np.empty((2, TILE_ROWS * width), bool)
        self.odd = np.empty(TILE_ROWS * width // 8, bool)

    def __call__(self, product: Array) -> tuple[IntArray, IntArray]:
        """Wins of each column, and places of the unsure pairs in the flattened tile, whose width is a multiple of 8."""
        flat, width = product.reshape(-1), product.shape[1]
        won, odd = self.masks[0, : len(flat)], self.odd[: len(flat) // 8]
        np.less(flat, -1.0, out=won)
        np.not_equal(won.view(np.uint64), self._EIGHT, out=odd)
        places = np.flatnonzero(odd)
        if len(places) * 16 > len(odd):
            return self._dense(flat, width)
        values = flat.reshape(-1, 8)[places]
        open_ = ~(values < -1.0)  # NaN is not certain either
        places = (8 * places[:, None] + np.arange(8))[open_]
        beaten = len(product) - np.bincount(places % width, minlength=width)
        return beaten, places[~(values[open_] > 1.0)]

    def _dense(self, flat: Array, width: int) -> tuple[IntArray, IntArray]:
        won, lost = self.masks[:, : len(flat)]
        np.greater(flat, 1.0, out=lost)
        np.bitwise_or(won, lost, out=lost)
        words = np.flatnonzero(lost.view(np.uint64) != self._EIGHT)
        unsure = (8 * words[:, None] + np.arange(8))[~lost.reshape(-1, 8)[words]]
        return column_counts(won.reshape(-1, width)), unsure


def column_counts(mask: BoolArray) -> IntArray:
    """Number of true values in each column of a mask whose width is a multiple of eight.

    Eight columns are added at once, as the bytes of one integer, 255 rows at a time so that no byte overflows.
    """
    total = np.zeros(mask.shape[1], np.int64)
    eights = mask.view(np.uint64)
    for start in range(0, len(mask), 255):
        total += np.add.reduce(eights[start : start + 255], axis=0).view(np.uint8)
    return total


def exact_scores(
    chunk: Chunk, index: IntArray, probes: FloatArray, row: IntArray, distance: bool, piece: int
) -> FloatArray:
    """The score of each pair (class ``index`` of the chunk, probe ``row``), whose rounding depends on the two alone."""
    scores = np.empty(len(index))
    ends = np.cumsum(np.diff(chunk.starts)[index])
    limit = max(1, piece // (8 * probes.shape[1]))
    first = 0
    while first < len(index):
        done = ends[first - 1] if first else 0
        last = max(int(np.searchsorted(ends, done + limit, side="right")), first + 1)
        part = slice(first, last)
        vectors, starts = chunk.of_classes(index[part])
        theirs = probes[np.repeat(row[part], np.diff(starts))]
        if distance:
            theirs -= vectors
            np.square(theirs, out=theirs)
        else:
            theirs *= vectors
        each = theirs.sum(axis=1)
        scores[part] = np.maximum.reduceat(-each if distance else each, starts[:-1])
        first = last
    return scores
