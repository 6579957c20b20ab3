"""The method of choice: networks pretrained on simulated populations weigh all that the evidence shows."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from .._typing import FloatArray, IntArray
from ..curve import measured_values
from ..evidence import Evidence
from ..favourability import Favourability
from ..intervals import bootstrap_weights
from ..metrics import TOP1, Metric
from ..pretrained.describe import Description, describe
from ..pretrained.network import gathered, networks
from ..pretrained.uncertainty import circumstances, shifted, uncertainty
from .base import Method

_NODES = 15  # of the quadrature over each example's law


@dataclass(frozen=True)
class Auto(Method):
    """A pretrained estimator of the law of U*, with an interval that was calibrated where it had not been trained.

    No one method is best everywhere. Networks that were trained on simulated populations of many kinds see, for
    each test example, what the other methods make of it and the shape of its scores; and, for the whole, the
    exact curve, the forecasts of the other methods and how they do when made again on a quarter of the classes.
    For each example they answer with a normal law of Φ⁻¹(U*), and the laws together are moved to agree with the
    exact curve. Without scores, networks of the same kind see the ranks alone.

    The interval allows for the sampling of classes and of test examples, and for the extrapolation: it was
    learnt from the errors of the networks on simulated families that were kept from them.

    Examples
    --------
    >>> from rankcast.datasets import gaussian
    >>> fit = Auto().fit(gaussian.simulate(500, sigma2=0.1, rng=1), np.random.default_rng(0))
    >>> bool(abs(fit.value(5_000) - gaussian.aga(5_000, 0.1)) < 0.1)
    True
    """

    name: ClassVar[str] = "auto"
    needs: ClassVar[Literal["ranks", "scores"]] = "ranks"
    reference: ClassVar[str] = "rankcast; networks pretrained on simulated populations"
    cost: ClassVar[str] = "that of the KDE methods and pooled together, and a little more"
    fails: ClassVar[str] = "on populations unlike any simulated, as its interval cannot know"

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Favourability:
        """The average of the networks."""
        return _average(_members(evidence, describe(evidence, rng)))

    def fit_with_draws(
        self,
        evidence: Evidence,
        k: IntArray,
        metric: Metric,
        replicates: int,
        fit_rng: np.random.Generator,
        draw_rng: np.random.Generator,
    ) -> tuple[Favourability, FloatArray]:
        """Draws are random shifts of the fit beyond k₁, and a bootstrap of the exact curve up to it."""
        seen = describe(evidence, fit_rng)
        members = _members(evidence, seen)
        fit = _average(members)
        boot_rng, shift_rng = draw_rng.spawn(2)
        draws = np.empty((replicates, len(k)))
        inside = k <= metric.reach(evidence.k1)
        if inside.any():
            weights = bootstrap_weights(evidence, replicates, boot_rng)
            draws[:, inside] = measured_values(evidence, weights, k[inside], metric)
        if not inside.all():
            beyond = k[~inside]
            alone = np.stack([each.value(beyond, TOP1) for each in members])
            law = uncertainty()
            about = circumstances(evidence, seen, fit, alone, beyond)
            shifts = law.shifts(about, law.paths(beyond / evidence.k1, replicates, shift_rng))
            draws[:, ~inside] = shifted(fit, shifts, beyond, metric)
        return fit, draws

    def replicate(
        self,
        evidence: Evidence,
        weights: FloatArray,
        k: IntArray,
        metric: Metric,
        rng: np.random.Generator,
    ) -> FloatArray:
        """The examples count otherwise; what the networks made of each stays."""
        nodes, share = np.polynomial.hermite_e.hermegauss(_NODES)
        gains = np.zeros((len(k), len(evidence)))
        laws = _laws(evidence, describe(evidence, rng))
        for centre, spread in laws:
            z = centre[:, None] + spread[:, None] * nodes
            gains += [metric.given_favourability(z, np.asarray(float(each))) @ (share / share.sum()) for each in k]
        return np.asarray(weights / weights.sum(axis=1, keepdims=True) @ gains.T / len(laws))


def _laws(evidence: Evidence, seen: Description) -> list[tuple[FloatArray, FloatArray]]:
    """What each network makes of each example."""
    kind: Literal["scores", "ranks"] = "ranks" if evidence.scores is None else "scores"
    return [network.laws(seen, evidence.weight, evidence.k1) for network in networks(kind)]


def _members(evidence: Evidence, seen: Description) -> list[Favourability]:
    """What each network makes of the evidence; all on one grid."""
    return [gathered(centre, spread, evidence.weight) for centre, spread in _laws(evidence, seen)]


def _average(members: list[Favourability]) -> Favourability:
    weight = np.mean([each.weight for each in members], axis=0)
    kept = weight > 1e-15
    return Favourability(members[0].z[kept], weight[kept] / weight[kept].sum())
