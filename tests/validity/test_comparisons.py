"""How often the interval of a paired difference covers the true one."""

import numpy as np

import rankcast as rc
from rankcast.datasets import gaussian

from ..test_compare import systems


def test_the_difference_is_covered():
    """The right family, six times the classes measured: 40 simulations have a standard error of 0.05."""
    rng, k = np.random.default_rng(11), 600
    truth = float(gaussian.aga(k, 0.2) - gaussian.aga(k, 0.15))
    found = [rc.compare(*systems(100, 0.15, 0.2, rng), k, method="gaussian", rng=rng, replicates=80) for _ in range(40)]
    covered = np.mean([one.low[0] <= truth <= one.high[0] for one in found])
    assert 0.76 < covered <= 1
    assert abs(np.mean([one.difference[0] for one in found]) - truth) < 0.03
