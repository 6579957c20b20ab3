"""Rivals' scores of all test examples, put on one scale and pooled into one tail.

One example has k₁−1 rivals, too few to see 1−U* below 1/k₁. If the laws of the rivals' scores differ between
examples in location and scale only, then all of them, standardised, are one sample of n(k₁−1) scores, and
1−U* of an example is the share of this sample that lies above its own standardised truth.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import ndtri_exp

from rankcast._typing import BoolArray, FloatArray, IntArray
from rankcast.errors import MethodError
from rankcast.evidence import Evidence
from rankcast.ranking import Scores, blocks, rivals_and_truth

from .base import ExampleMethod

_BLOCK_BYTES = 2**21  # stays in the cache
_KEPT = 100_000  # highest pooled scores that are kept exactly
_EDGE, _STEP = 40.0, 2.0**-11  # reach and width of the bins for the others
_FAR = 30  # the exponential beyond the pooled scores is fitted to this many
_FEWEST = 4  # with fewer rivals an example has no scale of its own
_FARTHEST = 1e9  # truths beyond this many scales are put here, so that U* stays below one


@dataclass(frozen=True)
class Pooled(ExampleMethod):
    """Read each U* off one tail, pooled from the rivals of all examples.

    With a threshold (the default), only the m highest rivals of each example are pooled. Let t_i be the
    (m+1)-th highest, and s_i the mean excess of the m over it, shrunk towards what a regression over all
    examples predicts. With Ḡ the pooled tail of the excesses (score − t_i)/s_i, a truth above t_i has

        1 − U_i = m/(k₁−1) · Ḡ((truth − t_i)/s_i),

    and a truth below it the share of rivals that outrank it. Without a threshold all rivals are pooled,
    standardised by their mean and standard deviation. Beyond the 30 highest pooled scores the tail goes on as
    an exponential with their mean excess, so that no U* is one and accuracy goes on falling.

    Parameters
    ----------
    threshold : "auto", int, float or None
        Number (int) or share (float below one) of each example's rivals above its threshold; ``"auto"`` is
        twice the fifth root of the number of rivals (7 of 499), a compromise over simulations of many kinds.
        None pools all rivals.

    Notes
    -----
    The scores are read twice, in blocks; besides the blocks, memory holds a few numbers for each example, a
    histogram of the pooled scores and the highest 100,000 of them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth, scores = 2.5, rng.standard_normal((300, 300))
    >>> np.fill_diagonal(scores, truth)
    >>> z = Pooled().example_z(Evidence.from_scores(scores, np.arange(300)), rng)
    >>> bool(abs(z.mean() - truth) < 0.1)
    True
    """

    name: ClassVar[str] = "pooled"
    needs: ClassVar[Literal["ranks", "scores"]] = "scores"
    reference: ClassVar[str] = "rankcast; peaks over a threshold: Pickands (1975), Davison & Smith (1990)"
    cost: ClassVar[str] = "two readings of the scores"
    fails: ClassVar[str] = "when some classes have look-alikes and others do not, so that tails differ in shape"

    threshold: int | float | Literal["auto"] | None = "auto"

    def __post_init__(self) -> None:
        given = self.threshold
        if given is None or given == "auto":
            return
        number = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
        if not number or not (0 < given < 1 or (given >= 3 and given == int(given))):
            raise MethodError(
                f"threshold must be 'auto', None, a share between 0 and 1, or a whole number of rivals "
                f"from 3, not {given!r}"
            )

    def example_z(self, evidence: Evidence, rng: np.random.Generator) -> FloatArray:
        """Estimate Φ⁻¹(U*) of each example."""
        if evidence.scores is None:
            raise MethodError(
                "'pooled' reads scores, and this evidence holds ranks only: use a method that needs ranks, "
                "or make the evidence from scores or embeddings"
            )
        outranked = evidence.rivals - evidence.beaten - evidence.tied / 2
        log_q = np.log((outranked + 0.5) / (evidence.rivals + 1))
        rivals = evidence.scores.shape[1] - 1
        if rivals >= _FEWEST:
            rows = _summaries(evidence.scores, evidence.label, self._exceeding(rivals))
            tail = _pool(evidence.scores, evidence.label, rows)
            read = rows.readable
            if tail.total and read.any():
                log_q[read] = np.log(rows.share[read]) + tail.log_share(rows.place[read])
        return np.asarray(-ndtri_exp(np.minimum(log_q, -1e-12)))

    def _exceeding(self, rivals: int) -> int | None:
        """How many rivals are above the threshold; None to pool all."""
        if self.threshold is None:
            return None
        if self.threshold == "auto":
            wanted = 2 * float(rivals**0.2)
        else:
            wanted = self.threshold * rivals if self.threshold < 1 else self.threshold
        return min(max(round(wanted), 3), rivals - 1)


class _Rows(NamedTuple):
    """How each example's scores are put on the common scale: (score / unit − location) / scale."""

    unit: FloatArray
    location: FloatArray
    scale: FloatArray
    flat: BoolArray  # all rivals score alike: there is no scale
    place: FloatArray  # the truth on the common scale
    share: FloatArray  # share of the example's rivals that are pooled
    floor: float  # only scores above it are pooled

    @property
    def readable(self) -> BoolArray:
        """Whether the truth lies where the pooled tail can be read."""
        return np.asarray(~self.flat & (self.place > self.floor))


def _rival_scores(scores: Scores, label: IntArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Blocks of examples: their rows, the scores of their rivals and of their truths."""
    for rows in blocks(scores.shape, _BLOCK_BYTES):
        yield rows, *rivals_and_truth(scores.block(rows), label[rows])


def _summaries(scores: Scores, label: IntArray, exceeding: int | None) -> _Rows:
    """First reading: where each example's rivals lie, and how widely."""
    n, rivals = len(label), scores.shape[1] - 1
    unit, mean, sd, truth, flat = np.ones(n), np.zeros(n), np.ones(n), np.zeros(n), np.zeros(n, bool)
    top = np.zeros((4, n))
    for rows, wrong, own in _rival_scores(scores, label):
        low, high = wrong.min(axis=1), wrong.max(axis=1)
        size = np.maximum(np.abs(low), np.abs(high))
        unit[rows] = np.where(size > 0, size, 1.0)  # first of all: squares of 1e300 would overflow
        wrong /= unit[rows, None]
        with np.errstate(over="ignore"):
            truth[rows] = np.clip(own / unit[rows], -_FARTHEST, _FARTHEST)
        flat[rows] = low == high
        mean[rows], sd[rows] = wrong.mean(axis=1), np.where(flat[rows], 1.0, wrong.std(axis=1))
        if exceeding is not None:
            top[:, rows] = _top(wrong, exceeding)
    if exceeding is None:
        place = _bounded((truth - mean) / sd)
        return _Rows(unit, mean, sd, flat, place, np.ones(n), -np.inf)
    cut, above, excess, square = top
    scale = sd * shrunk_scales((cut - mean) / sd, above, excess / sd, square / sd**2)
    place = _bounded((truth - cut) / scale)
    return _Rows(unit, cut, scale, flat, place, np.maximum(above, 0.5) / rivals, 0.0)


def _top(wrong: FloatArray, exceeding: int) -> FloatArray:
    """Threshold of each row, number of scores above it, sums of their excesses and of the squares."""
    place = wrong.shape[1] - exceeding - 1
    wrong.partition(place, axis=1)
    cut = wrong[:, place]
    over = wrong[:, place + 1 :] - cut[:, None]
    return np.stack([cut, np.count_nonzero(over, axis=1), over.sum(axis=1), (over**2).sum(axis=1)])


def shrunk_scales(cut: FloatArray, above: FloatArray, excess: FloatArray, square: FloatArray) -> FloatArray:
    """Mean excess of each row, shrunk on the log scale towards its regression on the threshold.

    A mean of m excesses of coefficient of variation c has a log with variance c²/m; what the residuals vary
    beyond that is real. Rows without excesses (ties at the threshold) get what the regression says.
    """
    some = above >= 2
    if not some.any():
        return np.ones(len(cut))
    count, at = above[some], cut[some]
    mean = excess[some] / count
    log_mean = np.log(mean)
    # (m+1)/(m-1) undoes the bias of the squared coefficient of variation of m exponential excesses
    variation = float(np.mean((square[some] / count / mean**2 - 1.0) * (count + 1.0) / (count - 1.0)))
    noise = max(variation, 0.0) / count
    spread = float(at.var())
    slope = float(np.mean((at - at.mean()) * log_mean)) / spread if len(at) >= _FEWEST and spread > 0 else 0.0
    common = log_mean.mean() + slope * (np.clip(cut, at.min(), at.max()) - at.mean())
    residual = log_mean - common[some]
    real = max(float(np.mean(residual**2 - noise)), 0.0)
    common[some] += residual * (real / (real + noise) if real > 0 else 0.0)
    return np.asarray(np.exp(common))


def _bounded(place: FloatArray) -> FloatArray:
    return np.clip(place, -_FARTHEST, _FARTHEST)


def _pool(scores: Scores, label: IntArray, rows: _Rows) -> "PooledTail":
    """Second reading: all rivals on the common scale."""
    tail = PooledTail()
    for part, wrong, _ in _rival_scores(scores, label):
        keep = np.nonzero(~rows.flat[part])[0]
        value = wrong[keep] / rows.unit[part][keep, None]
        value -= rows.location[part][keep, None]
        value /= rows.scale[part][keep, None]
        tail.add(value[value > rows.floor])
    return tail


class PooledTail:
    """The tail of a sample too large to keep: a histogram, and the highest values themselves.

    Examples
    --------
    >>> tail = PooledTail()
    >>> tail.add(np.arange(1000.0))
    >>> float(np.exp(tail.log_share(np.array([899.5]))[0]).round(6))
    0.1
    """

    def __init__(self) -> None:
        self.total = 0
        self._count = np.zeros(round(2 * _EDGE / _STEP), np.int64)
        self._kept = [np.empty(0)]  # among them are the highest values, in no order
        self._least = -np.inf  # of the highest values so far

    def add(self, values: FloatArray) -> None:
        """Add values to the sample."""
        self.total += len(values)
        place = np.clip((values + _EDGE) / _STEP, 0, len(self._count) - 1).astype(np.int64)
        self._count += np.bincount(place, minlength=len(self._count))
        self._kept.append(values[values > self._least])
        if sum(len(each) for each in self._kept) > 4 * _KEPT:
            self._kept = [self._highest()]
            self._least = float(self._kept[0].min())

    def _highest(self) -> FloatArray:
        """The highest values, in no order."""
        kept = np.concatenate(self._kept)
        if len(kept) > _KEPT:
            kept.partition(len(kept) - _KEPT)
        return kept[-_KEPT:]

    def log_share(self, at: FloatArray) -> FloatArray:
        """Log of the share of the sample above each point, half of what is level with it included."""
        high = np.sort(self._highest())
        above = len(high) - sum(np.searchsorted(high, at, side) for side in ("left", "right")) / 2
        if self.total > len(high):
            above = np.where(at >= high[0], above, self._binned(at, high))
        share = np.log(np.maximum(above, 0.5) / self.total)
        far = min(_FAR, max(self.total // 4, 1), len(high) - 1)
        if far < 1:
            return np.asarray(share)
        start = high[-far - 1]
        excess = float(np.mean(high[-far:] - start))
        if excess <= 0:
            return np.asarray(share)
        beyond = np.log(far / self.total) - np.maximum(at - start, 0.0) / excess
        return np.asarray(np.where(at > start, beyond, share))

    def _binned(self, at: FloatArray, high: FloatArray) -> FloatArray:
        """Linear between the edges of the bins; the last bins end where the exact values begin."""
        edge = np.arange(len(self._count)) * _STEP - _EDGE
        above = np.cumsum(self._count[::-1])[::-1]
        known = edge < high[0]
        points = np.append(edge[known], high[0])
        return np.asarray(np.interp(at, points, np.append(above[known], len(high))))
