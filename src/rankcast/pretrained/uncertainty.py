"""How far the network's forecast may be off: learnt from its errors on families of tasks that it had not seen.

An error is measured as a shift of all Φ⁻¹(U*): how far they would all have to move for the forecast among k
classes to be right. Whatever the metric, whatever its value, the shift is of one kind, and what it leads to
stays within the range of the metric.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from scipy.special import betaincinv, ndtr

from .._typing import FloatArray, IntArray
from ..evidence import Evidence
from ..favourability import Favourability
from ..likelihood import effective_size
from ..metrics import TOP1, Metric
from .describe import AGREEING, AHEAD, AMISS, GAINS, MIXED, SCORED, Description, squash
from .margins import MARGINS
from .network import Kind

FARTHEST = 1000.0  # times k₁: errors were not seen beyond, and are taken to grow with log(k/k₁)
_RANKS = slice(13, 23)  # in the context: forecasts of the two-parameter fit and of the mixture, at k₁·AHEAD
LEAST = 0.01  # spread: no forecast is surer than this
LOG_K1 = 8  # place of log k₁ among the circumstances
_COMPARED = ("bent", "threshold", "local")  # estimates from scores whose distance from the forecast counts
_NUDGE, _FLATTEST = 0.02, 1e-3  # a shift that slopes are measured by, and the least slope
_SHIFTS = np.linspace(-1, 1, 41)


def circumstances(evidence: Evidence, seen: Description, fit: Favourability, k: IntArray) -> FloatArray:
    """What the error at each k may depend on: a matrix, k × circumstances.

    Errors were not seen where more classes were tested than are told apart, as with sampled negatives: more than k₁ of
    them count as k₁.

    Parameters
    ----------
    evidence, seen
        What was measured, and what the network saw of it.
    fit
        What it made of it.
    k
        Numbers of classes, from k₁ up.
    """
    classes = len(np.unique(evidence.label))
    ratio = np.clip(k / evidence.k1, 1.0, FARTHEST)
    right = fit.value(np.array([evidence.k1]))
    here = squash(right, classes)[0]
    there = squash(fit.value(k), classes)
    rivals = seen.context[_RANKS].reshape(2, len(AHEAD))
    apart = [np.interp(np.log(ratio), np.log(AHEAD), each) - there for each in rivals]
    size = min(effective_size(evidence), evidence.k1)
    luck = _log_luck(float(right[0]), size) - _log_steepness(fit, np.array([evidence.k1]))[0]
    known = [np.log(evidence.k1), np.log(min(classes, evidence.k1)), np.log(size), here, luck]
    columns = [np.log(ratio), there, there - here, *apart, np.abs(apart[0]), np.abs(apart[1]), _log_steepness(fit, k)]
    return np.column_stack([*columns, np.tile(known, (len(k), 1)), _disagreement(seen, np.log(ratio), apart[1])])


def _log_steepness(fit: Favourability, k: IntArray) -> FloatArray:
    """Logarithm of how fast accuracy among each of k classes rises with a shift of all Φ⁻¹(U*)."""
    ends = fit.z + np.array([[-_NUDGE], [_NUDGE]])
    low, high = np.stack([TOP1.given_favourability(ends, np.asarray(float(each))) @ fit.weight for each in k], axis=1)
    return np.asarray(np.log(np.maximum((high - low) / (2 * _NUDGE), _FLATTEST)))


def _log_luck(right: float, size: float) -> float:
    """Logarithm of the standard error of an accuracy, if each class were right or wrong anew."""
    return float(np.log(np.sqrt(max(right * (1 - right), 0.25 / size) / size)))


def growth(ratio: FloatArray) -> FloatArray:
    """How many times larger errors are taken to be at these k/k₁ than where they were last seen."""
    return np.asarray(np.maximum(np.log(ratio) / np.log(FARTHEST), 1.0))


def _disagreement(seen: Description, log_ratio: FloatArray, mixture: FloatArray) -> FloatArray:
    """How far the estimates from scores, once they agree with what was measured, are from the forecast and apart.

    The same of the forecasts from margins, and how these do when they are made again in parts of the classes.
    """
    if not seen.scored:
        return np.zeros((len(log_ratio), 2 * len(_COMPARED) + 6))
    number, places = len(AGREEING), [_place(name) for name in _COMPARED]
    ahead = seen.context[-len(AHEAD) * number : -number].reshape(-1, number)
    above = _between(log_ratio, ahead)
    apart = above[:, places] + mixture[:, None]
    moved = abs(seen.context[-number + places[0]])
    gains = _between(log_ratio, seen.context[GAINS].reshape(-1, len(MARGINS)))
    amiss = seen.context[AMISS]
    same = np.tile([moved, abs(amiss.mean()), amiss.std()], (len(log_ratio), 1))
    margins = [gains.mean(axis=1) + mixture, gains.std(axis=1)]
    return np.column_stack([apart, above.std(axis=1), same[:, 0], *margins, same[:, 1:], np.abs(apart)])


def _between(log_ratio: FloatArray, ahead: FloatArray) -> FloatArray:
    """What is known at k₁ times ``AHEAD``, and zero at k₁ itself, read at other ratios: ratios × columns."""
    known = np.vstack([np.zeros(ahead.shape[1]), ahead])
    return np.stack([np.interp(log_ratio, np.log(AHEAD), each) for each in known.T], axis=1)


def _place(name: str) -> int:
    """Of an estimate from scores, among those that are made to agree."""
    return AGREEING.index(len(MIXED) + SCORED.index(name))


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Spread of the shift at each k, and the law of the shift in units of its spread."""

    layers: Mapping[str, FloatArray]

    def spread(self, about: FloatArray) -> FloatArray:
        """Standard deviation of the shift, under each row of circumstances."""
        x = np.clip((about - self.layers["mean"]) / self.layers["sd"], -4, 4)
        answer = x @ self.layers["direct.weight"].T
        for number in (0, 1):
            x = np.tanh(x @ self.layers[f"{number}.weight"].T + self.layers[f"{number}.bias"])
        answer = answer + x @ self.layers["2.weight"].T + self.layers["2.bias"]
        return np.hypot(np.exp(np.clip(answer[:, 0], -6, 1.5)), LEAST)

    def scale(self, log_k1: FloatArray, log_ratio: FloatArray) -> FloatArray:
        """How much larger errors are than their spread, on families that the spread was not learnt from."""
        rows = [np.interp(log_ratio, self.layers["ratio"], row) for row in self.layers["scale"]]
        place = np.interp(log_k1, self.layers["size"], np.arange(len(rows)))
        low = np.minimum(place.astype(int), len(rows) - 2)
        table, each = np.stack(rows), np.arange(len(place))
        return np.asarray(table[low, each] * (low + 1 - place) + table[low + 1, each] * (place - low))

    def shifts(self, about: FloatArray, normal: FloatArray) -> FloatArray:
        """Random shifts, draws × k, from as many standard normal numbers."""
        units = np.interp(ndtr(normal), self.layers["level"], self.layers["quantile"])
        return np.asarray(units * self.scale(about[:, LOG_K1], about[:, 0]) * self.spread(about))

    def paths(self, ratio: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
        """Standard normal numbers, draws × k, as alike for neighbouring k as errors are."""
        apart = np.subtract.outer(np.log(ratio), np.log(ratio))
        # smooth in log k, and alike by exp(-log 10 / memory) over a factor of ten
        alike = np.exp(-(apart**2) / (np.log(10) * float(self.layers["memory"])))
        values, vectors = np.linalg.eigh(alike)
        root = vectors * np.sqrt(np.maximum(values, 0))
        return np.asarray(rng.standard_normal((draws, len(ratio))) @ root.T)


def shifted(fit: Favourability, shifts: FloatArray, k: IntArray, metric: Metric) -> FloatArray:
    """The metric among each of k classes when all Φ⁻¹(U*) move by the shifts: draws × k."""
    values = np.empty_like(shifts)
    for j, each in enumerate(k):
        reach = max(float(np.abs(shifts[:, j]).max()), 1e-9)
        grid = reach * _SHIFTS
        gains = metric.given_favourability(fit.z + grid[:, None], np.asarray(float(each))) @ fit.weight
        values[:, j] = np.interp(shifts[:, j], grid, gains)
    return values


def least_shifts(fit: Favourability, evidence: Evidence, k: IntArray) -> FloatArray:
    """The lowest shift at each k that is possible, given how accurate the system is among those measured.

    By Jensen's inequality E[U^(k-1)] ≥ E[U^(k₁-1)]^((k-1)/(k₁-1)): accuracy cannot fall faster than that. Accuracy
    among k₁ is put at the lower end of its interval of 99.5% (Clopper and Pearson, classes being independent).
    """
    right, size = evidence.accuracy, float(len(np.unique(evidence.label)))
    lowest = betaincinv(max(right * size, 1e-9), size * (1 - right) + 1, 0.005)
    grid = np.repeat(np.linspace(-8, 0, 41)[:, None], len(k), axis=1)
    values = shifted(fit, grid, k, TOP1)
    floor = lowest ** ((k - 1) / (evidence.k1 - 1))
    found = np.array([np.interp(floor[j], values[:, j], grid[:, j]) for j in range(len(k))])
    return np.where(floor <= values[0] + 1e-12, grid[0], found)


@cache
def uncertainty(kind: Kind) -> Uncertainty:
    """What ships with the package for evidence with scores, or with ranks only."""
    with (
        files(__package__).joinpath("uncertainty.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as stored,
    ):
        names = [name for name in stored.files if name.startswith(f"{kind}/")]
        return Uncertainty({name.partition("/")[2]: stored[name].astype(float) for name in names})
