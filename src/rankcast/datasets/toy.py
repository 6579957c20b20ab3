"""The paper's toy model: labels and examples are bivariate normal with correlation ρ.

A label y is recognised from x ~ N(ρy, 1-ρ²) by the score -(x - ρy)². Everything is known in closed form:

    1 - U* = Φ((x + δ)/ρ) - Φ((x - δ)/ρ),    δ = |ρy - x|,

the probability that a random label comes nearer to x than y does. (The paper prints this as U*, and leaves out
the factor ρ in the formula for the accuracy of a given set of labels; both are corrected here.)
"""

import numpy as np
from scipy.special import ndtr, ndtri

from .._typing import Counts, FloatArray, Seed
from ..errors import InputError
from ..evidence import Evidence
from ..favourability import Favourability


def _check(rho: float) -> float:
    if not 0.05 <= rho < 1:
        raise InputError(f"rho must lie between 0.05 and 1, found {rho}")
    return float(rho)


def outranked(x: FloatArray, distance: FloatArray, rho: float) -> FloatArray:
    """1 - U*: how likely a random label is nearer to ``x`` than ``distance``."""
    side = -np.abs(x)  # the left tail keeps its precision
    return np.asarray(ndtr((side + distance) / rho) - ndtr((side - distance) / rho))


def simulate(k: int, rho: float, examples: int = 1, rng: Seed = None) -> Evidence:
    """Measure ``k`` labels with some test ``examples`` each."""
    generator = np.random.default_rng(rng)
    y = generator.standard_normal(k)
    label = np.repeat(np.arange(k), examples)
    x = _check(rho) * y[label] + np.sqrt(1 - rho**2) * generator.standard_normal(len(label))
    return Evidence.from_embeddings(rho * y[:, None], np.arange(k), x[:, None], label)


def favourability(rho: float) -> Favourability:
    """The distribution of U*, as nodes of a two-dimensional quadrature.

    X is standard normal, and ρY - X given X = x is N((ρ²-1)x, ρ²(1-ρ²)). The grid of distances is logarithmic,
    so that accuracies stay exact for k up to 10⁹.

    Examples
    --------
    >>> favourability(0.7).value([2, 10]).round(6)
    array([0.692922, 0.217305])
    """
    mean_of_x, spread = _check(rho) ** 2 - 1, rho * np.sqrt(1 - rho**2)
    x = np.arange(-9.0, 9.01, min(0.1, rho / 4))[:, None]
    distance = np.exp(np.arange(-32.0, 3.0, min(0.04, rho / 3)))
    mean = mean_of_x * x
    both = sum(np.exp(-0.5 * ((sign * distance - mean) / spread) ** 2) for sign in (-1, 1))
    weight = np.exp(-0.5 * x**2) * both * distance
    with np.errstate(divide="ignore"):
        z = -ndtri(outranked(x, distance, rho))
    keep = weight > 1e-20 * weight.max()
    return Favourability(z[keep], weight[keep] / weight[keep].sum())


def cdf(u: object, rho: float) -> FloatArray:
    """D(u) = P(U* ≤ u): for each x, the chance that y lies beyond the distance where U* = u."""
    target = 1 - np.asarray(u, float)[..., None]
    x = np.arange(-9.0, 9.01, 0.05)
    low = np.zeros(np.broadcast_shapes(target.shape, x.shape))
    high = np.full(low.shape, 20.0)
    for _ in range(60):
        middle = (low + high) / 2
        nearer = outranked(x, middle, _check(rho)) < target
        low, high = np.where(nearer, middle, low), np.where(nearer, high, middle)
    mean, spread = (rho**2 - 1) * x, rho * np.sqrt(1 - rho**2)
    beyond = ndtr((-low - mean) / spread) + ndtr(-(low - mean) / spread)
    weight = np.exp(-0.5 * x**2)
    return np.asarray(beyond @ (weight / weight.sum()))


def aga(k: Counts, rho: float) -> FloatArray:
    """Average accuracy AGA_k on ``k`` random labels."""
    return favourability(rho).value(k)


def ga(labels: object, rho: float) -> FloatArray:
    """Accuracy GA_k of the given set(s) of labels (along the last axis).

    Each label owns the x up to the midpoints towards its neighbours, and x is N(ρy, 1-ρ²).
    """
    y = np.sort(np.asarray(labels, float), axis=-1)
    half = _check(rho) * np.diff(y, axis=-1) / (2 * np.sqrt(1 - rho**2))
    reach = ndtr(half).sum(axis=-1)  # up to the neighbour above, and by symmetry to the one below
    count = y.shape[-1]
    return np.asarray((2 * (reach + 1) - count) / count)
