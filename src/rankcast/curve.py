"""The exact accuracy at every number of classes up to those measured.

For an example that ``d`` of its ``m`` rivals outrank, the number of them among ``j`` rivals drawn at random is
hypergeometric. Its probabilities are built up one draw at a time,

    P_{j+1}(s) = P_j(s) (m-j-d+s)/(m-j) + P_j(s-1) (d-s+1)/(m-j),

a sum of positive terms, so nothing overflows or cancels. The law is symmetric in ``d`` and ``j``; small ``j``
are reached by stepping over ``j``, large ``j`` by stepping over ``d``, and what is below 1e-25 is dropped, so
all k up to 100,000 take a few thousand vector operations.
"""

from collections.abc import Iterator

import numpy as np

from ._typing import Array, Counts, FloatArray, IntArray
from .errors import InputError
from .evidence import Evidence
from .metrics import Metric, get_metric

_NEGLIGIBLE = 1e-25


def curve(evidence: Evidence, k: Counts, metric: str | Metric = "top1", *, ties: str = "random") -> FloatArray:
    """Exact average accuracy over all subsets of ``k`` of the measured classes (ATA_k in the paper).

    It is unbiased for the accuracy on ``k`` classes drawn from the same population. For top-1,
    ATA_k = Σ_i w_i C(beaten_i, k-1) / C(rivals_i, k-1), with the exact expectation of random tie-breaking.

    Parameters
    ----------
    evidence : Evidence
        What was measured.
    k : int or array of int
        Numbers of classes, from 1 to the number measured.
    metric : str
        ``top1``, ``topN`` or ``recall@N``.
    ties : {"random", "for", "against"}
        How rivals level with the truth count.

    Returns
    -------
    ndarray
        One value for each ``k``, in its shape.

    Examples
    --------
    >>> ev = Evidence.from_ranks([1, 1, 2, 4], candidates=4)
    >>> curve(ev, [1, 2, 3, 4])
    array([1.        , 0.66666667, 0.58333333, 0.5       ])
    """
    ks = class_counts(k, limit=evidence.k1)
    gains = np.array(get_metric(metric).gains)
    lost, rivals, weight = evidence.histogram(ties)
    flat, where = np.unique(ks, return_inverse=True)
    groups = np.unique(rivals)
    if len(groups) > 8:
        values = _by_draws(lost, rivals, weight, flat - 1, gains)
    else:
        values = np.zeros(len(flat))
        for m in groups:
            mine = rivals == m
            values += _one_gallery(lost[mine], int(m), weight[mine], flat - 1, gains)
    return np.clip(values, 0.0, gains.max())[where].reshape(ks.shape)


def class_counts(k: Counts, limit: int | None = None) -> IntArray:
    """Check numbers of classes given by a user: whole, at least 1, at most ``limit`` (or 10⁹)."""
    try:
        given = np.asarray(k)
        given = given.astype(float) if given.dtype.kind == "O" else given  # whole numbers beyond 64 bits
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.dtype.kind not in "iuf" or given.size == 0:
        raise InputError(f"k must be one or more whole numbers of classes, not {k!r}")
    if not np.all(np.isfinite(given)) or np.any(given != np.floor(given)):
        raise InputError(f"k must be whole numbers of classes, found {given.ravel()[:5].tolist()}")
    if given.min() < 1:
        raise InputError(f"k must be at least 1, found {int(given.min())}")
    if limit is not None and given.max() > limit:
        raise InputError(
            f"the exact curve ends at the {limit} classes measured, asked for k = {int(given.max())}: "
            "use forecast() beyond them"
        )
    if given.max() > 1_000_000_000:
        raise InputError(f"k = {given.max():.3g} is beyond 10⁹, the largest number of classes supported")
    return given.astype(np.int64)


def measured_values(evidence: Evidence, weights: FloatArray, k: IntArray, metric: Metric) -> FloatArray:
    """The exact curve under each row of ``weights`` in place of the evidence's own: rows × ``k``."""
    merged, where = evidence.compress()
    shares = np.stack([np.bincount(where, row, minlength=len(merged)) for row in weights])
    return np.clip(shares @ example_values(merged, k, metric), 0.0, max(metric.gains))


def example_values(evidence: Evidence, k: IntArray, metric: Metric) -> FloatArray:
    """Expected gain of each example at each ``k``: the matrix whose weighted column means are the curve."""
    best = evidence.rivals - evidence.beaten - evidence.tied
    values = np.empty((len(best), len(k)))
    loose = evidence.tied > 0
    values[~loose] = _table(best[~loose], evidence.rivals[~loose], k - 1, metric)
    for m in np.unique(evidence.rivals[loose]):
        mine = np.nonzero(loose & (evidence.rivals == m))[0]
        top = best[mine] + evidence.tied[mine]
        low = int(best[mine].min())
        places = np.arange(low, int(top.max()) + 1)
        running = np.zeros((len(places) + 1, len(k)))
        np.cumsum(_table(places, np.full(len(places), m), k - 1, metric), axis=0, out=running[1:])
        total = running[top - low + 1] - running[best[mine] - low]
        values[mine] = total / (evidence.tied[mine] + 1)[:, None]
    return values


def _table(lost: IntArray, rivals: IntArray, j: IntArray, metric: Metric) -> FloatArray:
    gains = np.array(metric.gains)
    draws, where = np.unique(j, return_inverse=True)
    table = np.zeros((len(lost), len(draws)))
    for column, (order, law) in _laws(lost, rivals, draws, len(gains)):
        table[order, column] = gains @ law
    return table[:, where]


def _one_gallery(lost: IntArray, m: int, weight: FloatArray, j: IntArray, gains: FloatArray) -> FloatArray:
    """Σ_d weight_d E[gain | d, j] for all ``j``, with one number of rivals ``m``."""
    values = np.zeros(len(j))
    split = int(np.sqrt(60.0 * m)) + 2 * len(gains)
    small = j <= split
    if small.any():
        values[small] = _by_draws(lost, np.full(len(lost), m), weight, j[small], gains)
    if not small.all():
        large = np.nonzero(~small)[0]
        mass = np.bincount(lost, weight, minlength=m + 1)
        steps = np.nonzero(mass)[0]
        for d, (order, law) in _laws(j[large], np.full(len(large), m), steps, len(gains)):
            values[large[order]] += mass[steps[d]] * (gains @ law)
    return values


def _by_draws(lost: IntArray, rivals: IntArray, weight: FloatArray, j: IntArray, gains: FloatArray) -> FloatArray:
    values = np.zeros(len(j))
    for column, (order, law) in _laws(lost, rivals, j, len(gains)):
        values[column] = (gains @ law) @ weight[order]
    return values


def _laws(
    lost: IntArray, rivals: IntArray, stops: IntArray, depth: int
) -> Iterator[tuple[int, tuple[Array, FloatArray]]]:
    """Law of the number of outranking rivals (below ``depth``) after each number of draws in ``stops``.

    Yields the position in ``stops`` (ascending) with the indices still in play and their ``depth × n`` law.
    """
    order = np.argsort(lost / np.maximum(rivals, 1), kind="stable")
    d, m = lost[order].astype(float), rivals[order].astype(float)
    law = np.zeros((depth, len(d)))
    law[0] = 1.0
    ranks = np.arange(depth)[:, None]
    done = 0
    for column, stop in enumerate(stops.tolist()):
        for j in range(done, stop):
            left = m - j
            if depth == 1:
                law *= left - d
                law /= left
            else:
                gone = law * (d - ranks)
                law *= left - d + ranks
                law[1:] += gone[:-1]
                law /= left
            if j % 32 == 31:
                live = np.nonzero(law.sum(axis=0) > _NEGLIGIBLE)[0]
                size = int(live[-1]) + 1 if len(live) else 0
                if size < len(d):
                    d, m, law, order = d[:size], m[:size], law[:, :size].copy(), order[:size]
            if len(d) == 0:
                return
        done = stop
        yield column, (order, law)
