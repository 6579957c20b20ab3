"""From scores or embeddings to counts of rivals beaten and tied, in blocks that fit in memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ._typing import Array, BoolArray, FloatArray, IntArray
from .errors import InputError
from .progress import track

BLOCK_BYTES = 128 * 2**20
SIMILARITIES = ("euclidean", "sqeuclidean", "cosine", "dot")


class Scores(Protocol):
    """A matrix of scores (examples × classes, higher is better) that can be read in blocks of rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of examples and classes."""

    def block(self, rows: slice) -> FloatArray:
        """Scores of some examples against all classes, as float64."""

    def outcomes(self, rows: slice, label: IntArray) -> tuple[BoolArray, BoolArray]:
        """Whether the truth of each row (``label``) beats, and ties with, each class."""

    def count(self, label: IntArray) -> tuple[IntArray, IntArray]:
        """Rivals beaten by, and tied with, the truth of each example."""

    def take(self, rows: IntArray, columns: IntArray | None) -> "Scores":
        """Only some examples and classes (all, if None)."""

    def joined(self, parts: "Sequence[Scores]") -> "Scores | None":
        """All examples of several parts with the same classes, or None if their forms differ."""


def blocks(shape: tuple[int, int], budget: int = BLOCK_BYTES) -> Iterator[slice]:
    """Slices of rows whose scores fit the budget."""
    rows, columns = shape
    step = max(1, budget // (8 * max(columns, 1)))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def _tracked(shape: tuple[int, int]) -> Iterator[slice]:
    slices = list(blocks(shape))
    return track(slices, len(slices), "ranking")


def count_within(scores: Scores, label: IntArray, masks: BoolArray) -> tuple[IntArray, IntArray]:
    """Rivals beaten and tied within each set of classes (a column of ``masks``), for every example at once.

    Each block of outcomes is made once and multiplied by all the sets.
    """
    beaten = np.empty((len(label), masks.shape[1]), np.int64)
    tied = np.empty_like(beaten)
    sets = masks.astype(np.float32)  # counts are exact below 2**24 classes
    for rows in _tracked(scores.shape):
        wins, level = scores.outcomes(rows, label[rows])
        beaten[rows] = wins.astype(np.float32) @ sets
        tied[rows] = level.astype(np.float32) @ sets if level.any() else 0
    return beaten, tied


def _count(scores: Scores, label: IntArray) -> tuple[IntArray, IntArray]:
    beaten, tied = np.empty(len(label), np.int64), np.empty(len(label), np.int64)
    for rows in _tracked(scores.shape):
        wins, level = scores.outcomes(rows, label[rows])
        beaten[rows], tied[rows] = np.count_nonzero(wins, axis=1), np.count_nonzero(level, axis=1)
    return beaten, tied


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """A matrix of scores as the user gave it."""

    matrix: Array
    higher_is_better: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of examples and classes."""
        rows, columns = self.matrix.shape
        return rows, columns

    def block(self, rows: slice) -> FloatArray:
        """Scores of some examples against all classes."""
        part = np.asarray(self.matrix[rows], dtype=np.float64)
        return part if self.higher_is_better else -part

    def outcomes(self, rows: slice, label: IntArray) -> tuple[BoolArray, BoolArray]:
        """Compare the truth with every class."""
        part = np.asarray(self.matrix[rows])
        if part.dtype.kind == "f" and not np.isfinite(part).all():
            row, column = np.argwhere(~np.isfinite(part))[0]
            raise InputError(
                f"scores must be finite, found {part[row, column]} at row {rows.start + row}, "
                f"column {column}: drop such examples or classes first"
            )
        truth = np.take_along_axis(part, label[:, None], axis=1)
        wins = truth > part if self.higher_is_better else truth < part
        level = truth == part
        np.put_along_axis(level, label[:, None], False, axis=1)
        return wins, level

    def count(self, label: IntArray) -> tuple[IntArray, IntArray]:
        """Rivals beaten by, and tied with, the truth of each example."""
        return _count(self, label)

    def take(self, rows: IntArray, columns: IntArray | None) -> "ScoreTable":
        """Only some examples and classes."""
        part = self.matrix[rows] if columns is None else self.matrix[np.ix_(rows, columns)]
        return ScoreTable(part, self.higher_is_better)

    def joined(self, parts: Sequence[Scores]) -> "ScoreTable | None":
        """All examples of several tables with the same direction."""
        tables = [part for part in parts if isinstance(part, ScoreTable)]
        if len(tables) < len(parts) or any(t.higher_is_better != self.higher_is_better for t in tables):
            return None
        return ScoreTable(np.concatenate([t.matrix for t in tables]), self.higher_is_better)


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Vectors of classes and test examples, from which scores are computed when needed.

    ``gallery`` is sorted by class; the exemplars of class c are rows ``starts[c]`` to ``starts[c + 1]``.
    """

    gallery: FloatArray
    starts: IntArray
    probes: Array
    similarity: str

    @classmethod
    def build(cls, gallery: Array, column: IntArray, probes: Array, similarity: str, exemplars: str) -> "Embeddings":
        """Check the vectors and sort the gallery by class."""
        if similarity not in SIMILARITIES:
            raise InputError(f"similarity must be one of {', '.join(SIMILARITIES)}, not {similarity!r}")
        if exemplars not in ("nearest", "mean"):
            raise InputError(f"exemplars must be 'nearest' or 'mean', not {exemplars!r}")
        for name, vectors in (("gallery", gallery), ("probes", probes)):
            if not np.isfinite(vectors).all():
                raise InputError(f"{name} holds NaN or infinite values: drop such vectors first")
        if gallery.shape[1] != probes.shape[1]:
            raise InputError(f"gallery vectors have {gallery.shape[1]} dimensions, probes have {probes.shape[1]}")
        order = np.argsort(column, kind="stable")
        vectors = gallery[order].astype(np.float64)
        starts = np.searchsorted(column[order], np.arange(int(column.max()) + 2))
        if exemplars == "mean" and len(vectors) > len(starts) - 1:
            sizes = np.diff(starts)[:, None]
            vectors = np.add.reduceat(vectors, starts[:-1], axis=0) / sizes
            starts = np.arange(len(sizes) + 1)
        if similarity == "cosine":
            vectors = _unit(vectors, "gallery")
            probes = _unit(probes.astype(np.float64), "probes")
        return cls(vectors, starts, probes, similarity)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of examples and classes."""
        return len(self.probes), len(self.starts) - 1

    @property
    def _single(self) -> bool:
        return len(self.gallery) == len(self.starts) - 1

    @property
    def _distance(self) -> bool:
        return self.similarity in ("euclidean", "sqeuclidean")

    @cached_property
    def _squares(self) -> FloatArray:
        """|g|² of each exemplar."""
        return np.asarray(np.einsum("ij,ij->i", self.gallery, self.gallery))

    def _best(self, probes: FloatArray) -> FloatArray:
        """Scores of the nearest exemplar of each class, up to a constant of each probe."""
        if self._single:
            return self._products(probes)
        best = np.empty((len(probes), self.shape[1]))
        for rows in blocks((len(probes), len(self.gallery))):
            best[rows] = np.maximum.reduceat(self._products(probes[rows]), self.starts[:-1], axis=1)
        return best

    def _products(self, probes: FloatArray) -> FloatArray:
        """p·g, less |g|²/2 for distances."""
        each = probes @ self.gallery.T
        if self._distance:
            each -= 0.5 * self._squares
        return each

    def block(self, rows: slice) -> FloatArray:
        """Scores of some examples against all classes."""
        probes = np.asarray(self.probes[rows], np.float64)
        best = self._best(probes)
        if not self._distance:
            return best
        square = np.maximum(np.einsum("ij,ij->i", probes, probes)[:, None] - 2.0 * best, 0.0)
        return np.asarray(-square if self.similarity == "sqeuclidean" else -np.sqrt(square))

    def outcomes(self, rows: slice, label: IntArray) -> tuple[BoolArray, BoolArray]:
        """Compare the truth with every class; what rounding could decide is computed again, pair by pair.

        The matrix product rounds differently in different places, so identical vectors could look unequal.
        Pairs within its error bound of the truth are recomputed by one formula whose rounding depends on
        the two vectors alone.
        """
        probes = np.asarray(self.probes[rows], np.float64)
        best = self._best(probes)
        truth = np.take_along_axis(best, label[:, None], axis=1)
        longest = np.sqrt(self._squares.max())
        length = np.sqrt(np.einsum("ij,ij->i", probes, probes))
        size = longest * (length + longest if self._distance else length)
        slack = 4 * np.finfo(np.float64).eps * (self.gallery.shape[1] + 8) * size[:, None]
        best -= truth
        wins = best < -slack
        near = np.abs(best) <= slack
        np.put_along_axis(near, label[:, None], False, axis=1)
        level = np.zeros_like(wins)
        row, column = np.nonzero(near)
        own = self._exact(probes, np.arange(len(probes)), label) if len(row) else np.empty(0)
        for start in range(0, len(row), 2**16):
            r, c = row[start : start + 2**16], column[start : start + 2**16]
            theirs = self._exact(probes, r, c)
            wins[r, c] = own[r] > theirs
            level[r, c] = own[r] == theirs
        return wins, level

    def _exact(self, probes: FloatArray, row: IntArray, column: IntArray) -> FloatArray:
        """The score of each pair (probe, class), whose rounding depends on the two alone."""
        sizes = (self.starts[1:] - self.starts[:-1])[column]
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        exemplar = np.repeat(self.starts[column] - first, sizes) + np.arange(int(sizes.sum()))
        probe, vector = probes[np.repeat(row, sizes)], self.gallery[exemplar]
        each = -((probe - vector) ** 2).sum(axis=1) if self._distance else (probe * vector).sum(axis=1)
        return np.asarray(np.maximum.reduceat(each, first), np.float64)

    def count(self, label: IntArray) -> tuple[IntArray, IntArray]:
        """Rivals beaten by, and tied with, the truth of each example."""
        return _count(self, label)

    def take(self, rows: IntArray, columns: IntArray | None) -> "Embeddings":
        """Only some examples and classes."""
        probes = self.probes[rows]
        if columns is None:
            return Embeddings(self.gallery, self.starts, probes, self.similarity)
        sizes = np.diff(self.starts)[columns]
        kept = np.concatenate([np.arange(self.starts[c], self.starts[c + 1]) for c in columns])
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return Embeddings(self.gallery[kept], starts, probes, self.similarity)

    def joined(self, parts: Sequence[Scores]) -> "Embeddings | None":
        """All examples of several parts that share one gallery."""
        same = [
            part
            for part in parts
            if isinstance(part, Embeddings)
            and part.similarity == self.similarity
            and np.array_equal(part.starts, self.starts)
            and np.array_equal(part.gallery, self.gallery)
        ]
        if len(same) < len(parts):
            return None
        probes = np.concatenate([part.probes for part in same])
        return Embeddings(self.gallery, self.starts, probes, self.similarity)


def _unit(vectors: FloatArray, what: str) -> FloatArray:
    length = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    if not length.all():
        raise InputError(f"{what} holds a zero vector, whose cosine is undefined: drop it or use 'dot'")
    return np.asarray(vectors / length, np.float64)
