"""What a report shows, and as the numbers that its script draws."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from .._typing import FloatArray
from ..backtest import Backtest
from ..capacity import last_above
from ..diagnose import Diagnosis
from ..evidence import Evidence
from ..forecast import Forecast
from .words import is_share, name_of, phrase_of

_SHARES = (0.001, 0.01, 0.1, 0.5, 0.9)
_TARGETS = (0.99, 0.95, 0.9, 0.8, 0.5)


@dataclass(frozen=True, eq=False)
class Content:
    """Everything on the page, before it becomes markup.

    Attributes
    ----------
    asked : Forecast
        What was asked for: the page opens with it.
    curves : dict
        By method and metric, forecasts along the ladder of k.
    focus : int
        Number of classes of the headline.
    skipped : dict of str to str
        Methods that could not run, and why.
    backtest : Backtest or None
        None if there are too few classes for one.
    """

    title: str
    source: str | None
    evidence: Evidence
    focus: int
    asked: Forecast
    curves: dict[str, dict[str, Forecast]]
    skipped: dict[str, str]
    backtest: Backtest | None
    diagnosis: Diagnosis
    made: datetime
    seconds: float

    @property
    def shown(self) -> Forecast:
        """What was asked for, along the ladder."""
        return self.curves[self.asked.method][self.asked.metric]

    @property
    def rungs(self) -> list[int]:
        """Rows of the table: 2, 5, 10 … of the ladder's reach, those measured, and those asked for."""
        k, k1 = self.shown.k, self.asked.k1
        marks = {step * 10**power for power in range(10) for step in (1, 2, 5)}
        few = {mark for mark in marks if 2 <= mark <= k[-1]}
        return sorted(few | {k1, *self.asked.k.tolist()})

    @property
    def edge(self) -> float:
        """Φ⁻¹(1 − 1/k₁), beyond which ranks among k₁ classes hardly tell favourabilities apart."""
        return float(ndtri(1 - 1 / self.asked.k1))

    def law(self) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Φ⁻¹(u) on a grid, and D there by each method."""
        fits = {name: next(iter(row.values())).favourability for name, row in self.curves.items()}
        wide = np.linspace(-3.0, 6.0, 901)
        mine = fits[self.asked.method].probit_cdf(wide)
        start, end = wide[np.searchsorted(np.maximum.accumulate(mine), [0.002, 0.99]).clip(0, len(wide) - 1)]
        z = np.linspace(min(start, self.edge - 0.7), max(end, self.edge + 0.7), 160)
        return z, {name: np.clip(fit.probit_cdf(z), 0.0, 1.0) for name, fit in fits.items()}

    def law_ticks(self) -> list[tuple[float, str]]:
        """Where the axis of D is marked, and with what u."""
        z = self.law()[0]
        marks = [(0.01, "1%"), (0.1, "10%"), (0.5, "50%"), (0.9, "90%"), (0.99, "99%"), (0.999, "99.9%")]
        marks += [(1 - 1e-5, "99.999%"), (1 - 1e-7, "99.99999%")]
        return [(float(ndtri(u)), text) for u, text in marks if z[0] <= ndtri(u) <= z[-1]]

    def numbers(self) -> dict[str, Any]:
        """What the script of the page reads."""
        z, law = self.law()
        ticks = self.law_ticks()
        first = next(iter(self.curves.values()))
        return {
            "k": self.shown.k.tolist(),
            "k1": self.asked.k1,
            "focus": self.focus,
            "asked": self.asked.k.tolist(),
            "rungs": self.rungs,
            "level": f"{self.asked.level:.3g}",
            "method": self.asked.method,
            "metric": self.asked.metric,
            "metrics": {
                name: {
                    "name": name_of(name),
                    "phrase": phrase_of(name),
                    "share": is_share(fc),
                    "falls": fc.gain.trend <= 0,
                    "measured": _short(fc.measured),
                }
                for name, fc in first.items()
            },
            "curves": {name: {gain: _curve(fc) for gain, fc in row.items()} for name, row in self.curves.items()},
            "law": {
                "z": _short(z),
                "u": [f"{100 * u:.7g}%" for u in ndtr(z)],
                "ticks": [each for each, _ in ticks],
                "labels": [text for _, text in ticks],
                "edge": self.edge,
                "methods": {name: _short(values) for name, values in law.items()},
            },
            "backtest": None if self.backtest is None else _tested(self.backtest),
        }

    def capacities(self) -> list[tuple[float, float, float, float]]:
        """What may be asked of the metric, and up to how many classes it holds, with an interval; inf for never."""
        fc, rows = self.shown, []
        if not (is_share(fc) and fc.gain.trend < 0):
            return []
        for target in _TARGETS:
            classes, low, high = (last_above(fc.k, values, target) for values in (fc.estimate, fc.low, fc.high))
            rows.append((target, classes, low, high))
        return rows

    def shares(self) -> list[tuple[float, float]]:
        """D as a table: u at some values of D, by the method asked for."""
        z, law = self.law()
        values = law[self.asked.method]
        return [(share, float(ndtr(np.interp(share, values, z)))) for share in _SHARES if share >= values[0]]


def _curve(fc: Forecast) -> dict[str, Any]:
    low, high = fc.interval(method="one-set")
    columns = {"value": fc.estimate, "low": fc.low, "high": fc.high, "one_low": low, "one_high": high}
    return {name: _short(values) for name, values in columns.items()}


def _tested(result: Backtest) -> dict[str, Any]:
    columns = {"value": result.estimate, "low": result.low, "high": result.high}
    return {
        "classes": result.classes.tolist(),
        "measured": _short(result.measured),
        **{name: _short(values) for name, values in columns.items()},
    }


def _short(values: FloatArray | float) -> Any:
    """Six significant digits, which is more than a page shows."""
    if np.ndim(values) == 0:
        return float(f"{float(values):.6g}")
    return [float(f"{value:.6g}") for value in np.asarray(values).tolist()]
