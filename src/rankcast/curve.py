"""The exact metric at every number of classes up to those measured."""

import numpy as np

from ._typing import Counts, FloatArray, IntArray
from .errors import InputError
from .evidence import Evidence
from .metrics import Metric, MetricLike, get_metric


def curve(evidence: Evidence, k: Counts, metric: MetricLike = "top1", *, ties: str = "random") -> FloatArray:
    """Exact average of a metric over all subsets of ``k`` of the measured classes (ATA_k in the paper).

    It is unbiased for the accuracy on ``k`` classes drawn from the same population. For top-1,
    ATA_k = Σ_i w_i C(beaten_i, k-1) / C(rivals_i, k-1), with the exact expectation of random tie-breaking.

    Parameters
    ----------
    evidence : Evidence
        What was measured.
    k : int or array of int
        Numbers of classes, from 1 to the number measured (``mean_rank`` is exact beyond it too).
    metric : str, Metric or function of the rank
        ``top1``, ``topN``, ``recall@N``, ``mrr``, ``mrr@N``, ``ndcg``, ``ndcg@N``, ``mean_rank``; or a function of an
        array of ranks, see :class:`rankcast.Metric`.
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
    gain = get_metric(metric)
    ks = class_counts(k, limit=gain.reach(evidence.k1))
    lost, rivals, weight = evidence.histogram(ties)
    flat, where = np.unique(ks, return_inverse=True)
    values = np.clip(gain.average(lost, rivals, weight, flat - 1), *gain.bounds(flat))
    return values[where].reshape(ks.shape)


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
    return np.clip(shares @ example_values(merged, k, metric), *metric.bounds(k))


def example_values(evidence: Evidence, k: IntArray, metric: Metric) -> FloatArray:
    """Expected gain of each example at each ``k``: the matrix whose weighted column means are the curve."""
    best = evidence.rivals - evidence.beaten - evidence.tied
    values = np.empty((len(best), len(k)))
    loose = evidence.tied > 0
    values[~loose] = metric.given_counts(best[~loose], evidence.rivals[~loose], k - 1)
    for m in np.unique(evidence.rivals[loose]):
        mine = np.nonzero(loose & (evidence.rivals == m))[0]
        top = best[mine] + evidence.tied[mine]
        low = int(best[mine].min())
        places = np.arange(low, int(top.max()) + 1)
        running = np.zeros((len(places) + 1, len(k)))
        np.cumsum(metric.given_counts(places, np.full(len(places), m), k - 1), axis=0, out=running[1:])
        total = running[top - low + 1] - running[best[mine] - low]
        values[mine] = total / (evidence.tied[mine] + 1)[:, None]
    return values
