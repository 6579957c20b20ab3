"""forecast(): from evidence on k₁ classes to the metric on many more, with an interval."""

import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ._typing import Counts, FloatArray, IntArray, Seed
from .curve import class_counts, curve
from .errors import FarExtrapolationWarning, FewClassesWarning, InputError, RankcastWarning, warn
from .evidence import Evidence
from .favourability import Favourability
from .methods import DEFAULT, Method, get_method
from .metrics import Metric, MetricLike, get_metric, show
from .seeds import seeded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .report import Report


@dataclass(frozen=True)
class Ladder:
    """The forecast along a ladder of k, for plots."""

    k: IntArray
    estimate: FloatArray
    draws: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Forecast:
    """A forecast of a metric at some numbers of classes.

    Attributes
    ----------
    k, estimate, low, high : ndarray
        Numbers of classes, the forecast, and the ends of its interval.
    level : float
        Nominal coverage of the interval.
    method, metric : str
        What made it, and of what.
    draws : ndarray
        Values of the metric that are as likely as each other, given the evidence: draws × k.
    scatter : ndarray
        Standard deviation of the metric between sets of k classes, with one test example of each.
    warnings : tuple of str
        What the user should know before trusting it.
    provenance : dict
        Hash of the evidence, seed, number of replicates, and versions: what it takes to get it again.
    favourability : Favourability
        The fitted distribution of U*.
    evidence : Evidence
        What it was made from.
    """

    k: IntArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    method: str
    metric: str
    draws: FloatArray
    scatter: FloatArray
    warnings: tuple[str, ...]
    provenance: dict[str, Any]
    k1: int
    measured: float
    favourability: Favourability
    gain: Metric
    path: Ladder
    evidence: Evidence
    fitter: Method

    def interval(
        self, level: float | None = None, method: Literal["average", "one-set"] = "average"
    ) -> tuple[FloatArray, FloatArray]:
        """Ends of an interval, from the same draws.

        Parameters
        ----------
        level : float, optional
            Its coverage; that of the forecast if None.
        method : {"average", "one-set"}
            For the ``average`` over all sets of k classes, which is what ``low`` and ``high`` are for; or for what
            will be measured on ``one-set`` of k new classes with one test example of each, which varies more.
        """
        if method not in ("average", "one-set"):
            raise InputError(f"method must be 'average' or 'one-set', not {method!r}")
        draws = self.draws
        if method == "one-set":
            luck = np.random.default_rng(0).standard_normal(draws.shape)
            draws = np.clip(draws + self.scatter * luck, *self.gain.bounds(self.k))
        return _interval(self.estimate, draws, self.level if level is None else level)

    def along(self) -> "Forecast":
        """The same forecast at every rung of a ladder of k, from 2 to the largest asked for."""
        path = self.path
        low, high = _interval(path.estimate, path.draws, self.level)
        scatter = _scatter(self.favourability, path.k, self.gain)
        return replace(self, k=path.k, estimate=path.estimate, low=low, high=high, draws=path.draws, scatter=scatter)

    def __repr__(self) -> str:
        width, wide = max(len(f"{int(self.k.max()):,}"), 7), max(len(self.metric), 6)
        lines = [
            f"Forecast of {self.metric} by {self.method}, from {self.k1:,} classes measured at {show(self.measured)}",
            f"  {'classes':>{width}}   {self.metric:>{wide}}   {self.level:.0%} interval",
        ]
        for k, value, low, high in self._rows():
            lines.append(f"  {k:>{width},}   {show(value):>{wide}}   {show(low)} to {show(high)}")
        return "\n".join([*lines, *(f"  note: {text}" for text in self.warnings)])

    def _rows(self) -> list[tuple[int, float, float, float]]:
        columns = (self.k.tolist(), self.estimate.tolist(), self.low.tolist(), self.high.tolist())
        return list(zip(*columns, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the draws, as plain Python values."""
        keys = ("k", self.metric, "low", "high")
        return {
            "metric": self.metric,
            "method": self.method,
            "level": self.level,
            "measured": {"k": self.k1, self.metric: self.measured},
            "forecast": [dict(zip(keys, row, strict=True)) for row in self._rows()],
            "warnings": list(self.warnings),
            "provenance": self.provenance,
        }

    def to_json(self, indent: int | None = 2) -> str:
        """:meth:`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent)

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame with columns k, estimate, low, high; pandas or polars, whichever is installed."""
        from .frames import make_frame

        columns = {"k": self.k, "estimate": self.estimate, "low": self.low, "high": self.high}
        return make_frame(columns, backend)

    def plot(self, ax: "Axes | None" = None, path: str | Path | None = None) -> "Axes":
        """Draw the measured curve, the forecast and its band on a logarithmic axis; save it if ``path`` is given."""
        from .plots import plot_forecast

        return plot_forecast(self, ax, path)

    def report(self, path: str | Path, title: str | None = None) -> "Report":
        """Write a page with this forecast, other metrics and methods, a back-test and a diagnosis: a single file.

        It is made again by the same settings and seed; a forecast from a Generator gets a new seed. See
        :func:`rankcast.report`.
        """
        from .report.build import report_forecast

        return report_forecast(self, Path(path), title)


def forecast(
    evidence: Evidence,
    k: Counts,
    metric: MetricLike = "top1",
    method: str | Method = DEFAULT,
    level: float = 0.9,
    rng: Seed = None,
    *,
    replicates: int = 200,
) -> Forecast:
    """Forecast a metric on ``k`` classes drawn from the same population as those measured.

    Up to the number measured the exact curve is given; beyond it, the estimate of the method. The interval is that
    of the method: ``auto`` has one that covers the sampling of classes and of test examples and the extrapolation,
    calibrated on populations it was not trained on; that of all others is a bootstrap over classes, which knows
    nothing of the method's own error.

    Parameters
    ----------
    evidence : Evidence
        What was measured.
    k : int or array of int
        Numbers of classes to forecast for, up to 10⁹.
    metric : str, Metric or function of the rank
        ``top1``, ``topN``, ``recall@N``, ``mrr``, ``mrr@N``, ``ndcg``, ``ndcg@N``, ``mean_rank``; or a function of an
        array of ranks, see :class:`rankcast.Metric`.
    method : str or Method
        A name from :func:`rankcast.methods`, or a method with its settings.
    level : float
        Coverage that the interval aims at.
    rng : int, Generator or None
        The same seed gives the same forecast.
    replicates : int
        Replicates of the bootstrap.

    Examples
    --------
    >>> from rankcast.datasets import toy
    >>> fc = forecast(toy.simulate(200, rho=0.99, rng=0), k=[100, 400], rng=0)
    >>> fc.k, fc.estimate.round(2)
    (array([100, 400]), array([0.1 , 0.04]))
    """
    return forecasts(evidence, k, [metric], method, level, rng, replicates=replicates)[0]


def forecasts(
    evidence: Evidence,
    k: Counts,
    metrics: Sequence[MetricLike],
    method: str | Method = DEFAULT,
    level: float = 0.9,
    rng: Seed = None,
    *,
    replicates: int = 200,
) -> list[Forecast]:
    """Forecast several metrics from one fit; each is what :func:`forecast` gives for it with the same seed."""
    if not isinstance(evidence, Evidence):
        raise InputError(f"forecast() takes an Evidence, not {type(evidence).__name__}: see Evidence.from_scores")
    ks = np.atleast_1d(class_counts(k)).ravel()
    gains, fitter = [get_metric(metric) for metric in metrics], get_method(method, evidence)
    if not 0 < level < 1:
        raise InputError(f"level must lie between 0 and 1, e.g. 0.9, found {level}")
    if replicates < 20:
        raise InputError(f"an interval needs at least 20 replicates, found {replicates}")
    seed, generator = seeded(rng)
    fit_rng, boot_rng = generator.spawn(2)
    ladder = _ladder(ks, evidence.k1)
    fit, draws = fitter.fit_with_draws(evidence, ladder, gains, replicates, fit_rng, boot_rng)
    notes = _notes(evidence, ks)
    for note in notes:
        warn(note)
    provenance = {
        "evidence": evidence.fingerprint,
        "seed": seed,
        "replicates": replicates,
        "settings": repr(fitter),
        "versions": dict(_versions()),
    }
    at = np.searchsorted(ladder, ks)
    made = []
    for gain, drawn in zip(gains, draws, strict=True):
        path = _path(evidence, fit, ladder, gain, drawn)
        low, high = _interval(path.estimate[at], path.draws[:, at], level)
        made.append(
            Forecast(
                k=ks,
                estimate=path.estimate[at],
                low=low,
                high=high,
                level=float(level),
                method=fitter.name,
                metric=gain.name,
                draws=path.draws[:, at],
                scatter=_scatter(fit, ks, gain),
                warnings=tuple(str(note) for note in notes),
                provenance=provenance,
                k1=evidence.k1,
                measured=float(curve(evidence, evidence.k1, gain)),
                favourability=fit,
                gain=gain,
                path=path,
                evidence=evidence,
                fitter=fitter,
            )
        )
    return made


def _path(evidence: Evidence, fit: Favourability, ladder: IntArray, gain: Metric, draws: FloatArray) -> Ladder:
    """The exact curve as far as it was measured, and the fit beyond."""
    inside = ladder <= gain.reach(evidence.k1)
    estimate = np.where(inside, 0.0, fit.value(ladder, gain))
    estimate[inside] = curve(evidence, ladder[inside], gain)
    return Ladder(ladder, gain.tidy(estimate, ladder), gain.tidy(draws, ladder))


def _ladder(k: IntArray, k1: int) -> IntArray:
    """The numbers asked for among others, dense enough for a plot and for the forecast not to rise between."""
    below = np.geomspace(2, k1, 25)
    above = np.geomspace(k1, max(int(k.max()), k1), 40)
    return np.unique(np.r_[k, np.rint(below).astype(np.int64), np.rint(above).astype(np.int64)])


def _scatter(fit: Favourability, k: IntArray, gain: Metric) -> FloatArray:
    """√(Var[gain]/k): between sets of k classes with one test example of each, taken as independent."""
    gains = gain.gains
    squares = (lambda rank: gain.gain(rank) ** 2) if callable(gains) else tuple(each**2 for each in gains)
    square = Metric("square", squares)
    variance = fit.value(k, square) - fit.value(k, gain) ** 2
    return np.asarray(np.sqrt(np.maximum(variance, 0.0) / k))


def _interval(estimate: FloatArray, draws: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    if not 0 < level < 1:
        raise InputError(f"level must lie between 0 and 1, e.g. 0.9, found {level}")
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.minimum(low, estimate), np.maximum(high, estimate)


@cache
def _versions() -> dict[str, str]:
    """Of what a forecast was made with."""
    return {name: version(name) for name in ("rankcast", "numpy", "scipy")} | {"python": platform.python_version()}


def _notes(evidence: Evidence, k: IntArray) -> list[RankcastWarning]:
    found: list[RankcastWarning] = []
    if evidence.k1 < 20 and k.max() > evidence.k1:
        found.append(
            FewClassesWarning(f"only {evidence.k1} classes were measured, too few to extrapolate: measure 20 or more")
        )
    ratio = int(k.max()) / evidence.k1
    if ratio > 1000:
        found.append(
            FarExtrapolationWarning(
                f"k = {int(k.max()):,} is {ratio:,.0f} times the {evidence.k1:,} classes measured, beyond what has "
                "been tested: measure more classes"
            )
        )
    return found
