"""capacity(): how many classes until a metric falls below what is asked of it."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._typing import Array, FloatArray, IntArray, Seed
from .errors import FarExtrapolationWarning, InputError
from .evidence import Evidence
from .forecast import forecast
from .methods import DEFAULT, Method
from .metrics import MetricLike, get_metric, show
from .results import Result

MOST = 10**9
_STEPS = 120


@dataclass(frozen=True, eq=False, repr=False)
class Capacity(Result):
    """The largest number of classes at which a metric is still as good as asked.

    Attributes
    ----------
    accuracy : float
        What is asked of the metric.
    classes, low, high : float
        The number of classes, and the ends of its interval: whole numbers, or inf for more than 10⁹.
    level : float
        Nominal coverage of the interval.
    k1, measured : int, float
        Number of classes measured, and the metric on them.
    """

    accuracy: float
    classes: float
    low: float
    high: float
    level: float
    k1: int
    measured: float
    method: str
    metric: str
    higher_is_better: bool

    def __repr__(self) -> str:
        sign = "≥" if self.higher_is_better else "≤"
        head = f"Capacity for {self.metric} {sign} {self.accuracy:g}, by {self.method}, from {self.k1:,} classes"
        interval = f"{_words(self.low)} to {_words(self.high)}" if np.isfinite(self.low) else _words(self.low)
        lines = [
            f"{head} measured at {show(self.measured)}",
            f"  {_words(self.classes)} classes   {self.level:.0%} interval: {interval}",
        ]
        return "\n".join([*lines, *(f"  note: {text}" for text in self.notes)])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know before relying on it."""
        found = []
        if self.classes <= self.k1:
            found.append("within the classes measured: nothing was extrapolated")
        elif self.k1 < 20:
            found.append(f"only {self.k1} classes were measured, too few to extrapolate: measure 20 or more")
        elif self.classes > 1000 * self.k1:
            found.append(f"over 1,000 times the {self.k1:,} classes measured, beyond what has been tested")
        if not np.isfinite(self.high):
            found.append(f"the interval has no upper end: it may never get worse, up to {MOST:,} classes")
        if self.low <= 1:
            found.append("the interval has no lower end: even two classes may be too many")
        return tuple(found)

    def columns(self) -> dict[str, Array]:
        """A single row."""
        keys = ("accuracy", "classes", "low", "high")
        return {key: np.array([getattr(self, key)]) for key in keys}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values; None for more than 10⁹ classes."""
        numbers = {key: _plain(getattr(self, key)) for key in ("classes", "low", "high")}
        return {
            "metric": self.metric,
            "method": self.method,
            "accuracy": self.accuracy,
            **numbers,
            "level": self.level,
            "measured": {"k": self.k1, self.metric: self.measured},
            "notes": list(self.notes),
        }


def capacity(
    evidence: Evidence,
    accuracy: float = 0.95,
    metric: MetricLike = "top1",
    method: str | Method = DEFAULT,
    level: float = 0.9,
    rng: Seed = None,
    *,
    replicates: int = 200,
) -> Capacity:
    """The largest number of classes at which the metric is at least ``accuracy`` (for a loss, at most).

    The forecast and the ends of its interval are followed to where each passes ``accuracy``. As every draw falls with
    k, this is also the interval of the capacities of the draws.

    Parameters
    ----------
    evidence : Evidence
        What was measured.
    accuracy : float
        What is asked of the metric.
    metric, method, level, rng, replicates
        As in :func:`rankcast.forecast`.

    Examples
    --------
    >>> evidence = Evidence.from_ranks([1, 1, 1, 2, 1, 9, 1, 30, 1, 1] * 10, candidates=100)
    >>> found = capacity(evidence, accuracy=0.8, rng=0)
    >>> found.classes, found.low <= found.classes <= found.high
    (19, True)
    """
    gain = get_metric(metric)
    least, most = (float(end) for end in gain.bounds(np.array(MOST)))
    inside = least < accuracy <= most if gain.higher_is_better else least <= accuracy < most
    if not inside:
        raise InputError(f"accuracy is a value of {gain.name}, between {least:g} and {most:g}, found {accuracy}")
    beyond = np.geomspace(evidence.k1, MOST, _STEPS)
    ladder = np.unique(np.r_[1, 2, _within(evidence.k1), np.rint(beyond).astype(np.int64)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FarExtrapolationWarning)  # the ladder goes to the end; the answer may not
        made = forecast(evidence, ladder, gain, method, level, rng, replicates=replicates)
    curves = (made.estimate, made.low, made.high) if gain.higher_is_better else (-made.estimate, -made.high, -made.low)
    asked = accuracy if gain.higher_is_better else -accuracy
    classes, low, high = (last_above(ladder, values, asked) for values in curves)
    return Capacity(
        accuracy=float(accuracy),
        classes=classes,
        low=low,
        high=high,
        level=made.level,
        k1=evidence.k1,
        measured=made.measured,
        method=made.method,
        metric=made.metric,
        higher_is_better=gain.higher_is_better,
    )


def _within(k1: int) -> IntArray:
    """Every number up to 200, and steps of a few per cent up to k₁."""
    few = min(k1, 200)
    return np.concatenate([np.arange(2, few + 1), np.rint(np.geomspace(few, k1, 200)).astype(np.int64)])


def last_above(k: IntArray, values: FloatArray, asked: float) -> float:
    """Where a falling curve passes ``asked``, linear in log k between the points; inf if it never does."""
    below = np.nonzero(values < asked - 1e-12 * max(1.0, abs(asked)))[0]  # level up to rounding is not below
    if len(below) == 0:
        return np.inf
    at = int(below[0])
    if at == 0:
        return 1
    share = (values[at - 1] - asked) / (values[at - 1] - values[at])
    found = np.exp(np.log(k[at - 1]) + share * np.log(k[at] / k[at - 1]))
    return int(np.clip(found, k[at - 1], k[at] - 1))


def _words(number: float) -> str:
    return f"{number:,}" if np.isfinite(number) else f"more than {MOST:,}"


def _plain(number: float) -> int | None:
    return int(number) if np.isfinite(number) else None
