"""How often the interval of the exact curve covers AGA_k.

The bootstrap draws classes and keeps each example's rivals, so it sees the spread of the examples and not that of the
rivals. At k near k₁ few rivals matter and coverage is close to nominal; at small k every example meets the same
rivals, and intervals are too short. The bounds below say so: 300 simulations have a standard error of 0.02.
"""

import numpy as np
import pytest

from rankcast.curve import measured_values
from rankcast.datasets import toy
from rankcast.intervals import bootstrap_weights
from rankcast.metrics import TOP1

SIMULATIONS, LEVEL = 300, 0.9


def coverage(k1, rho, k):
    rng = np.random.default_rng(7)
    truth = toy.aga(k, rho)
    hits = np.zeros(len(k))
    for _ in range(SIMULATIONS):
        evidence = toy.simulate(k1, rho, rng=rng)
        draws = measured_values(evidence, bootstrap_weights(evidence, 200, rng), k, TOP1)
        low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        hits += (low <= truth) & (truth <= high)
    return hits / SIMULATIONS


@pytest.mark.parametrize("rho", [0.9, 0.99])
def test_at_large_k(rho):
    found = coverage(40, rho, np.array([20, 40]))
    assert np.all((found > 0.80) & (found < 0.97)), found


def test_at_small_k():
    found = coverage(40, 0.99, np.array([2, 5]))
    assert np.all((found > 0.72) & (found < 0.97)), found
