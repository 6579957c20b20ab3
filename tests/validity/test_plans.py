"""Whether measuring what the plan says gives the interval that was asked for."""

import numpy as np
import pytest

import rankcast as rc
from rankcast.datasets import gaussian, toy


def width(evidence, k, seed):
    made = rc.forecast(evidence, k, method="gaussian", rng=seed, replicates=100)
    return float(made.high[0] - made.low[0])


def test_classes():
    """From 200 classes to an interval a third as wide, at 2000 classes."""
    plans = [
        rc.plan(
            gaussian.simulate(200, 0.2, rng=seed),
            2000,
            0.06,
            method="gaussian",
            rng=seed,
            repetitions=2,
            replicates=100,
        )
        for seed in range(3)
    ]
    needed = int(np.exp(np.mean([np.log(found.classes[0]) for found in plans])))
    got = np.mean([width(gaussian.simulate(needed, 0.2, rng=10 + seed), 2000, seed) for seed in range(3)])
    assert got == pytest.approx(0.06, rel=0.25)


def test_examples():
    """From four examples per class to sixteen: classes stay, the interval narrows by what the plan knows."""
    pilots = [toy.simulate(100, 0.9999, examples=4, rng=seed) for seed in range(5)]
    plans = [rc.plan(pilot, 400, 0.1, method="gaussian", rng=0, repetitions=1) for pilot in pilots]
    share = np.mean([found.within for found in plans])
    now = np.mean([found.measured_width for found in plans])
    got = np.mean([width(toy.simulate(100, 0.9999, examples=16, rng=20 + seed), 400, seed) for seed in range(5)])
    assert got == pytest.approx(now * np.sqrt(1 - 0.75 * share), rel=0.2)
