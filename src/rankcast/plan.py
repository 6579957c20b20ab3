"""plan(): how many classes and test examples must be measured for an interval this narrow."""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ._typing import Array, FloatArray, IntArray, Seed
from .curve import class_counts
from .errors import InputError, RankcastWarning
from .evidence import Evidence
from .forecast import forecast
from .intervals import bootstrap_weights, resample
from .methods import DEFAULT, Method, get_method
from .metrics import Metric, MetricLike, get_metric, show
from .progress import track
from .results import Result
from .seeds import generator
from .selection import class_subsets

PARTS = (0.7, 0.5, 0.35, 0.25)
EXAMPLES = (1, 2, 5, 10, 20)
_FEWEST = 16
_TYPICAL_RATE, _RATE_SD = 0.7, 0.15  # how fast intervals narrow with the classes, in simulated Gaussian classes
_NO_WIDTH = 1e-9  # of an interval, up to rounding
_WIDTH_SD = 0.15  # log width of an interval from one draw of classes to the next, at the least


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """Numbers of classes and examples that would give an interval of the width asked for.

    Attributes
    ----------
    examples, classes : ndarray of int
        Test examples per class, and how many classes it takes with as many.
    factor : float
        The number of classes is right to about this factor.
    k, width, level : int, float, float
        The interval asked for: at which number of classes, how wide, and its coverage.
    measured_classes, measured_examples, measured_width : int, float, float
        What was measured (examples per class as a harmonic mean), and how wide its interval is.
    rate : float
        The width falls with the number of classes to this power.
    within : float
        Share of the squared width that comes from the choice of test examples within classes; nan if each class has
        one, so that it cannot be told.
    """

    examples: IntArray
    classes: IntArray
    factor: float
    k: int
    width: float
    level: float
    measured_classes: int
    measured_examples: float
    measured_width: float
    rate: float
    within: float
    method: str
    metric: str

    def __repr__(self) -> str:
        head = f"Plan for a {self.level:.0%} interval {self.width:g} wide, of {self.metric} at {self.k:,} classes"
        each = f"{self.measured_examples:.3g} test example{'' if self.measured_examples == 1 else 's'} each"
        lines = [
            f"{head} (by {self.method})",
            f"  now: {self.measured_classes:,} classes with {each} give one {show(self.measured_width)} wide",
            f"  {'examples per class':>18}   {'classes':>11}   {'examples in all':>15}",
        ]
        for examples, classes in zip(self.examples.tolist(), self.classes.tolist(), strict=True):
            lines.append(f"  {examples:>18,}   {classes:>11,}   {examples * classes:>15,}")
        return "\n".join([*lines, *(f"  note: {text}" for text in self.notes)])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know before relying on it."""
        found = [f"the numbers of classes are right to about a factor of {self.factor:.1f}"]
        if np.isnan(self.within):
            found.append("each class has one test example, so what more of them would bring cannot be told")
        if self.classes.min() > self.k:
            found.append(f"this takes more than the {self.k:,} classes of the forecast itself: ask for less")
        return tuple(found)

    def columns(self) -> dict[str, Array]:
        """One row for each number of examples per class."""
        return {"examples": self.examples, "classes": self.classes, "total": self.examples * self.classes}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "metric": self.metric,
            "method": self.method,
            "k": self.k,
            "width": self.width,
            "level": self.level,
            "plan": {name: column.tolist() for name, column in self.columns().items()},
            "factor": self.factor,
            "measured": {
                "classes": self.measured_classes,
                "examples": self.measured_examples,
                "width": self.measured_width,
            },
            "rate": self.rate,
            "within": None if np.isnan(self.within) else self.within,
            "notes": list(self.notes),
        }


def plan(
    evidence: Evidence,
    k: int,
    width: float = 0.02,
    metric: MetricLike = "top1",
    method: str | Method = DEFAULT,
    level: float = 0.9,
    rng: Seed = None,
    *,
    repetitions: int = 4,
    replicates: int = 200,
) -> Plan:
    """How many classes must be measured, with how many test examples each, to forecast ``k`` classes this precisely.

    The width of the interval is taken to be

        w(C, r)² = w₀² (1 - ω + ω r₀/r) (C/C₀)^(-2b)

    for C classes with r examples each, w₀ being that of the evidence. The rate b, usually between 0.5 and 1 because
    more classes also shorten the way to k, and w₀ come from forecasts of all, and of random parts, of the classes.
    The share ω of the choice of examples comes from resampling the examples within their classes.

    Parameters
    ----------
    evidence : Evidence
        A pilot: what was measured so far, on 32 classes or more.
    k : int
        Number of classes to forecast.
    width : float
        How wide the interval may be, from end to end.
    metric, method, level, rng
        As in :func:`rankcast.forecast`.
    repetitions : int
        Random parts of each size.
    replicates : int
        Replicates behind each interval.

    Examples
    --------
    >>> from rankcast.datasets import gaussian
    >>> found = plan(gaussian.simulate(100, 0.2, rng=0), k=1000, width=0.1, method="gaussian", rng=0)
    >>> bool(200 < found.classes[0] < 800)
    True
    """
    number, gain, fitter = class_counts(k), get_metric(metric), get_method(method, evidence)
    if number.size != 1:
        raise InputError(f"plan() is for one number of classes k, found {number.size}")
    if not 0 < width < np.inf:
        raise InputError(f"width must be positive, e.g. 0.02, found {width}")
    if evidence.k1 < 2 * _FEWEST:
        raise InputError(f"{evidence.k1} classes are too few to plan from: measure a pilot of {2 * _FEWEST} or more")
    at, stream = number.reshape(1), generator(rng)
    sizes = [round(evidence.k1 * part) for part in PARTS]
    jobs = [evidence.k1, *(size for size in sizes if size >= _FEWEST for _ in range(repetitions))]
    widths = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankcastWarning)  # parts are small on purpose
        for size in track(jobs, len(jobs), "plan"):
            part = evidence if size == evidence.k1 else next(class_subsets(evidence, size, 1, stream))
            made = forecast(part, at, gain, fitter, level, stream, replicates=replicates)
            widths.append(float(made.high[0] - made.low[0]))
    if widths[0] <= _NO_WIDTH:
        raise InputError("the interval has no width: the examples of the evidence all fared alike, use a harder pilot")
    rate, rate_sd, smooth = _rate(np.array(jobs), np.array(widths))
    per_class = np.unique(evidence.label, return_counts=True)[1]
    typical = float(1 / np.mean(1 / per_class))
    within = _within(evidence, fitter, at, gain, 2 * replicates, stream)
    examples = np.unique(np.r_[EXAMPLES, round(typical)]) if not np.isnan(within) else np.array([round(typical)])
    ratio = smooth * np.sqrt(1 - np.nan_to_num(within) * (1 - typical / examples)) / width
    needed = np.minimum(evidence.k1 * ratio ** (1 / rate), 1e15)
    doubt = float(np.hypot(np.abs(np.log(ratio)).max() * rate_sd / rate, _WIDTH_SD) / rate)
    return Plan(
        examples=examples,
        classes=_round_up(np.maximum(needed, 2)),
        factor=float(np.exp(doubt)),
        k=int(number),
        width=float(width),
        level=float(level),
        measured_classes=evidence.k1,
        measured_examples=typical,
        measured_width=widths[0],
        rate=rate,
        within=within,
        method=fitter.name,
        metric=gain.name,
    )


def _rate(classes: IntArray, widths: FloatArray) -> tuple[float, float, float]:
    """By which power the width falls with the classes, its standard error, and the width at all classes.

    A line through the logarithms, with a prior on its slope; a single interval may be wide or narrow by chance.
    """
    seen = widths > _NO_WIDTH  # all examples of a part may have fared alike
    x, y = np.log(classes[seen] / classes[0]), np.log(widths[seen] / widths[0])
    share = np.array([1 / np.count_nonzero(x == value) for value in x])  # parts of one size are not independent
    centre, height = np.average(x, weights=share), np.average(y, weights=share)
    known = float(share @ (x - centre) ** 2)
    slope = -float(share @ ((x - centre) * y)) / known if known > 0 else 0.0
    off = np.abs(y - height + slope * (x - centre))
    known /= max(_WIDTH_SD, 1.5 * float(np.median(off))) ** 2
    precision = known + _RATE_SD**-2
    rate = float(np.clip((known * slope + _TYPICAL_RATE / _RATE_SD**2) / precision, 0.5, 1.2))
    return rate, float(precision**-0.5), float(widths[0] * np.exp(height + rate * centre))


def _within(
    evidence: Evidence, method: Method, k: IntArray, metric: Metric, replicates: int, rng: np.random.Generator
) -> float:
    """Share of the variance of the forecast that comes from the choice of examples within classes."""
    _, code, per_class = np.unique(evidence.label, return_inverse=True, return_counts=True)
    if np.mean(per_class > 1) < 0.5:
        return np.nan

    def within_classes(
        rows: int, rng: np.random.Generator
    ) -> FloatArray:  # Dirichlet weights: like resampling, but no example is ever lost
        chance = rng.exponential(size=(rows, len(evidence)))
        total = np.stack([np.bincount(code, row) for row in chance])
        return np.asarray(evidence.weight * chance / (total / per_class)[:, code])

    spreads = []
    for draw in (within_classes, partial(bootstrap_weights, evidence)):
        values = resample(evidence, method, k, metric, replicates, draw, rng)
        spreads.append(float(np.ptp(np.quantile(values, [0.05, 0.95]))) ** 2)
    # Dirichlet weights on r examples have variance (r-1)/(r²(r+1)) each, where choosing examples anew has 1/r in all
    correction = np.sum(1 / per_class) / np.sum((per_class - 1) / (per_class * (per_class + 1)))
    return float(np.clip(correction * spreads[0] / spreads[1], 0, 1)) if spreads[1] > 0 else np.nan


def _round_up(numbers: FloatArray) -> IntArray:
    """To two digits, never down."""
    unit = 10.0 ** np.maximum(np.floor(np.log10(numbers)) - 1, 0)
    return np.asarray(np.ceil(numbers / unit - 1e-9) * unit, np.int64)
