"""Setting the level of noise of a population, so that its accuracy is what was asked for."""

import numpy as np

from .populations import Population
from .sampling import Rng, log_uniform

LEVELS = (1e-3, 30.0)
PILOT = 400
LARGEST_PILOT_GALLERY = 2000


def target_accuracy(rng: Rng, k: int) -> float:
    """An accuracy to aim at: high (.9 to .999), medium or low (.02 to .1), but above chance."""
    kind = rng.random()
    if kind < 0.4:
        return 1 - log_uniform(rng, 0.001, 0.1)
    if kind < 0.88:
        return rng.uniform(0.1, 0.9)
    return max(log_uniform(rng, 0.02, 0.1), min(0.5, 3.0 / k))


def pilot_accuracy(population: Population, k: int, seed: int) -> float:
    """Accuracy among ``k`` classes from a small simulation; the same seed gives common random numbers."""
    rng = np.random.default_rng(seed)
    classes = population.classes(max(k, PILOT), rng)
    probes = population.tests(classes, np.arange(PILOT), rng)
    core = population.core(probes, classes.entries)
    core[np.arange(PILOT), probes.owner] = -np.inf
    lost = np.count_nonzero(core > probes.own[:, None], axis=1)
    tied = np.count_nonzero(core == probes.own[:, None], axis=1)
    if len(classes) == k:
        return float(np.mean((lost == 0) / (1.0 + tied)))
    return float(np.mean((1 - (lost + tied / 2) / (len(classes) - 1)) ** (k - 1)))


def calibrate(population: Population, k: int, target: float, seed: int, steps: int = 9) -> tuple[Population, float]:
    """The population at the level of noise where its accuracy at ``k`` classes is ``target``, by bisection.

    Returns it with the accuracy found, which is another one if the target is out of reach.
    """
    k = min(k, LARGEST_PILOT_GALLERY)
    low, high = np.log(LEVELS)
    best = population.at_level(LEVELS[0])
    reached = pilot_accuracy(best, k, seed)
    if reached <= target:
        return best, reached
    for _ in range(steps):
        middle = (low + high) / 2
        best = population.at_level(float(np.exp(middle)))
        reached = pilot_accuracy(best, k, seed)
        if reached > target:
            low = middle
        else:
            high = middle
    return best, reached


def fit_report(population: Population, seed: int) -> Population:
    """The population with the centre and scale of its reported scores set from a small simulation."""
    rng = np.random.default_rng(seed)
    classes = population.classes(500, rng)
    probes = population.tests(classes, np.arange(100), rng)
    scores = population.finish(population.core(probes, classes.entries), probes)
    return population.reporting(population.report.fitted(scores))
