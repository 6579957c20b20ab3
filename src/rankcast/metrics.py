"""Metrics of the rank of the truth: ``top1``, ``recall@10``, ``mrr``, ``ndcg@10``, ``mean_rank``, any function of it.

A metric gives each rank a gain (or a loss), and has two views: its expectation given the favourability of the truth,
where the number of outranking rivals is binomial, and its exact expectation over random subsets of the measured
classes, where it is hypergeometric.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy.special import betaincc, log_ndtr, ndtr

from ._typing import Array, FloatArray, IntArray
from .errors import InputError
from .laws import binomial_gains, binomial_mean, gains_average, gains_table, hypergeometric_mean
from .names import METRICS

MetricLike: TypeAlias = "str | Metric | Callable[[IntArray], Array]"
_DEEPEST = 10_000
_MOST_CLASSES = 10**9
_SHALLOW = 64
_PROBES = np.unique(np.r_[np.arange(1, 1001), np.rint(np.geomspace(1000, 1e9, 1000))]).astype(np.int64)


@dataclass(frozen=True)
class Metric:
    """A gain or loss for each rank of the truth.

    Parameters
    ----------
    name : str
        What it is called in tables.
    gains : tuple of float, or function
        Gains of ranks 1, 2, …, and nothing beyond; or a function that maps an array of ranks to an array of gains or
        losses. A function should be smooth in the rank (over about √r/3 around rank r) beyond rank 30, where the
        forecast view sums over evenly spaced ranks only; see ``rankcast.laws.binomial_mean``.

    Examples
    --------
    >>> get_metric("top3").gains
    (1.0, 1.0, 1.0)
    >>> minutes = Metric("minutes", lambda rank: 0.5 * np.sqrt(rank))  # a person looks through the list
    >>> minutes.given_favourability(np.array([3.0, 4.0]), np.array(100_000.0)).round(2)
    array([5.83, 1.  ])
    """

    name: str
    gains: tuple[float, ...] | Callable[[IntArray], Array]

    def __post_init__(self) -> None:
        if not callable(self.gains) and not (len(self.gains) and np.all(np.isfinite(self.gains))):
            raise InputError(f"the metric {self.name!r} needs finite gains for one or more ranks")

    def gain(self, rank: IntArray) -> FloatArray:
        """Gain of each rank."""
        if not callable(self.gains):
            table = np.append(self.gains, 0.0)
            return np.asarray(table[np.minimum(rank, len(table)) - 1], float)
        values = np.asarray(self.gains(rank))
        if values.shape != rank.shape or values.dtype.kind not in "biuf" or not np.all(np.isfinite(values)):
            raise InputError(
                f"the metric {self.name!r} must map an array of ranks to as many finite numbers, e.g. np.log(rank); "
                f"for {rank.size} ranks up to {rank.max():,} it gave {values.dtype} of shape {values.shape}"
                + (" with infinite or missing ones" if values.shape == rank.shape else "")
            )
        return values.astype(float)

    @cached_property
    def trend(self) -> int:
        """How it changes with the rank, and so with the number of classes: -1 falls, 1 rises, 0 neither.

        For a function this is judged at 2,000 ranks up to 10⁹.
        """
        ranks = _PROBES if callable(self.gains) else np.arange(1, len(self.gains) + 2)
        change = np.diff(self.gain(ranks))
        return int(np.any(change > 0)) - int(np.any(change < 0))

    @property
    def higher_is_better(self) -> bool:
        """Whether it is a gain, which falls with the rank, and not a loss, which rises."""
        if self.trend == 0:
            raise InputError(
                f"the metric {self.name!r} is neither a gain nor a loss: it must fall, or rise, with the rank"
            )
        return self.trend < 0

    def tidy(self, values: FloatArray, k: Array) -> FloatArray:
        """Estimates at ascending ``k`` (the last axis) put within what the metric can be, and in its trend with k."""
        if self.trend == 0:
            return values
        low, high = self.bounds(k)
        accumulate = np.minimum.accumulate if self.trend < 0 else np.maximum.accumulate
        return np.asarray(accumulate(np.clip(values, low, high), axis=-1))

    def bounds(self, k: Array) -> tuple[FloatArray, FloatArray]:
        """Least and greatest value among ``k`` classes; infinite if the metric has no trend."""
        number = np.asarray(k, np.int64)
        if self.trend == 0:
            return np.full(number.shape, -np.inf), np.full(number.shape, np.inf)
        first, last = self.gain(np.ones_like(number)), self.gain(number)
        return np.minimum(first, last), np.maximum(first, last)

    def reach(self, k1: int) -> int:
        """The largest number of classes at which a measurement on ``k1`` of them gives it without a model."""
        return k1

    @property
    def resolution(self) -> float:
        """Step in Φ⁻¹(U*) that resolves the expectation given U* for k up to 10⁹.

        Whether the rank is within n changes over 1/(z√n) around the z where n rivals are expected above.
        """
        if callable(self.gains):
            return 0.02
        finest = 0.0 if len(set(self.gains)) == 1 else 0.01  # a cut off tail is a small step, and takes long
        return float(np.clip(0.15 / np.sqrt(len(self.gains)), finest, 0.04))

    def given_favourability(self, z: FloatArray, k: FloatArray) -> FloatArray:
        """Expected gain among ``k`` classes when Φ⁻¹(U*) is ``z`` (the two broadcast).

        The number of rivals that outrank the truth is Binomial(k−1, 1−U*); 1−U* and log U* are taken from z
        directly, so nothing is lost when U* is next to 1 and k is 10⁹.
        """
        z, k = np.asarray(z, float), np.asarray(k, float)
        if callable(self.gains):
            return binomial_mean(self.gain, z, k)
        depth, last = len(self.gains), self.gains[-1]
        if depth <= _SHALLOW:
            return binomial_gains(np.array(self.gains), z, k)
        # the fall to zero exactly; what else there is as a function of the rank
        total = last * np.where(k <= depth, 1.0, betaincc(depth, np.maximum(k - depth, 0.5), ndtr(-z)))
        if len(set(self.gains)) > 1:
            total += binomial_mean(lambda rank: self.gain(rank) - last * (rank <= depth), z, k)
        return total

    def given_counts(self, lost: IntArray, rivals: IntArray, draws: IntArray) -> FloatArray:
        """Exact expected gain against ``draws`` random ones of ``rivals``, of which ``lost`` outrank the truth.

        One row for each (lost, rivals), draws across.
        """
        if callable(self.gains):
            return hypergeometric_mean(self.gain, lost, rivals, draws)
        return gains_table(self._reachable(draws), lost, rivals, draws)

    def average(self, lost: IntArray, rivals: IntArray, weight: FloatArray, draws: IntArray) -> FloatArray:
        """Mean of :meth:`given_counts` over (lost, rivals) with ``weight``, at each of the ``draws`` (ascending)."""
        if callable(self.gains):
            return np.concatenate([weight @ self.given_counts(lost, rivals, j[None]) for j in draws])
        return gains_average(self._reachable(draws), lost, rivals, weight, draws)

    def _reachable(self, draws: IntArray) -> FloatArray:
        assert not callable(self.gains)
        return np.array(self.gains[: int(draws.max()) + 1])


class ReciprocalRank(Metric):
    """1/rank, whose mean is the MRR. Among k classes it is (1−U^k) / (k(1−U)) given U*."""

    def given_favourability(self, z: FloatArray, k: FloatArray) -> FloatArray:
        """The closed form."""
        missed = np.maximum(ndtr(-np.asarray(z, float)), 1e-290)
        with np.errstate(under="ignore"):
            won = -np.expm1(k * np.minimum(log_ndtr(z), -missed))  # −log U* ≥ 1−U*, also where both round
        return np.asarray(won / (k * missed))

    def given_counts(self, lost: IntArray, rivals: IntArray, draws: IntArray) -> FloatArray:
        """(m+1) / ((j+1)(d+1)) times one minus the chance that j+1 of m+1 rivals miss d+1 marked ones."""
        first = gains_table(np.ones(1), lost + 1, rivals + 1, draws + 1)
        return (1 - first) * ((rivals + 1) / (lost + 1))[:, None] / (draws + 1)

    def average(self, lost: IntArray, rivals: IntArray, weight: FloatArray, draws: IntArray) -> FloatArray:
        """The same, averaged."""
        share = weight * (rivals + 1) / (lost + 1)
        missed = gains_average(np.ones(1), lost + 1, rivals + 1, share, draws + 1)
        return np.asarray((share.sum() - missed) / (draws + 1))

    @property
    def resolution(self) -> float:
        """Smooth on the scale of top-1."""
        return 0.04


class MeanRank(Metric):
    """The rank itself. Among k classes it is 1 + (k−1)(1−U*) given U*: a line in k, which two points of it settle."""

    def reach(self, k1: int) -> int:
        """Any number: the line can be continued."""
        return _MOST_CLASSES

    def given_favourability(self, z: FloatArray, k: FloatArray) -> FloatArray:
        """The closed form."""
        return np.asarray(1 + (np.asarray(k, float) - 1) * ndtr(-np.asarray(z, float)))

    def given_counts(self, lost: IntArray, rivals: IntArray, draws: IntArray) -> FloatArray:
        """1 + j d/m."""
        return 1 + np.outer(lost / rivals, draws)

    def average(self, lost: IntArray, rivals: IntArray, weight: FloatArray, draws: IntArray) -> FloatArray:
        """The same, averaged."""
        return np.asarray(weight.sum() + draws * (weight @ (lost / rivals)))

    @property
    def resolution(self) -> float:
        """Smooth on the scale of top-1."""
        return 0.04


def _reciprocal(rank: Array) -> FloatArray:
    return np.asarray(1.0 / rank)


def _discount(rank: Array) -> FloatArray:
    return np.asarray(1.0 / np.log2(1.0 + rank))


TOP1 = Metric("top1", (1.0,))
_UNLIMITED = {
    "mrr": ReciprocalRank("mrr", _reciprocal),
    "ndcg": Metric("ndcg", _discount),
    "mean_rank": MeanRank("mean_rank", lambda rank: rank),
}


def get_metric(spec: MetricLike) -> Metric:
    """The metric of that name, or of that function of the rank.

    ``topN`` and ``recall@N`` are the chance of a rank within N; ``mrr`` is the mean of 1/rank and ``ndcg`` of
    1/log₂(1+rank), with nothing beyond rank N in ``mrr@N`` and ``ndcg@N``; ``mean_rank`` grows with the
    number of classes. A function takes an array of ranks and returns an array; its own name is shown.

    Examples
    --------
    >>> get_metric("mrr@3").gains
    (1.0, 0.5, 0.3333333333333333)
    >>> get_metric(np.log).name
    'log'
    """
    if isinstance(spec, Metric):
        return spec
    if callable(spec):
        name = getattr(spec, "__name__", type(spec).__name__)
        return Metric("function of the rank" if name == "<lambda>" else name, spec)
    if spec in _UNLIMITED:
        return _UNLIMITED[spec]
    found = re.fullmatch(r"(top|recall@|mrr@|ndcg@)([1-9]\d*)", str(spec))
    if not found:
        raise InputError(f"unknown metric {spec!r}: use {METRICS}, with N ≥ 1")
    depth = int(found[2])
    if depth > _DEEPEST:
        raise InputError(f"metric {spec!r} looks deeper than 10,000 ranks: use a smaller N")
    ranks = np.arange(1, depth + 1)
    by_rank = {"mrr@": _reciprocal, "ndcg@": _discount}.get(found[1], np.ones_like)
    return Metric(str(spec), tuple(np.asarray(by_rank(ranks), float).tolist()))


def show(value: float) -> str:
    """How a value of a metric reads: four decimals, fewer once it is large.

    Examples
    --------
    >>> show(0.91234), show(12.3456), show(51234.5)
    ('0.9123', '12.346', '51,234.5')
    """
    size = abs(value)
    return f"{value:.4f}" if size < 10 else f"{value:.3f}" if size < 1000 else f"{value:,.1f}"
