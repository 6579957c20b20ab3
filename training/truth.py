"""The truth about a population, by direct simulation: how many of very many fresh rivals beat each example.

Rivals stream by in stages of growing size, and are forgotten. Accuracy among k classes is read off the first
stage that has at least 8k rivals (or the last). An example that more than 80 rivals outranked by the end of a
stage sits out the later ones: for the k that are read there, exp(−80/8) bounds its chance to be right.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from .geometry import UNSHARED
from .populations import Classes, Population, Probes
from .sampling import Array, Ints, Reals, Rng

AMPLE = 8  # rivals for each class of the accuracies read off a stage
HOPELESS = 80
PARTS = 16  # of the rivals of a stage, for the jackknife
_RIVALS, _ROWS, _COLUMNS = 4096, 512, 512  # rivals drawn at a time; block of scores that stays in cache


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of rivals that outranked each example, or tied with it, after each stage.

    Attributes
    ----------
    rivals : ndarray, stages
        Rivals met by the end of each stage.
    lost, tied : ndarray, stages × parts × examples
        Rivals that scored above the truth, and level with it, so far, in each sixteenth of the rivals.
    sat_out : ndarray of bool, stages × examples
        Examples that did not take part in a stage.
    """

    rivals: Ints
    lost: Array
    tied: Array
    sat_out: Array

    def take(self, rows: Array) -> "Tally":
        """Only some examples."""
        return Tally(self.rivals, self.lost[..., rows], self.tied[..., rows], self.sat_out[:, rows])

    def stage(self, k: int) -> int:
        """The stage that the accuracy among ``k`` classes is read off."""
        enough = np.nonzero(self.rivals >= AMPLE * k)[0]
        return int(enough[0]) if len(enough) else len(self.rivals) - 1

    def values(self, k: Ints) -> Reals:
        """Chance of each example to be right among ``k`` classes: examples × k, unbiased, NaN beyond reach."""
        found = np.full((self.lost.shape[2], len(k)), np.nan)
        stages = np.array([self.stage(int(each)) for each in k])
        for s in np.unique(stages):
            mine = np.nonzero((stages == s) & (k <= self.rivals[s] + 1))[0]
            if len(mine) == 0:
                continue
            lost, tied = self.lost[s].sum(axis=0), self.tied[s].sum(axis=0)
            part = chance(lost[:, None], tied[:, None], int(self.rivals[s]), k[mine])
            part[self.sat_out[s]] = 0.0
            found[:, mine] = part
        return found

    def accuracy(self, k: Ints, weight: Reals | None = None) -> tuple[Reals, Reals]:
        """Average over examples at each ``k``, and its standard error over examples and rivals."""
        values = self.values(k)
        n = len(values)
        share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
        mean = share @ values
        between = (share**2) @ (values - mean) ** 2
        return mean, np.sqrt(between + self._rival_variance(k, share))

    def _rival_variance(self, k: Ints, share: Reals) -> Reals:
        """Variance because all examples meet the same rivals, by leaving out each part of them in turn.

        The variance of the mean, less what it would be if every example met rivals of its own: that is in the
        spread between examples already.
        """
        found = np.zeros(len(k))
        for i, each in enumerate(k):
            s = self.stage(int(each))
            if each > self.rivals[s] + 1:
                continue
            lost = self.lost[s] + 0.5 * self.tied[s]
            rate = (lost.sum(axis=0) - lost) / (self.rivals[s] * (1 - 1 / PARTS))
            left = np.exp((each - 1.0) * np.log1p(-np.minimum(rate, 1 - 1e-9)))
            left[:, self.sat_out[s]] = 0.0
            scale = (PARTS - 1) ** 2 / PARTS
            alone = (share**2) @ left.var(axis=0, ddof=1)
            found[i] = max(0.0, scale * (np.var(left @ share, ddof=1) - alone))
        return found


def chance(lost: Array, tied: Array, rivals: int, k: Ints) -> Reals:
    """Share of the sets of k−1 of the rivals among which the truth wins, ties broken at random.

    With b = rivals − lost − tied, each of the t + 1 places among the tied is as likely, and

        Σ_{i=0..t} C(b+i, k-1) / ((t+1) C(rivals, k-1)) = (C(b+t+1, k) − C(b, k)) / ((t+1) C(rivals, k-1)).

    Examples
    --------
    >>> chance(np.array([0, 0, 1]), np.array([0, 1, 0]), 3, np.array([2]))
    array([1.        , 0.83333333, 0.66666667])
    """
    below = rivals - lost - tied
    total = _log_choose(rivals, k - 1)
    untied = np.exp(_log_choose(below, k - 1) - total)
    if not np.any(tied):
        return untied
    level = np.exp(_log_choose(below + tied + 1, k) - total) - np.exp(_log_choose(below, k) - total)
    return np.where(tied > 0, level / (tied + 1), untied)


def _log_choose(n: Array | int, k: Ints) -> Reals:
    """The logarithm of C(n, k), −inf where k > n."""
    few = np.minimum(k, n)
    ways = gammaln(np.asarray(n) + 1.0) - gammaln(few + 1.0) - gammaln(n - few + 1.0)
    return np.where(k > n, -np.inf, ways)


def stages(k1: int, total: int) -> Ints:
    """Numbers of rivals at the ends of the stages, each four times the one before."""
    ends = [min(total, max(AMPLE * k1, 2000))]
    while ends[-1] < total:
        ends.append(ends[-1] * 4 if ends[-1] * 8 <= total else total)
    return np.array(ends)


def meet(population: Population, probes: Probes, ends: Ints, rng: Rng) -> Tally:
    """Let examples meet fresh rivals, stage after stage."""
    n = len(probes)
    lost = np.zeros((len(ends), PARTS, n), np.int64)
    tied = np.zeros_like(lost)
    sat_out = np.zeros((len(ends), n), bool)
    alive = np.arange(n)
    seen = 0
    for s, end in enumerate(ends):
        if s:
            lost[s], tied[s] = lost[s - 1], tied[s - 1]
            alive = np.nonzero(lost[s].sum(axis=0) <= HOPELESS)[0]
            sat_out[s] = True
            sat_out[s, alive] = False
        part = probes.take(alive)
        mark = _Marks(population, part)
        edges = np.linspace(seen, end, PARTS + 1).astype(int)
        for p, size in enumerate(np.diff(edges)):
            for start in range(0, int(size), _RIVALS):
                rivals = population.classes(min(_RIVALS, int(size) - start), rng)
                above, level = mark.count(rivals)
                lost[s, p, alive] += above
                tied[s, p, alive] += level
        seen = int(end)
    return Tally(np.asarray(ends), lost, tied, sat_out)


class _Marks:
    """The scores that rivals have to beat, in blocks of examples."""

    def __init__(self, population: Population, probes: Probes) -> None:
        self.population = population
        self.size = len(probes)
        rows = [np.arange(i, min(i + _ROWS, self.size)) for i in range(0, self.size, _ROWS)]
        self.blocks = [(each, probes.take(each)) for each in rows]
        self.step = population.report.step
        self.may_tie = population.ties or self.step > 0
        self.scratch = np.empty(_ROWS * _COLUMNS, probes.query.dtype)

    def count(self, rivals: Classes) -> tuple[Ints, Ints]:
        """Rivals above and level with the truth of each example."""
        above, level = np.zeros(self.size, np.int64), np.zeros(self.size, np.int64)
        for start in range(0, len(rivals), _COLUMNS):
            entries = rivals.entries[:, start : start + _COLUMNS]
            key = None if rivals.key is None else rivals.key[start : start + _COLUMNS]
            for rows, probes in self.blocks:
                win, tie = self._compare(probes, entries, key)
                above[rows] += np.count_nonzero(win, axis=1)
                if tie is not None:
                    level[rows] += np.count_nonzero(tie, axis=1)
        return above, level

    def _compare(self, probes: Probes, entries: Array, key: Ints | None) -> tuple[Array, Array | None]:
        """Which of some rivals score above, and level with, the truth of some examples."""
        shape = len(probes), entries.shape[1]
        core = self.scratch[: shape[0] * shape[1]].reshape(shape)
        core = self.population.core(probes, entries, out=core)
        own = probes.own[:, None].astype(core.dtype)
        if self.step:
            core, own = self._rounded(core, probes), self._rounded(own.copy(), probes)
        win = core > own
        tie = core == own if self.may_tie else None
        if key is not None and probes.key is not None:
            same = (probes.key[:, None] == key) & (key != UNSHARED)
            win &= ~same
            tie = same if tie is None else tie | same
        return win, tie

    def _rounded(self, core: Array, probes: Probes) -> Array:
        return np.asarray(np.rint(self.population.finish(core, probes) / self.step))
