"""Scores: how a test example is compared with the gallery entry of a class.

Every comparison here is, given the test example, a monotone function of an inner product of the *query* made of
the example and the *entry* made of the class. Ranks need the product only; reported scores are finished, then
rescaled by a :class:`Report`.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp

from .sampling import Array, Reals, Rng, Vectors, log_uniform, pick

DISTANCES = ("euclidean", "sqeuclidean")


@dataclass(frozen=True)
class Match:
    """Comparison of vectors: ``euclidean``, ``sqeuclidean``, ``cosine``, ``dot`` or ``logit``.

    ``logit`` is a linear classifier: the inner product less ``pull`` · |g|²/2, plus a bias of the class of
    standard deviation ``bias``. Double precision is used where the classes are many and close together.
    """

    kind: str
    double: bool = False
    pull: float = 0.0
    bias: float = 0.0

    def entries(self, vectors: Vectors, rng: Rng) -> Array:
        """Entries of the classes: exemplars × classes × d' from exemplars × classes × d."""
        g = vectors.astype(np.float64) if self.double else vectors
        if self.kind == "cosine":
            return _unit(g)
        if self.kind == "dot":
            return g
        last = np.einsum("eij,eij->ei", g, g) * g.dtype.type(-0.5)
        if self.kind == "logit":
            last *= g.dtype.type(self.pull)
            last += self.bias * rng.standard_normal(last.shape[1], np.float32)
        return np.concatenate([g, last[..., None]], axis=2)

    def queries(self, x: Vectors) -> tuple[Array, Array]:
        """Queries of the test examples, and what finishing their scores needs to know of each."""
        q = x.astype(np.float64) if self.double else x
        square = np.einsum("ij,ij->i", q, q)[:, None]
        if self.kind == "cosine":
            return _unit(q), square
        if self.kind == "dot":
            return q, square
        return np.concatenate([q, np.ones_like(square)], axis=1), square

    def finish(self, core: Array, row: Array) -> Array:
        """Scores from inner products, in place where possible."""
        if self.kind not in DISTANCES:
            return core
        core *= -2
        core += row[:, :1]
        np.maximum(core, 0, out=core)
        if self.kind == "euclidean":
            np.sqrt(core, out=core)
        np.negative(core, out=core)
        return core


def _unit(x: Array) -> Array:
    length = np.sqrt(np.einsum("...i,...i->...", x, x))
    return np.asarray(x / np.maximum(length, 1e-12)[..., None], x.dtype)


@dataclass(frozen=True)
class Report:
    """What is reported instead of the score s, with a = its median and b = its spread over the pilot.

    All kinds but ``rounded`` keep the ranks. ``log-softmax``, ``softmax`` and ``standardised`` couple the
    measured classes of an example.
    """

    kind: str = "plain"
    shape: float = 1.0
    centre: float = 0.0
    scale: float = 1.0

    @classmethod
    def draw(cls, rng: Rng, distance: bool, softmax: float = 0.1) -> "Report":
        """A random kind; ``distance`` tells whether scores are negated distances."""
        shares = {"plain": 0.6, "scaled": 0.05, "exp": 0.05, "rounded": 0.09, "standardised": 0.04}
        shares |= {"log-softmax": 0.75 * softmax, "softmax": 0.25 * softmax}
        shares |= {"power": 0.06, "log": 0.05} if distance else {"asinh": 0.05}
        kind = pick(rng, shares)
        limits = {
            "scaled": (1e-4, 1e4),
            "exp": (1.0, 6.0),
            "rounded": (5e-4, 5e-2),
            "log-softmax": (0.05, 2.0),
            "softmax": (0.5, 2.0),
            "power": (0.3, 3.0),
            "log": (0.1, 10.0),
        }
        return cls(kind, log_uniform(rng, *limits.get(kind, (1.0, 1.0))))

    def fitted(self, scores: Array) -> "Report":
        """The same, with the centre and scale of these scores."""
        low, centre, high = np.quantile(scores, [0.16, 0.5, 0.84])
        return replace(self, centre=float(centre), scale=float(high - low) / 2 or 1.0)

    @property
    def step(self) -> float:
        """Grid on which scores are rounded; zero if they are not."""
        return self.shape * self.scale if self.kind == "rounded" else 0.0

    def apply(self, s: Reals) -> Reals:
        """Reported scores of some examples against all measured classes."""
        z = (s - self.centre) / self.scale
        match self.kind:
            case "scaled":
                return np.asarray(s * self.shape)
            case "exp":
                return np.exp(np.clip(z / self.shape, -80, 80))
            case "rounded":
                return np.rint(s / self.step) * self.step
            case "power":
                return -((-s / self.scale) ** self.shape)
            case "log":
                return -np.log1p(-s / (self.scale * self.shape))
            case "asinh":
                return np.arcsinh(z)
            case "standardised":
                spread = np.maximum(s.std(axis=1, keepdims=True), 1e-12)
                return np.asarray((s - s.mean(axis=1, keepdims=True)) / spread)
            case "log-softmax" | "softmax":
                z /= self.shape
                z -= logsumexp(z, axis=1, keepdims=True)
                return np.asarray(z if self.kind == "log-softmax" else np.exp(np.maximum(z, -80)))
        return s
