"""The law of the number of rivals that outrank the truth.

Given the favourability it is Binomial(k-1, 1-U*). Among random subsets of the measured rivals it is hypergeometric:
``lost`` of ``rivals`` are marked, and ``draws`` of them are drawn. Two ways to average over it: step by step, which is
fastest for the first few ranks at all numbers of draws, and by summing over the likely numbers, for any function.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import gammaln, log_ndtr, ndtr, xlog1py, xlogy

from ._typing import Array, FloatArray, IntArray

RankFunction = Callable[[IntArray], FloatArray]
_NEGLIGIBLE = 1e-25
_TINY = 1e-290
_LEAST_LOG = -1e5
_REACH = 9.0  # standard deviations kept on each side, and then some for the Poisson tail
_CHUNK = 2**15  # numbers at once: what the cache of a processor holds
_FEW = gammaln(np.arange(65.0) + 1) - xlogy(np.arange(65.0), np.arange(65.0)) + np.arange(65.0)
_BINOMIAL_POINTS, _EXACT_POINTS = 128, 1024


def binomial_mean(function: RankFunction, z: FloatArray, k: FloatArray) -> FloatArray:
    """E[function(1 + S)] for S ~ Binomial(k-1, 1-Φ(z)); ``z`` and ``k`` broadcast.

    All numbers S within nine standard deviations of the mean are summed while there are at most 128 of them (a
    mean of about 33); beyond that, 128 of them, evenly spaced, by the trapezoid rule. This is good to 1e-12 for
    functions that are smooth over a third of a standard deviation, i.e. over r^(1/2)/3 around rank r. At a
    jump beyond rank 30 or so it errs by up to a tenth of the jump at a single z, which averages out over z.

    Examples
    --------
    >>> mean_rank = binomial_mean(lambda rank: rank.astype(float), np.array(6.0), np.array(1e9))
    >>> float(mean_rank.round(6))  # 1 + (k-1)(1-U)
    1.986588
    """
    shape = np.broadcast(z, k).shape
    centre, n = (np.ravel(part) for part in np.broadcast_arrays(z, np.asarray(k, float) - 1))
    p, q = np.maximum(ndtr(-centre), _TINY), np.maximum(ndtr(centre), _TINY)
    low, high = _likely(n * p, n * p * q, np.zeros_like(n), n)

    def log_mass(rows: IntArray, s: FloatArray) -> FloatArray:
        return _log_binomial(s, n[rows, None], p[rows, None], q[rows, None])

    return _mean(function, low, high, log_mass, _BINOMIAL_POINTS).reshape(shape)


def binomial_gains(gains: FloatArray, z: FloatArray, k: FloatArray) -> FloatArray:
    """E[gains[S]] for S ~ Binomial(k-1, 1-Φ(z)), nothing beyond the depth of ``gains``, term by term."""
    n = np.asarray(k, float) - 1
    win = np.maximum(log_ndtr(z), _LEAST_LOG)
    total = gains[0] * np.exp(n * win)
    if len(gains) == 1:
        return np.asarray(total)
    lose, ways = np.maximum(log_ndtr(-z), _LEAST_LOG), np.zeros_like(n)
    for s in range(1, len(gains)):
        with np.errstate(divide="ignore"):
            ways = ways + np.log(np.maximum(n - s + 1, 0) / s)
        total = total + gains[s] * np.exp(ways + s * lose + (n - s) * win)
    return np.asarray(total)


def hypergeometric_mean(function: RankFunction, lost: IntArray, rivals: IntArray, draws: IntArray) -> FloatArray:
    """E[function(1 + S)] when S of the ``draws`` are among the ``lost``: one row for each (lost, rivals), draws across.

    Exact to rounding while at most 1024 numbers S are within nine standard deviations, which holds for up to
    12,000 rivals; beyond, by the trapezoid rule over 1024 of them.

    Examples
    --------
    >>> hypergeometric_mean(lambda rank: 1 / rank, np.array([1]), np.array([2]), np.array([0, 1, 2]))
    array([[1.  , 0.75, 0.5 ]])
    """
    law = _Hypergeometric(*np.broadcast_arrays(lost[:, None], rivals[:, None], draws))
    return _mean(function, law.low, law.high, law.log_mass, _EXACT_POINTS).reshape(len(lost), len(draws))


def hypergeometric_law(lost: IntArray, rivals: IntArray, weight: FloatArray, draws: int) -> FloatArray:
    """Probability of each S from 0 to ``draws``, averaged with ``weight`` over (lost, rivals)."""
    law = _Hypergeometric(*np.broadcast_arrays(lost, rivals, draws))
    total = np.zeros(draws + 1)
    for rows, s, mass in _masses(law.low, law.high, law.log_mass, draws + 1):
        total += np.bincount(s.ravel(), (weight[rows, None] * mass).ravel(), minlength=draws + 1)
    return total


class _Hypergeometric:
    """The law as Binom(s; lost, f) Binom(draws-s; rivals-lost, f), f = draws/rivals, which no factorial overflows."""

    def __init__(self, lost: Array, rivals: Array, draws: Array) -> None:
        self.d, self.m, self.j = (np.ravel(part).astype(float) for part in (lost, rivals, draws))
        mean = self.j * self.d / self.m
        variance = mean * (1 - self.d / self.m) * (self.m - self.j) / np.maximum(self.m - 1, 1)
        self.low, self.high = _likely(
            mean, variance, np.maximum(self.j - self.m + self.d, 0), np.minimum(self.j, self.d)
        )

    def log_mass(self, rows: IntArray, s: FloatArray) -> FloatArray:
        d, m, j = self.d[rows, None], self.m[rows, None], self.j[rows, None]
        p, q = np.maximum(j / m, _TINY), np.maximum((m - j) / m, _TINY)
        return _log_binomial(s, d, p, q) + _log_binomial(j - s, m - d, p, q)


def _likely(mean: FloatArray, variance: FloatArray, least: FloatArray, most: FloatArray) -> tuple[IntArray, IntArray]:
    reach = _REACH * np.sqrt(variance)
    low = np.clip(np.floor(mean - reach) - 20, least, most)
    high = np.clip(np.ceil(mean + reach) + 20, least, most)
    return low.astype(np.int64), high.astype(np.int64)


def _log_binomial(s: FloatArray, n: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    """log Binom(s; n, p) up to a constant, by its deviance: factorials of 10⁹ would cancel all digits (Loader 2000)."""
    expected, rest = np.maximum(n * p, _TINY), np.maximum(n * q, _TINY)
    excess = s - n * p
    deviance = expected * _convex(excess / expected) + rest * _convex(-excess / rest)
    return -deviance - _stirling(s) - _stirling(n - s)


def _convex(t: FloatArray) -> FloatArray:
    """(1+t) log(1+t) - t for t ≥ -1."""
    t = np.maximum(t, -1.0)
    return np.asarray(xlog1py(1 + t, t) - t)


def _stirling(n: FloatArray) -> FloatArray:
    """log n! - (n log n - n)."""
    inverse = 1 / np.maximum(n, 64.0)
    square = inverse * inverse
    series = inverse * (1 - square * (1 / 30 - square / 105)) / 12 - 0.5 * np.log(inverse / (2 * np.pi))
    return np.where(n < 64, _FEW[np.minimum(n, 64).astype(np.int64)], series)


def _masses(
    low: IntArray, high: IntArray, log_mass: Callable[[IntArray, FloatArray], FloatArray], points: int
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Rows in chunks, with at most ``points`` evenly spaced numbers from low to high and their probabilities."""
    step = -(-(high - low + 1) // points)
    count = -(-(high - low + 1) // step)
    size = np.ceil(np.log2(count)).astype(np.int64)
    for power in np.unique(size):
        mine = np.nonzero(size == power)[0]
        width = int(count[mine].max())
        for rows in np.array_split(mine, -(-len(mine) * width // _CHUNK)):
            s = low[rows, None] + step[rows, None] * np.arange(width)
            inside = s <= high[rows, None]
            s = np.minimum(s, high[rows, None])
            log_p = np.where(inside, log_mass(rows, s.astype(float)), -np.inf)
            mass = np.exp(log_p - log_p.max(axis=1, keepdims=True))
            yield rows, s, mass / mass.sum(axis=1, keepdims=True)


def _mean(
    function: RankFunction,
    low: IntArray,
    high: IntArray,
    log_mass: Callable[[IntArray, FloatArray], FloatArray],
    points: int,
) -> FloatArray:
    values = np.empty(len(low))
    for rows, s, mass in _masses(low, high, log_mass, points):
        values[rows] = (mass * function(1 + s.ravel()).reshape(s.shape)).sum(axis=1)
    return values


def first_ranks(
    lost: IntArray, rivals: IntArray, stops: IntArray, depth: int
) -> Iterator[tuple[int, tuple[Array, FloatArray]]]:
    """Law of the number of outranking rivals (below ``depth``) after each number of draws in ``stops``.

    The probabilities are built up one draw at a time,

        P_{j+1}(s) = P_j(s) (m-j-d+s)/(m-j) + P_j(s-1) (d-s+1)/(m-j),

    a sum of positive terms, so nothing overflows or cancels. Yields the position in ``stops`` (ascending) with the
    indices still in play and their ``depth × n`` law; what is below 1e-25 is dropped.
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


def gains_table(gains: FloatArray, lost: IntArray, rivals: IntArray, draws: IntArray) -> FloatArray:
    """E[gains[S]], nothing beyond their depth: one row for each (lost, rivals), draws across."""
    stops, where = np.unique(draws, return_inverse=True)
    table = np.zeros((len(lost), len(stops)))
    for column, (order, law) in first_ranks(lost, rivals, stops, len(gains)):
        table[order, column] = gains @ law
    return table[:, where]


def gains_average(
    gains: FloatArray, lost: IntArray, rivals: IntArray, weight: FloatArray, draws: IntArray
) -> FloatArray:
    """Σ weight E[gains[S]] at each of the ``draws`` (ascending).

    The law is symmetric in lost and draws; few draws are reached by stepping over the draws, many by stepping
    over the lost, so all draws up to 100,000 take a few thousand vector operations.
    """
    groups = np.unique(rivals)
    if len(groups) > 8:
        return _by_draws(gains, lost, rivals, weight, draws)
    values = np.zeros(len(draws))
    for m in groups.tolist():
        mine = rivals == m
        values += _one_gallery(gains, lost[mine], m, weight[mine], draws)
    return values


def _one_gallery(gains: FloatArray, lost: IntArray, m: int, weight: FloatArray, j: IntArray) -> FloatArray:
    values = np.zeros(len(j))
    split = int(np.sqrt(60.0 * m)) + 2 * len(gains)
    small = j <= split
    if small.any():
        values[small] = _by_draws(gains, lost, np.full(len(lost), m), weight, j[small])
    if not small.all():
        large = np.nonzero(~small)[0]
        mass = np.bincount(lost, weight, minlength=m + 1)
        steps = np.nonzero(mass)[0]
        for d, (order, law) in first_ranks(j[large], np.full(len(large), m), steps, len(gains)):
            values[large[order]] += mass[steps[d]] * (gains @ law)
    return values


def _by_draws(gains: FloatArray, lost: IntArray, rivals: IntArray, weight: FloatArray, j: IntArray) -> FloatArray:
    values = np.zeros(len(j))
    for column, (order, law) in first_ranks(lost, rivals, j, len(gains)):
        values[column] = (gains @ law) @ weight[order]
    return values
