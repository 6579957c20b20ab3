"""Upper tails of rows of scores, pooled among rows that are alike.

What one row of k₁ scores cannot show, the far end of its upper tail, is seen in many rows together. But rows differ: an
example in the midst of all classes has other rivals than one at their edge. The mean of its scores and their spread
tell which of the two it is, and depend little on the few highest scores. Rows are dealt into cells by these two
numbers, and pooled within cells; beyond the highest scores of a cell, its tail goes on as that of all rows does.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri_exp

from .._typing import FloatArray, IntArray
from ..methods.pooled import shrunk_scales

LARGEST_SAMPLE = 2048  # rows whose upper scores are pooled
HIGHEST_KEPT = 512  # of their scores
EXCEEDING = 0.05  # share of a row's scores above its threshold
_ROWS_IN_CELL, _DEEPEST = 50, 4  # about so many rows in a cell, and at most 2⁴ cells
_FAR = 30  # highest scores of a cell beyond which its tail is that of all rows


def kept(rivals: int) -> int:
    """How many of the highest scores of a row are wanted."""
    return min(rivals, max(40, int(np.ceil(0.1 * rivals))), HIGHEST_KEPT)


@dataclass(frozen=True, eq=False)
class Rows:
    """What pooling needs to know of rows of scores, in standard units of their rivals.

    Attributes
    ----------
    rivals : int
        Number of rivals in a row.
    centre : ndarray, 2 × rows
        The units: mean of the rivals of each row, and logarithm of their standard deviation.
    truth, outranked : ndarray
        Score of the truth, and share of the rivals that are no lower, which is never zero.
    excesses : ndarray, 4 × rows
        A threshold that a share ``EXCEEDING`` of the rivals is above; how many are, and the sums of their excesses
        and of the squares.
    sample : ndarray
        Some of the rows.
    top : ndarray, rows of the sample × scores
        Their highest scores, from the highest down.
    """

    rivals: int
    centre: FloatArray
    truth: FloatArray
    outranked: FloatArray
    excesses: FloatArray
    sample: IntArray
    top: FloatArray

    @staticmethod
    def blank(rows: int, rivals: int) -> "Rows":
        """Room for so many rows."""
        sample = np.unique(np.linspace(0, rows - 1, min(rows, LARGEST_SAMPLE)).astype(np.int64))
        top = np.empty((len(sample), kept(rivals)))
        return Rows(rivals, np.empty((2, rows)), np.empty(rows), np.empty(rows), np.empty((4, rows)), sample, top)

    def add(
        self, rows: slice, rivals: FloatArray, truth: FloatArray, outranked: FloatArray, centre: FloatArray
    ) -> None:
        """Take note of some rows: their rivals from the highest down, and all else that there is one of in a row."""
        self.centre[:, rows], self.truth[rows], self.outranked[rows] = centre, truth, outranked
        number = exceeding(self.rivals)
        threshold = rivals[:, min(number, self.rivals - 1)].astype(float)
        over = rivals[:, :number] - threshold[:, None]
        self.excesses[:, rows] = threshold, np.count_nonzero(over, axis=1), over.sum(axis=1), (over**2).sum(axis=1)
        first, last = np.searchsorted(self.sample, [rows.start, rows.start + len(truth)])
        self.top[first:last] = rivals[self.sample[first:last] - rows.start, : self.top.shape[1]]

    def estimates(self) -> list[FloatArray]:
        """Φ⁻¹(U*) of each example by scores as they are in its cell, and by excesses over a threshold of its own."""
        cell, own = cells(self.centre), np.log(self.outranked)
        whole = pooled_share(self.top, self.rivals, self.sample, self.truth, cell)
        threshold, number = self.excesses[0], exceeding(self.rivals)
        scale = shrunk_scales(*self.excesses)
        over = np.maximum(self.top[:, :number] - threshold[self.sample, None], 0) / scale[self.sample, None]
        upper = pooled_share(over, number, self.sample, (self.truth - threshold) / scale, cell)
        upper = np.where(self.truth > threshold, upper + np.log(number / self.rivals), np.nan)
        logs = (np.where(np.isnan(each), own, each) for each in (whole, upper))
        return [np.asarray(-ndtri_exp(np.minimum(each, -1e-12))) for each in logs]


def exceeding(rivals: int) -> int:
    """How many of the rivals of a row are above its threshold."""
    return min(max(3, int(EXCEEDING * rivals)), max(1, kept(rivals) - 1))


def cells(features: FloatArray) -> IntArray:
    """Rows dealt into cells of the same size, by halving them at the middle of one feature after another."""
    n = features.shape[1]
    cell = np.zeros(n, np.int64)
    depth = int(np.clip(np.rint(np.log2(n / _ROWS_IN_CELL)), 0, _DEEPEST))
    for level in range(depth):
        feature = features[level % len(features)]
        for each in range(2**level):
            rows = np.nonzero(cell == each)[0]
            upper = np.argsort(feature[rows], kind="stable")[len(rows) // 2 :]
            cell[rows[upper]] += 2**level
    return cell


def pooled_share(values: FloatArray, number: int, sample: IntArray, at: FloatArray, cell: IntArray) -> FloatArray:
    """Logarithm of the share of all values of a cell that are above a point in it; NaN where too few were kept.

    Parameters
    ----------
    values : ndarray
        The highest values of each row of the sample, from the highest down.
    number : int
        How many values a row has.
    sample : ndarray
        The rows of the sample.
    at, cell : ndarray
        A point and a cell for each row.
    """
    found = np.full(len(at), np.nan)
    every = _Tail.of(values, number)
    for each in range(cell.max() + 1):
        rows, mine = np.nonzero(cell == each)[0], values[cell[sample] == each]
        if len(mine) == 0 or every.excess <= 0:
            continue
        tail = _Tail.of(mine, number)
        read = rows[at[rows] > tail.floor]
        found[read] = tail.log_share(at[read], every)
    return found


@dataclass(frozen=True, eq=False)
class _Tail:
    """The highest of many values, in ascending order."""

    high: FloatArray
    total: int
    floor: float  # not all of the values below were kept
    start: float  # where the last of them begin
    excess: float  # of the last, on average

    @staticmethod
    def of(values: FloatArray, number: int) -> "_Tail":
        high, total = np.sort(values, axis=None), len(values) * number
        floor = float(values[:, -1].max()) if values.shape[1] < number else -np.inf
        start, excess = _last(high, min(_FAR, max(total // 4, 1), len(high) - 1))
        return _Tail(high, total, floor, start, excess)

    def log_share(self, at: FloatArray, like: "_Tail | None" = None) -> FloatArray:
        """Logarithm of the share above each point; the end is exponential, or goes on ``like`` another."""
        level = np.searchsorted(self.high, at) + np.searchsorted(self.high, at, "right")
        share = np.log(np.maximum(len(self.high) - level / 2, 0.5) / self.total)
        last = len(self.high) - np.searchsorted(self.high, self.start, "right")
        if self.excess <= 0 or last < 1:
            return np.asarray(share)
        beyond = np.maximum(at - self.start, 0.0) / self.excess
        if like is None:
            fall = -beyond
        else:
            start, excess = _last(like.high, min(round(last / self.total * like.total), len(like.high) - 1))
            fall = like.log_share(start + excess * beyond) - like.log_share(np.array(start))
        return np.asarray(np.where(at > self.start, np.log(last / self.total) + fall, share))


def _last(high: FloatArray, number: int) -> tuple[float, float]:
    """The value that so many are above, and their mean excess over it."""
    number = max(number, 1)
    if len(high) <= number:
        return float(high[-1]), 0.0
    start = float(high[-number - 1])
    return start, float(high[-number:].mean() - start)
