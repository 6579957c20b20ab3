"""The pretrained network at work, in plain numpy; it is trained elsewhere, in torch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import expit, ndtr, ndtri, softmax

from .._typing import FloatArray
from ..favourability import Favourability
from .anchoring import anchor, probit, wins
from .describe import BEHIND, CURVE, MIXED, SCORED, SMOOTHED, Description
from .rows import HIGHEST, LOWEST

CLIP = 5.0
SIZE = 3  # in the context: logarithm of the number of classes that the evidence is worth
NARROWEST, WIDEST = -4.0, 2.0  # logarithms of the factors of the spread
SUREST = (-5.0, 2.0)  # logarithms of what the network may be off by
LOCAL = len(MIXED) + SCORED.index("local")  # among the estimates: tails pooled among examples that lie alike
POOLED_FROM, POOLED_AT_MOST = (250, 2000), 0.2  # classes from which on they count, and count in full; their share then
_NARROW = 0.05  # spread of their laws
_STEP = 0.04
NODES, _node_weights = np.polynomial.hermite_e.hermegauss(13)  # of the law of each example
NODE_WEIGHTS = _node_weights / _node_weights.sum()
_NEGLIGIBLE = 1e-15  # weight of an atom
_FARTHEST = 8.0  # standard deviations that a normal law reaches

Kind = Literal["scores", "ranks"]


@dataclass(frozen=True, eq=False)
class Network:
    """Layers of the network, by name."""

    layers: Mapping[str, FloatArray]

    def laws(self, seen: Description, weight: FloatArray, k1: int) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of Φ⁻¹(U*) of each example, all moved towards the exact curve.

        The first move is a part of the one that would make accuracy among the measured classes what was measured:
        the surer the measurement is beside what the network made of the scores, the larger. What is then amiss at
        k₁ and at fewer classes is an input of the second, a shift and a stretch about the probit that decides at k₁.
        The third is again like the first: what is measured surely is kept. With scores, what was measured is smoothed
        as far as the network sees fit.
        """
        context = self._standard("context", seen.context)
        centre, spread, whole = self._first_laws(seen, context, weight)
        share = (weight[:, None] * NODE_WEIGHTS).ravel()
        doubt = np.exp(2 * np.clip(self._layer("trust", whole), *SUREST))
        measured = seen.context[CURVE.start]
        if "smooth.weight" in self.layers:
            measured = measured + expit(self._layer("smooth", whole)[0]) * seen.context[SMOOTHED]

        def pull(centre: FloatArray, spread: FloatArray, doubt: float) -> float:
            shift, slope = anchor(_nodes(centre, spread), share, measured, k1)
            noise = ndtr(measured) * ndtr(-measured) * np.exp(-seen.context[SIZE]) / slope**2
            return float(shift * doubt / (doubt + noise))

        centre = centre + pull(centre, spread, doubt[0])
        z = _nodes(centre, spread)
        found = np.array([share @ wins(z, k1 / each) for each in BEHIND])
        amiss = np.clip(probit(found) - seen.context[CURVE], -1, 1)
        answer = self._layer("correct", np.concatenate([whole, 4 * amiss])) + self._layer("direct", context)
        move, tilt = np.tanh(answer) / 2
        centre, spread = centre + move + tilt * (centre + ndtri(0.5 / k1)), spread * (1 + tilt)
        return centre + pull(centre, spread, doubt[1]), spread

    def _first_laws(
        self, seen: Description, context: FloatArray, weight: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean and standard deviation for each example, and what was made of them all.

        Each example is seen in its context, the examples are pooled (weighted mean and standard deviation), and
        each is seen again beside what was pooled. The answer for each is a convex mixture of its estimates, a
        shift, and a factor of its spread.
        """
        x = self._standard("example", seen.example)
        brief = self._layer("brief", context)
        h = _relu(self._layer("see_example", x) + self._layer("see_context", brief))
        h = _relu(self._layer("think", h))
        mean = weight @ h
        sd = np.sqrt(np.maximum(weight @ (h * h) - mean * mean, 0) + 1e-4)
        g = _relu(self._layer("pool", np.concatenate([mean, sd, brief])))
        g = _relu(self._layer("whole", g))
        y = _relu(self._layer("again", x) + self._layer("thought", h) + self._layer("beside", g))
        answer = self._layer("answer", y)
        centre = np.sum(softmax(answer[:, :-2], axis=1) * seen.z, axis=1) + answer[:, -2]
        return centre, seen.spread * np.exp(np.clip(answer[:, -1], NARROWEST, WIDEST)), g

    def _standard(self, name: str, values: FloatArray) -> FloatArray:
        """Inputs in standard units."""
        scaled = (values - self.layers[f"{name}_mean"]) / self.layers[f"{name}_sd"]
        return np.asarray(np.clip(scaled, -CLIP, CLIP))

    def _layer(self, name: str, values: FloatArray) -> FloatArray:
        found = values @ self.layers[f"{name}.weight"].T
        return np.asarray(found + self.layers.get(f"{name}.bias", 0.0))


def _nodes(centre: FloatArray, spread: FloatArray) -> FloatArray:
    """Quadrature points of all laws, end to end."""
    return (centre[:, None] + spread[:, None] * NODES).ravel()


def _relu(values: FloatArray) -> FloatArray:
    return np.maximum(values, 0.0)


def gathered(mean: FloatArray, spread: FloatArray, weight: FloatArray) -> Favourability:
    """A mixture of many normals, each with a spread of its own, as atoms on a fine even grid of probits."""
    edges = np.arange(LOWEST - 4, HIGHEST + 4 + _STEP, _STEP)
    below = np.zeros(len(edges))
    for part in np.array_split(np.argsort(mean), max(1, len(mean) // 512)):
        at, reach, share = mean[part], _FARTHEST * spread[part], weight[part]
        low, high = np.searchsorted(edges, [(at - reach).min(), (at + reach).max()])
        below[low:high] += share @ ndtr((edges[low:high] - at[:, None]) / spread[part, None])
        below[high:] += share.sum()
    below[0], below[-1] = 0.0, weight.sum()
    share = np.diff(below)
    kept = share > _NEGLIGIBLE
    return Favourability(((edges[1:] + edges[:-1]) / 2)[kept], share[kept] / share[kept].sum())


class Opinion(NamedTuple):
    """A normal law of Φ⁻¹(U*) for each example, and how much it counts beside others."""

    share: float
    centre: FloatArray
    spread: FloatArray


def opinions(those: Sequence[Network], seen: Description, weight: FloatArray, k1: int) -> list[Opinion]:
    """What each network makes of the examples; and, from many classes, the tails pooled among examples that lie alike.

    The latter are moved to agree with what was measured. Their share grows with log k₁: few of the populations that the
    networks learnt from had thousands of measured classes, and so many show the tail as it is.
    """
    pooled = _pooled_share(k1) if seen.scored else 0.0
    found = [Opinion((1 - pooled) / len(those), *network.laws(seen, weight, k1)) for network in those]
    if pooled > 0:
        z = seen.z[:, LOCAL]
        shift, _ = anchor(z, weight, seen.context[CURVE.start], k1, steps=8)
        found.append(Opinion(pooled, z + shift, np.full(len(z), _NARROW)))
    return found


def _pooled_share(k1: int) -> float:
    first, last = np.log(POOLED_FROM)
    return float(POOLED_AT_MOST * np.clip((np.log(k1) - first) / (last - first), 0, 1))


def averaged(those: Sequence[Opinion], weight: FloatArray) -> Favourability:
    """The average of several opinions."""
    share, centre, spread = zip(*those, strict=True)
    return gathered(np.concatenate(centre), np.concatenate(spread), np.outer(share, weight).ravel())


@cache
def networks(kind: Kind) -> Sequence[Network]:
    """The networks that ship with the package for evidence with scores, or with ranks only."""
    stored: dict[int, dict[str, Any]] = {}
    with files(__package__).joinpath(f"{kind}.npz").open("rb") as file, np.load(file, allow_pickle=False) as layers:
        for name in layers.files:
            number, _, layer = name.partition("/")
            stored.setdefault(int(number), {})[layer] = layers[name].astype(float)
    return tuple(Network(stored[number]) for number in sorted(stored))
