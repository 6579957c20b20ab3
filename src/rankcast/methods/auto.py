"""The method of choice: networks pretrained on many populations weigh all that the evidence shows."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from .._typing import FloatArray, IntArray
from ..curve import curve
from ..evidence import Evidence
from ..favourability import Favourability
from ..intervals import bootstrap
from ..metrics import TOP1, Metric
from ..pretrained.describe import Description, describe, squared
from ..pretrained.network import NODE_WEIGHTS, NODES, Kind, Opinion, averaged, networks, opinions
from ..pretrained.uncertainty import circumstances, growth, least_shifts, shifted, uncertainty
from ..selection import class_subsets
from .base import Method

# the back-test behind the interval: so many random parts of the classes, a quarter of them each
_PARTS, _QUARTER = 2, 4
_SMALLEST_PART, _LARGEST_PART = 20, 500
_ALLOWED = 1.645


@dataclass(frozen=True)
class Auto(Method):
    """A pretrained estimator of the law of U*, with an interval that was calibrated where it had not been trained.

    No one method is best everywhere. Networks that were trained on populations of many kinds, simulated and real,
    see, for each test example, what the other methods make of it and the shape of its scores; and, for the whole,
    the exact curve, the forecasts of the other methods and how they do when made again on a quarter of the classes.
    For each example they answer with a normal law of Φ⁻¹(U*), and the laws together are moved to agree with the
    exact curve. Without scores, networks of the same kind see the ranks alone.

    The interval allows for the sampling of classes and of test examples, and for the extrapolation: it was
    learnt from the errors of the networks on families of populations that were kept from them. It is widened where
    forecasts of what was measured, from a quarter of the classes, fail; see ``rankcast.methods.auto.widening``.

    Examples
    --------
    >>> from rankcast.datasets import gaussian
    >>> fit = Auto().fit(gaussian.simulate(500, sigma2=0.1, rng=1), np.random.default_rng(0))
    >>> bool(abs(fit.value(5_000) - gaussian.aga(5_000, 0.1)) < 0.1)
    True
    """

    name: ClassVar[str] = "auto"
    needs: ClassVar[Literal["ranks", "scores"]] = "ranks"
    reference: ClassVar[str] = "rankcast; networks pretrained on simulated and real populations"
    cost: ClassVar[str] = "that of the KDE methods and pooled together, and a little more"
    fails: ClassVar[str] = "on populations unlike any that it has seen, as its interval cannot know"

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Favourability:
        """The average of the networks and, from many classes, of pooled tails."""
        return _together(evidence, describe(evidence, rng))

    def fit_with_draws(
        self,
        evidence: Evidence,
        k: IntArray,
        metrics: Sequence[Metric],
        replicates: int,
        fit_rng: np.random.Generator,
        draw_rng: np.random.Generator,
    ) -> tuple[Favourability, list[FloatArray]]:
        """Draws are random shifts of the fit beyond k₁, and a bootstrap of the exact curve up to it."""
        evidence = squared(evidence)  # before it is parted: parts may be too small to tell distances by
        seen = describe(evidence, fit_rng)
        fit = _together(evidence, seen)
        boot_rng, shift_rng, test_rng = draw_rng.spawn(3)
        forecasts = any(np.any(k > metric.reach(evidence.k1)) for metric in metrics)
        widen = widening(evidence, test_rng) if forecasts else 1.0
        law = uncertainty(kind_of(evidence))
        draws = []
        for metric in metrics:
            drawn = np.empty((replicates, len(k)))
            inside = k <= metric.reach(evidence.k1)
            if inside.any():
                drawn[:, inside] = bootstrap(evidence, self, k[inside], metric, replicates, deepcopy(boot_rng))
            if not inside.all():
                beyond = k[~inside]
                about = circumstances(evidence, seen, fit, beyond)
                ratio = beyond / evidence.k1
                shifts = law.shifts(about, law.paths(ratio, replicates, deepcopy(shift_rng)))
                shifts = np.maximum(widen * growth(ratio) * shifts, least_shifts(fit, evidence, beyond))
                drawn[:, ~inside] = shifted(fit, shifts, beyond, metric)
            draws.append(drawn)
        return fit, draws

    def replicate(
        self,
        evidence: Evidence,
        weights: FloatArray,
        k: IntArray,
        metric: Metric,
        rng: np.random.Generator,
    ) -> FloatArray:
        """The examples count otherwise; what was made of each stays."""
        gains = np.zeros((len(k), len(evidence)))
        for share, centre, spread in _opinions(evidence, describe(evidence, rng)):
            z = centre[:, None] + spread[:, None] * NODES
            gains += [share * metric.given_favourability(z, np.asarray(float(each))) @ NODE_WEIGHTS for each in k]
        return np.asarray(weights / weights.sum(axis=1, keepdims=True) @ gains.T)


def widening(evidence: Evidence, rng: np.random.Generator) -> float:
    """How many times wider an interval must be for what was measured to lie within it when forecast from less.

    From random quarters of the classes (500 at most), accuracy among all of them is forecast. If the shifts that
    would make these forecasts right average to more than the 1.645 spreads that an interval of 90% allows for
    one of them, that average in units of 1.645 spreads is the answer, and else one.
    """
    size = min(evidence.k1 // _QUARTER, _LARGEST_PART)
    if size < _SMALLEST_PART:
        return 1.0
    k, measured = np.array([evidence.k1]), float(curve(evidence, evidence.k1))
    units = []
    for part in class_subsets(evidence, size, _PARTS, rng):
        seen = describe(part, rng)
        fit = _together(part, seen)
        spread = uncertainty(kind_of(part)).spread(circumstances(part, seen, fit, k))[0]
        shifts = spread * np.linspace(-8, 8, 81)[:, None]
        units.append(np.interp(measured, shifted(fit, shifts, k, TOP1)[:, 0], shifts[:, 0]) / spread)
    return float(max(1.0, abs(np.mean(units)) / _ALLOWED))


def kind_of(evidence: Evidence) -> Kind:
    """Which of the networks see the evidence."""
    return "ranks" if evidence.scores is None else "scores"


def _opinions(evidence: Evidence, seen: Description) -> list[Opinion]:
    """What is made of each example."""
    return opinions(networks(kind_of(evidence)), seen, evidence.weight, evidence.k1)


def _together(evidence: Evidence, seen: Description) -> Favourability:
    """All that is made of the evidence, averaged."""
    return averaged(_opinions(evidence, seen), evidence.weight)
