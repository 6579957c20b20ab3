"""Uncertainty from the sampling of classes: the bootstrap over classes.

Each replicate draws as many classes as have test examples, with replacement; a class brings all its examples, and
each example keeps the rivals that it was measured against. (Drawing rivals with replacement too would let copies of
one class compete, and tie, with each other.)
"""

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
    draws = np.empty((replicates, len(k)))
    inside = k <= metric.reach(evidence.k1)
    rows = max(1, _CHUNK // len(evidence))
    for start in range(0, replicates, rows):
        part = slice(start, min(start + rows, replicates))
        weights = bootstrap_weights(evidence, part.stop - part.start, weight_rng)
        if inside.any():
            draws[part, inside] = measured_values(evidence, weights, k[inside], metric)
        if not inside.all():
            draws[part, ~inside] = method.replicate(evidence, weights, k[~inside], metric, method_rng)
    return draws
