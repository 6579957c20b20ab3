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
    if not 0 < rho < 1:
        raise InputError(f"rho must lie between 0 and 1, found {rho}")
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

    With x = ρy + √(1-ρ²) ε, the labels that are nearer to x than y lie between y and y + 2√(1-ρ²) ε/ρ, whose
    sign may be taken as positive. The grid of ε is logarithmic, so that accuracies stay exact for k up to 10⁹.

    Examples
    --------
    >>> favourability(0.7).value([2, 10]).round(6)
    array([0.692922, 0.217305])
    """
    reach = 2 * np.sqrt(1 - _check(rho) ** 2) / rho
    y = np.arange(-9.0, 9.01, 0.1)[:, None]
    noise = np.exp(np.arange(-36.0, 2.4, 0.04))
    far = y + reach * noise
    nearer = np.where(y > 0, ndtr(-y) - ndtr(-far), ndtr(far) - ndtr(y))
    weight = np.exp(-0.5 * (y**2 + noise**2)) * noise
    keep = weight > 1e-20 * weight.max()
    with np.errstate(divide="ignore"):
        z = -ndtri(np.maximum(nearer[keep], 0))
    return Favourability(z, weight[keep] / weight[keep].sum())


def cdf(u: object, rho: float) -> FloatArray:
    """D(u) = P(U* ≤ u): for each y, the chance that the noise reaches beyond where U* = u."""
    y = np.arange(-9.0, 9.01, 0.005)
    limit = np.clip(ndtr(y) + 1 - np.asarray(u, float)[..., None], 0, 1)
    with np.errstate(over="ignore"):
        noise = (ndtri(limit) - y) * _check(rho) / (2 * np.sqrt(1 - rho**2))
    weight = np.exp(-0.5 * y**2)
    return np.asarray(2 * ndtr(-noise) @ (weight / weight.sum()))


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
