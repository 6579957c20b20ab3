"""Uncertainty from the sampling of classes: the bootstrap over classes.

Each replicate draws as many classes as have test examples, with replacement; a class brings all its examples, and
each example keeps the rivals that it was measured against. (Drawing rivals with replacement too would let copies of
one class compete, and tie, with each other.)
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ._typing import FloatArray, IntArray
from .curve import measured_values
from .evidence import Evidence
from .metrics import Metric
from .parallel import spread

if TYPE_CHECKING:
    from .methods.base import Method

Draw = Callable[[int, np.random.Generator], FloatArray]
_HELD = 2**25  # weights held at once
_AT_ONCE = 20  # replicates drawn at a time


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
    return resample(evidence, method, k, metric, replicates, partial(bootstrap_weights, evidence), rng)


def resample(
    evidence: Evidence,
    method: "Method",
    k: IntArray,
    metric: Metric,
    replicates: int,
    draw: Draw,
    rng: np.random.Generator,
) -> FloatArray:
    """Metric at each ``k`` under resampled weights, exact as far as it was measured: replicates × k.

    ``draw`` makes so many rows of weights of the examples. It is called for a few replicates at a time, each time with
    a generator of its own, so two calls with the same seed draw alike whatever the evidence. As many replicates as
    fit in memory are one piece of work.
    """
    weight_rng, method_rng = rng.spawn(2)
    sizes = [min(_AT_ONCE, replicates - start) for start in range(0, replicates, _AT_ONCE)]
    draws = list(zip(sizes, weight_rng.spawn(len(sizes)), strict=True))
    step = max(1, _HELD // (_AT_ONCE * len(evidence)))
    chunks = [draws[start : start + step] for start in range(0, len(draws), step)]
    jobs = list(zip(chunks, method_rng.spawn(len(chunks)), strict=True))
    return np.concatenate(spread(_values, jobs, evidence, method, k, metric, draw, what="replicates"))


def _values(
    job: tuple[list[tuple[int, np.random.Generator]], np.random.Generator],
    evidence: Evidence,
    method: "Method",
    k: IntArray,
    metric: Metric,
    draw: Draw,
) -> FloatArray:
    """The metric in some replicates."""
    draws, rng = job
    weights = np.concatenate([draw(number, stream) for number, stream in draws])
    values = np.empty((len(weights), len(k)))
    inside = k <= metric.reach(evidence.k1)
    if inside.any():
        values[:, inside] = measured_values(evidence, weights, k[inside], metric)
    if not inside.all():
        values[:, ~inside] = method.replicate(evidence, weights, k[~inside], metric, rng)
    return values
