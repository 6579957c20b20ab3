"""What the questions share: seeds, and forecasts under resampled weights, a chunk at a time."""

from collections.abc import Callable

import numpy as np

from ._typing import FloatArray, IntArray, Seed
from .curve import measured_values
from .errors import InputError
from .evidence import Evidence
from .methods.base import Method
from .metrics import Metric

_CHUNK = 2**25  # weights held at once


def seeded(rng: Seed) -> tuple[int | str, np.random.Generator]:
    """A source of randomness from what a user gave, and what it takes to get it again."""
    if isinstance(rng, np.random.Generator):
        return "a Generator", rng
    if rng is None:
        rng = int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError(f"rng must be None, a whole number ≥ 0 or a numpy Generator, found {rng!r}")
    return int(rng), np.random.default_rng(rng)


def generator(rng: Seed) -> np.random.Generator:
    """A source of randomness from what a user gave."""
    return seeded(rng)[1]


def resample(
    evidence: Evidence,
    method: Method,
    k: IntArray,
    metric: Metric,
    replicates: int,
    draw: Callable[[int], FloatArray],
    rng: np.random.Generator,
) -> FloatArray:
    """Metric at each ``k`` under resampled weights, exact as far as it was measured: replicates × k.

    ``draw`` makes that many rows of weights of the examples.
    """
    inside = k <= metric.reach(evidence.k1)
    values = np.empty((replicates, len(k)))
    rows = max(1, _CHUNK // len(evidence))
    for part in np.array_split(np.arange(replicates), -(-replicates // rows)):
        weights = draw(len(part))
        if inside.any():
            values[np.ix_(part, inside)] = measured_values(evidence, weights, k[inside], metric)
        if not inside.all():
            values[np.ix_(part, ~inside)] = method.replicate(evidence, weights, k[~inside], metric, rng)
    return values
