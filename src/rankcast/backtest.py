"""backtest(): how good the forecast would have been on the user's own data, from fewer classes than were measured."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._typing import Array, BoolArray, FloatArray, IntArray, Seed
from .curve import curve
from .errors import InputError, RankcastWarning
from .evidence import Evidence
from .forecast import forecast
from .methods import DEFAULT, Method, get_method
from .metrics import Metric, MetricLike, get_metric, show
from .parallel import spread
from .results import Result
from .seeds import generator
from .selection import class_subsets

FRACTIONS = (1 / 2, 1 / 4, 1 / 8)
_FEWEST = 8
FEWEST_TO_TEST = 2 * _FEWEST


@dataclass(frozen=True, eq=False, repr=False)
class Backtest(Result):
    """Forecasts of what was measured, each from a random part of the classes.

    Attributes
    ----------
    classes : ndarray of int
        Number of classes that each forecast saw.
    estimate, low, high : ndarray
        Each forecast of the metric at ``k1``, and the ends of its interval.
    k1, measured : int, float
        Number of classes measured, and the metric on them.
    level : float
        Coverage that the intervals aim at.
    method, metric : str
        What made the forecasts, and of what.
    """

    classes: IntArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    k1: int
    measured: float
    level: float
    method: str
    metric: str

    @property
    def error(self) -> FloatArray:
        """Forecast less what was measured."""
        return self.estimate - self.measured

    @property
    def covered(self) -> BoolArray:
        """Whether each interval holds what was measured."""
        return (self.low <= self.measured) & (self.measured <= self.high)

    def summary(self) -> list[dict[str, float]]:
        """For each number of classes: forecasts made, their root mean square error, bias, coverage and mean width."""
        rows = []
        for size in np.unique(self.classes)[::-1].tolist():
            mine = self.classes == size
            rows.append(
                {
                    "classes": size,
                    "forecasts": int(mine.sum()),
                    "rmse": float(np.sqrt(np.mean(self.error[mine] ** 2))),
                    "bias": float(np.mean(self.error[mine])),
                    "coverage": float(np.mean(self.covered[mine])),
                    "width": float(np.mean(self.high[mine] - self.low[mine])),
                }
            )
        return rows

    def __repr__(self) -> str:
        head = (
            f"Back-test of {self.metric} by {self.method}: {self.k1:,} classes were measured at {show(self.measured)}"
        )
        cover = f"{self.level:.0%} interval covers"
        lines = [head, f"  forecast from   rms error      bias   {cover:>19}   mean width"]
        for row in self.summary():
            ratio = self.k1 / row["classes"]
            covers = f"{row['coverage'] * row['forecasts']:.0f} of {row['forecasts']}"
            lines.append(
                f"  {row['classes']:>6,} ({ratio:4.1f}×)   {show(row['rmse']):>9}  {show(row['bias']):>8}"
                f"   {covers:>19}   {show(row['width']):>10}"
            )
        return "\n".join(lines)

    def columns(self) -> dict[str, Array]:
        """One row for each forecast."""
        return {
            "classes": self.classes,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "error": self.error,
            "covered": self.covered,
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "metric": self.metric,
            "method": self.method,
            "level": self.level,
            "measured": {"k": self.k1, self.metric: self.measured},
            "summary": self.summary(),
            "forecasts": {name: values.tolist() for name, values in self.columns().items()},
        }


def backtest(
    evidence: Evidence,
    metric: MetricLike = "top1",
    method: str | Method = DEFAULT,
    level: float = 0.9,
    rng: Seed = None,
    *,
    fractions: tuple[float, ...] = FRACTIONS,
    repetitions: int = 10,
    replicates: int = 100,
) -> Backtest:
    """Forecast what was measured on all classes from random parts of them, and compare.

    The error and the coverage at a half of the classes tell about forecasts at twice the number measured, those at
    an eighth about eight times. The parts overlap, and belong to what they are compared with, so the coverage
    here is a little higher than for new classes: by the factor √(1 - fraction) in what chance contributes.

    Parameters
    ----------
    evidence : Evidence
        What was measured. With scores, all examples are ranked anew within each part; with ranks alone, rivals are
        thinned at random.
    metric, method, level, rng
        As in :func:`rankcast.forecast`.
    fractions : tuple of float
        Parts of the classes to forecast from; those with fewer than 8 classes are left out.
    repetitions : int
        Random parts of each size.
    replicates : int
        Replicates behind each interval.

    Examples
    --------
    >>> from rankcast.datasets import gaussian
    >>> result = backtest(gaussian.simulate(80, 0.2, rng=0), method="gaussian", rng=0, repetitions=3)
    >>> result.classes.tolist()
    [40, 40, 40, 20, 20, 20, 10, 10, 10]
    >>> bool(np.abs(result.error).max() < 0.2)
    True
    """
    gain, fitter = get_metric(metric), get_method(method, evidence)
    if not all(0 < fraction < 1 for fraction in fractions):
        raise InputError(f"fractions must lie between 0 and 1, e.g. (0.5, 0.25), found {fractions}")
    if repetitions < 1:
        raise InputError(f"repetitions must be at least 1, found {repetitions}")
    sizes = [round(evidence.k1 * fraction) for fraction in fractions]
    sizes = [size for size in sizes if size >= _FEWEST]
    if not sizes:
        raise InputError(
            f"{evidence.k1} classes are too few to back-test: parts of them need {_FEWEST} classes or more, "
            f"so measure {FEWEST_TO_TEST} or more, or ask for larger fractions"
        )
    jobs = [size for size in sizes for _ in range(repetitions)]
    streams = generator(rng).spawn(len(jobs))
    work = (evidence, gain, fitter, level, replicates)
    rows = spread(_forecast, list(zip(jobs, streams, strict=True)), *work, what="back-test")
    estimate, low, high = (np.array(column) for column in zip(*rows, strict=True))
    truth = float(curve(evidence, evidence.k1, gain))
    return Backtest(np.array(jobs), estimate, low, high, evidence.k1, truth, float(level), fitter.name, gain.name)


def _forecast(
    job: tuple[int, np.random.Generator],
    evidence: Evidence,
    metric: Metric,
    method: Method,
    level: float,
    replicates: int,
) -> tuple[float, float, float]:
    """The forecast for all classes from so many of them, and the ends of its interval."""
    size, rng = job
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankcastWarning)  # parts are small on purpose
        (part,) = class_subsets(evidence, size, 1, rng)
        made = forecast(part, evidence.k1, metric, method, level, rng, replicates=replicates)
    return float(made.estimate[0]), float(made.low[0]), float(made.high[0])
