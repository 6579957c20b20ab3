"""Uncertainty from the sampling of classes: the bootstrap over classes.

Each replicate draws as many classes as have test examples, with replacement; a class brings all its examples, and
each example keeps the rivals that it was measured against. (Drawing rivals with replacement too would let copies of
one class compete, and tie, with each other.)
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ._typing import FloatArray, IntArray
from .curve import measured_values
from .evidence import Evidence
from .metrics import Metric

if TYPE_CHECKING:
    from .methods.base import Method

_CHUNK = 2**25  # weights held at once


def bootstrap_weights(evidence: Evidence, replicates: int, rng: np.random.Generator) -> FloatArray:
    """Weights of the examples in each replicate: a matrix, replicates × examples."""
    present, code = np.unique(evidence.label, return_inverse=True)
    copies = rng.multinomial(len(present), np.full(len(present), 1.0 / len(present)), size=replicates)
    weights = evidence.weight * copies[:, code]
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def bootstrap(
    evidence: Evidence, method: "Method", k: IntArray, metric: Metric, replicates: int, rng: np.random.Generator
) -> FloatArray:
    """Metric at each ``k`` in each replicate: exact up to k₁, by the method beyond."""
    weight_rng, method_rng = rng.spawn(2)

    def draw(number: int) -> FloatArray:
        return bootstrap_weights(evidence, number, weight_rng)

    return resample(evidence, method, k, metric, replicates, draw, method_rng)


def resample(
    evidence: Evidence,
    method: "Method",
    k: IntArray,
    metric: Metric,
    replicates: int,
    draw: Callable[[int], FloatArray],
    rng: np.random.Generator,
) -> FloatArray:
    """Metric at each ``k`` under resampled weights, exact as far as it was measured: replicates × k.

    ``draw`` makes that many rows of weights of the examples; a chunk of them is held at a time.
    """
    values = np.empty((replicates, len(k)))
    inside = k <= metric.reach(evidence.k1)
    rows = max(1, _CHUNK // len(evidence))
    for start in range(0, replicates, rows):
        part = slice(start, min(start + rows, replicates))
        weights = draw(part.stop - part.start)
        if inside.any():
            values[part, inside] = measured_values(evidence, weights, k[inside], metric)
        if not inside.all():
            values[part, ~inside] = method.replicate(evidence, weights, k[~inside], metric, rng)
    return values
