"""From scores to counts of rivals beaten and tied, in blocks that fit in memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


def rivals_and_truth(scores: FloatArray, label: IntArray) -> tuple[FloatArray, FloatArray]:
    """Scores of the rivals, and of the truth.

    The order of rivals does not matter, so the last class takes the place of the truth: cheaper than a mask.
    """
    truth = np.take_along_axis(scores, label[:, None], axis=1)[:, 0]
    rivals = scores[:, :-1].copy()
    other = np.nonzero(label < rivals.shape[1])[0]
    rivals[other, label[other]] = scores[other, -1]
    return rivals, truth


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
