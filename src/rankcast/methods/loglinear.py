"""Accuracy falls along a straight line in log k: the rule of thumb of biometrics, as a distribution of U*."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import exp1

from .._typing import FloatArray, IntArray
from ..curve import curve, example_values
from ..errors import InputError
from ..evidence import Evidence
from ..favourability import Favourability, probit_of_log
from ..metrics import Metric, get_metric
from .base import Method

_FLAT = 1e-9  # a slope below this is none: accuracy changes by less than 1e-7 up to k = 10⁹
_LEAST, _MOST = -26.0, 2.5  # log t beyond which −log U* = t counts as none, or as infinite, at k up to 10⁹
_STEP = 0.25
_PULL = 0.02
_POINTS = 24


@dataclass(frozen=True)
class LogLinear(Method):
    """A straight line in log k through the upper part of the exact curve, continued and cut off at 0 and 1.

    The line is fitted by least squares to ATA_k at k from k₁/``span`` to k₁. The distribution of U* behind it
    follows from Frullani's integral, log k = ∫ (e^(−t) − e^(−kt)) dt/t. With t = −log U*, so that
    U*^(k−1) = e^(−(k−1)t), a measure b e^(−t) dt/t on t > t₀ gives

        E[U*^(k−1)] = b ∫_{t₀}^∞ e^(−kt) dt/t = b E₁(k t₀) ≈ b (−γ − log t₀) − b log k    while k t₀ is small:

    the line a − b log k if log t₀ = −γ − a/b. So 1−U* is log-uniform, down to e^(−γ)/K₀, where K₀ = e^(a/b) is
    where the line reaches 0. Its mass is a: what is missing from one is an atom at U* = 0, and if a > 1 the
    measure is cut off above too, where its mass is one. The cuts round off the corners of the line at 0 and 1;
    a little mass is moved to sharpen them. Accuracy is a convex function of k whatever the distribution of U*,
    so no distribution follows a line that falls steeply from next to 1; away from there the line is mostly met to 0.01.

    Parameters
    ----------
    span : float
        The line is fitted to k from k₁/span to k₁.

    Examples
    --------
    >>> evidence = Evidence.from_ranks([1, 1, 1, 2, 1, 9, 1, 30, 1, 1], candidates=100)
    >>> fit = LogLinear().fit(evidence, np.random.default_rng(0))
    >>> fit.value([100, 1000, 10_000]).round(2)
    array([0.71, 0.58, 0.45])
    """

    name: ClassVar[str] = "loglinear"
    needs: ClassVar[Literal["ranks", "scores"]] = "ranks"
    reference: ClassVar[str] = "rule of thumb in biometrics"
    cost: ClassVar[str] = "the exact curve: milliseconds"
    fails: ClassVar[str] = "wherever the curve bends in log k: too high near accuracy 1, too low near 0"

    span: float = 10.0

    def __post_init__(self) -> None:
        if not self.span > 1:
            raise InputError(f"span must exceed 1 (the line is fitted from k₁/span to k₁), found {self.span}")

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Favourability:
        """Atoms on a logarithmic grid of −log U*."""
        k = self._range(evidence.k1)
        return straight(*line(k, curve(evidence, k)), k)

    def replicate(
        self,
        evidence: Evidence,
        weights: FloatArray,
        k: IntArray,
        metric: Metric,
        rng: np.random.Generator,
    ) -> FloatArray:
        """The curve is linear in the weights, so only the lines are fitted anew."""
        inside = self._range(evidence.k1)
        merged, where = evidence.compress()
        table = example_values(merged, inside, get_metric("top1"))
        values = []
        for weight in weights:
            ata = np.bincount(where, weight / weight.sum(), minlength=len(table)) @ table
            values.append(straight(*line(inside, ata), inside).value(k, metric))
        return np.stack(values)

    def _range(self, k1: int) -> IntArray:
        low = max(1.0, min(k1 / self.span, k1 - 1.0))
        return np.unique(np.rint(np.geomspace(low, k1, _POINTS)).astype(np.int64))


def line(k: IntArray, accuracy: FloatArray) -> tuple[float, float]:
    """Intercept a and fall b of the least squares line a − b log k."""
    log_k = np.log(k)
    centred = log_k - log_k.mean()
    fall = -float(centred @ accuracy) / float(centred @ centred)
    return float(accuracy.mean() + fall * log_k.mean()), fall


def straight(intercept: float, fall: float, k: IntArray) -> Favourability:
    """The distribution of U* whose accuracy is ``intercept`` − ``fall`` log k between 1 and 0."""
    if fall < _FLAT:
        return Favourability([np.inf], [min(max(intercept, 0.0), 1.0)])
    log_t = np.arange(_LEAST, _MOST, _STEP)
    mass = _corners(intercept, fall, log_t, _log_uniform(intercept, fall, log_t), k)
    z = np.append(np.inf, probit_of_log(-np.exp(log_t[1:])))
    return Favourability(z, mass / max(1.0, float(mass.sum())))


def _log_uniform(intercept: float, fall: float, log_t: FloatArray) -> FloatArray:
    """Mass of b e^(−t) dt/t in each cell; what lies below the grid goes to its first node.

    The mass above t is b E₁(t), no more than a because of the lower cut, less what the upper cut takes.
    """
    above = fall * exp1(np.exp(log_t[1:] - _STEP / 2))
    above = np.minimum(above, max(intercept, 0.0)) - max(intercept - 1.0, 0.0)
    total = min(max(intercept, 0.0), 1.0)
    return -np.diff(np.maximum(above, 0.0), prepend=total, append=0.0)


def _corners(intercept: float, fall: float, log_t: FloatArray, mass: FloatArray, k: IntArray) -> FloatArray:
    """Move as little mass as it takes to sharpen the corners that the cuts of the measure round off.

    Nonnegative least squares on the line over the measured k and beyond, with a pull towards ``mass``.
    """
    from scipy.optimize import nnls

    beyond = np.exp(np.arange(np.log(k[-1]) + 0.5, np.log(1e9), 0.5))
    log_k = np.log(np.concatenate([[1.0], k, beyond]))
    weight = np.concatenate([[100.0], np.ones(len(k)), np.full(len(beyond), 0.5)])
    powers = np.exp(-np.outer(np.expm1(log_k), np.append(0.0, np.exp(log_t[1:]))))
    target = np.clip(intercept - fall * log_k, 0.0, 1.0)
    system = np.vstack([weight[:, None] * powers, _PULL * np.eye(len(mass))])
    found = nnls(system, np.concatenate([weight * target, _PULL * mass]), maxiter=50 * len(mass))[0]
    return np.asarray(found)
