"""compare(): which of two systems is better on many more classes than they were measured on, and where they cross."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ._typing import Array, Counts, FloatArray, IntArray, Seed
from .curve import class_counts
from .errors import InputError
from .evidence import Evidence
from .forecast import forecast
from .intervals import bootstrap_weights, resample
from .methods import DEFAULT, Method, get_method
from .metrics import MetricLike, get_metric, show
from .results import Result
from .seeds import generator

_STEPS = 40


@dataclass(frozen=True)
class Crossing:
    """Where the better system changes for the last time, up to the largest k asked for.

    Attributes
    ----------
    classes : float
        Number of classes; nan if the forecasts do not cross.
    low, high : float
        Interval over the resamples that cross; nan if fewer than 20 do.
    share : float
        Share of the resamples that cross.
    limit : int
        How far it was looked for.
    """

    classes: float
    low: float
    high: float
    share: float
    limit: int


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Two systems on the same numbers of classes.

    Attributes
    ----------
    k, a, b : ndarray
        Numbers of classes, and the forecasts of the two systems.
    low, high : ndarray
        Interval of b - a.
    better : ndarray
        Probability that B is better: the share of resamples in which it is.
    crossing : Crossing
        Where the curves cross.
    paired : bool
        Whether the same classes were resampled together.
    warnings : tuple of str
        What the user should know before trusting it.
    """

    k: IntArray
    a: FloatArray
    b: FloatArray
    low: FloatArray
    high: FloatArray
    better: FloatArray
    crossing: Crossing
    level: float
    paired: bool
    classes: int
    method: str
    metric: str
    higher_is_better: bool
    warnings: tuple[str, ...]

    @property
    def difference(self) -> FloatArray:
        """B - A."""
        return self.b - self.a

    def __repr__(self) -> str:
        how = f"paired on {self.classes:,} classes" if self.paired else "not paired"
        wide = max(len(f"{int(self.k.max()):,}"), 7)
        loss = "" if self.higher_is_better else " (less is better)"
        interval = f"{self.level:.0%} interval"
        lines = [
            f"A and B compared on {self.metric}{loss} by {self.method}, {how}",
            f"  {'classes':>{wide}}  {'A':>9}  {'B':>9}  {'B - A':>9}   {interval:<20}  B is better",
        ]
        table = zip(*(column.tolist() for column in self.columns().values()), strict=True)
        for k, a, b, difference, low, high, better in table:
            cells = "  ".join(f"{show(value):>9}" for value in (a, b, difference))
            lines.append(f"  {k:>{wide},}  {cells}   {f'{show(low)} to {show(high)}':<20}  {better:>11.0%}")
        return "\n".join([*lines, f"  {self._where()}", *(f"  note: {text}" for text in self.warnings)])

    def _where(self) -> str:
        at, among = self.crossing, f"{self.crossing.share:.0%} of resamples"
        if np.isnan(at.classes):
            return f"The curves do not cross up to {at.limit:,} classes (they do in {among})."
        ahead = "B" if (self.difference[np.argmax(self.k)] > 0) == self.higher_is_better else "A"
        interval = "" if np.isnan(at.low) else f"{self.level:.0%} interval {at.low:,.0f} to {at.high:,.0f}; "
        found = f"The curves cross at {at.classes:,.0f} classes ({interval}they cross in {among})"
        return f"{found}; {ahead} is better beyond."

    def columns(self) -> dict[str, Array]:
        """One row for each number of classes."""
        return {
            "k": self.k,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "better": self.better,
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        at = self.crossing
        return {
            "metric": self.metric,
            "method": self.method,
            "higher_is_better": self.higher_is_better,
            "level": self.level,
            "paired": self.paired,
            "classes": self.classes,
            "comparison": {name: column.tolist() for name, column in self.columns().items()},
            "crossing": {
                "classes": _plain(at.classes),
                "low": _plain(at.low),
                "high": _plain(at.high),
                "share": at.share,
                "limit": at.limit,
            },
            "warnings": list(self.warnings),
        }


def compare(
    a: Evidence,
    b: Evidence,
    k: Counts,
    metric: MetricLike = "top1",
    method: str | Method = DEFAULT,
    level: float = 0.9,
    rng: Seed = None,
    *,
    paired: bool = True,
    replicates: int = 200,
) -> Comparison:
    """Forecast two systems and tell which is better, with the doubt about the difference.

    Both are resampled with the same classes, so what the classes contribute to both cancels in the difference: the
    interval is that of a paired comparison, narrower than two intervals suggest. It does not hold what
    the method may get wrong about both curves; of that, too, only what differs between them counts.

    Parameters
    ----------
    a, b : Evidence
        Two systems measured on the same classes (their test examples may differ), or the same test examples in the same
        order if there are no labels.
    k : int or array of int
        Numbers of classes.
    metric, method, level, rng
        As in :func:`rankcast.forecast`.
    paired : bool
        False compares systems that were measured on different classes.
    replicates : int
        Resamples of the classes.

    Examples
    --------
    >>> a = Evidence.from_ranks([1, 1, 2, 1, 5, 1, 1, 3, 1, 1] * 4, candidates=50)
    >>> b = Evidence.from_ranks([1, 1, 3, 1, 9, 1, 2, 3, 1, 1] * 4, candidates=50)
    >>> found = compare(a, b, k=50, rng=0)
    >>> found.difference.round(2), bool(found.better[0] < 0.05)
    (array([-0.1]), True)
    """
    ks, gain = np.atleast_1d(class_counts(k)).ravel(), get_metric(metric)
    fitters = (get_method(method, a), get_method(method, b))
    sign = 1.0 if gain.higher_is_better else -1.0
    codes = _pair(a, b) if paired else (a.label, b.label)
    weight_seed, other_seed, fit_seed = generator(rng).integers(2**63, size=3).tolist()
    limit = max(int(ks.max()), 2)
    ladder = np.unique(np.r_[ks, np.rint(np.geomspace(2, limit, _STEPS)).astype(np.int64)])
    made = [
        forecast(evidence, ladder, gain, fitter, level, fit_seed, replicates=20)
        for evidence, fitter in zip((a, b), fitters, strict=True)
    ]
    seeds = (weight_seed, weight_seed if paired else other_seed)
    sides = []
    for evidence, code, fitter, seed in zip((a, b), codes, fitters, seeds, strict=True):
        weights = partial(bootstrap_weights, replace(evidence, label=code))
        drawn = resample(evidence, fitter, ladder, gain, replicates, weights, np.random.default_rng(seed))
        sides.append(gain.tidy(drawn, ladder))
    change, draws = made[1].estimate - made[0].estimate, sides[1] - sides[0]
    at = np.searchsorted(ladder, ks)
    low, high = np.quantile(draws[:, at], [(1 - level) / 2, (1 + level) / 2], axis=0)
    wins, level_with = sign * draws[:, at] > 0, draws[:, at] == 0
    return Comparison(
        k=ks,
        a=made[0].estimate[at],
        b=made[1].estimate[at],
        low=np.minimum(low, change[at]),
        high=np.maximum(high, change[at]),
        better=np.asarray(np.mean(wins + 0.5 * level_with, axis=0)),
        crossing=_crossing(ladder, change, draws, level),
        level=float(level),
        paired=paired,
        classes=len(np.unique(a.label)),
        method=made[0].method,
        metric=gain.name,
        higher_is_better=gain.higher_is_better,
        warnings=tuple(dict.fromkeys(made[0].warnings + made[1].warnings)),
    )


def _pair(a: Evidence, b: Evidence) -> tuple[IntArray, IntArray]:
    """Labels of both in the order of the names of the classes that have test examples."""
    other = "pass paired=False (--unpaired) to compare them as they are"
    if a.classes is None and b.classes is None:
        if len(a) != len(b):
            raise InputError(
                f"A and B cannot be paired: neither has labels, and A has {len(a):,} examples, B {len(b):,}; "
                f"give labels, or {other}"
            )
        return a.label, b.label
    if a.classes is None or b.classes is None:
        bare = "A" if a.classes is None else "B"
        raise InputError(f"A and B cannot be paired: {bare} has no class labels; give them, or {other}")
    names_a, code_a = np.unique(a.classes[a.label], return_inverse=True)
    names_b, code_b = np.unique(b.classes[b.label], return_inverse=True)
    if (names_a.dtype.kind in "US") != (names_b.dtype.kind in "US"):
        raise InputError(f"A and B cannot be paired: classes are names in one and numbers in the other; {other}")
    if not np.array_equal(names_a, names_b):
        common = len(np.intersect1d(names_a, names_b))
        raise InputError(
            f"A and B cannot be paired: A has test examples of {len(names_a):,} classes, B of {len(names_b):,}, and "
            f"{common:,} are the same; test both on the same classes, or {other}"
        )
    return code_a, code_b


def _crossing(k: IntArray, change: FloatArray, draws: FloatArray, level: float) -> Crossing:
    found = np.array([_last_change(k, row) for row in draws])
    found = found[~np.isnan(found)]
    low, high = (np.nan, np.nan)
    if len(found) >= 20:
        low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Crossing(_last_change(k, change), float(low), float(high), len(found) / len(draws), int(k[-1]))


def _last_change(k: IntArray, change: FloatArray) -> float:
    """Where the sign changes for the last time, linear in log k between the points; nan if it never does."""
    known = np.abs(change) > 1e-12
    k, change = k[known], change[known]
    turns = np.nonzero(np.diff(np.sign(change)))[0]
    if len(turns) == 0:
        return float("nan")
    at = int(turns[-1])
    share = change[at] / (change[at] - change[at + 1])
    return float(k[at] * (k[at + 1] / k[at]) ** share)


def _plain(number: float) -> float | None:
    return None if np.isnan(number) else round(number, 1)
