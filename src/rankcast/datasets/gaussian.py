"""The paper's simulation: isotropic Gaussian classes, one training example each, nearest neighbour.

Labels are Y ~ N(0, I_p); training and test examples are N(Y, σ²I). A random rival's training example is
N(0, (1+σ²)I), so for a test example x at distance r from that of its own class, with v = 1 + σ²,

    1 - U* = F(r²/v; p, |x|²/v),    F the noncentral χ² cdf,

and AGA_k = E[U*^(k-1)] is a two-dimensional integral over |x|² and r².
"""

import numpy as np
from scipy.special import chdtri, chndtr, ive, ndtr, ndtri

from .._typing import Counts, FloatArray, Seed
from ..errors import InputError
from ..evidence import Evidence
from ..favourability import Favourability


def _check(sigma2: float) -> float:
    if not sigma2 > 0:
        raise InputError(f"sigma2 must be positive, found {sigma2}")
    return float(sigma2)


def draw(k: int, sigma2: float, p: int = 10, rng: Seed = None) -> tuple[FloatArray, FloatArray]:
    """One training and one test example of each of ``k`` classes."""
    generator = np.random.default_rng(rng)
    centre = generator.standard_normal((k, p))
    noise = np.sqrt(_check(sigma2)) * generator.standard_normal((2, k, p))
    return centre + noise[0], centre + noise[1]


def simulate(k: int, sigma2: float, p: int = 10, rng: Seed = None) -> Evidence:
    """Measure ``k`` classes, one test example each, with scores -distance."""
    train, test = draw(k, sigma2, p, rng)
    return Evidence.from_embeddings(train, np.arange(k), test, np.arange(k))


def probit(train: FloatArray, test: FloatArray, sigma2: float) -> FloatArray:
    """Exact Φ⁻¹(U*) of test examples, given the training example of their own class."""
    square = ((train - test) ** 2).sum(axis=1)
    return _probit((test**2).sum(axis=1), square, sigma2, train.shape[1])


def _probit(length: FloatArray, square: FloatArray, sigma2: float, p: int) -> FloatArray:
    v = 1 + sigma2
    with np.errstate(divide="ignore"):
        return np.asarray(-ndtri(chndtr(square / v, p, length / v)))


def favourability(sigma2: float, p: int = 10) -> Favourability:
    """The distribution of U*, as nodes of a two-dimensional quadrature.

    |x|² is v χ²_p. Given x, the vector to the own training example is N((1-1/v)x, (v-1/v)I), so its squared
    length is (v-1/v) times a noncentral χ² with noncentrality (1-1/v)²|x|²/(v-1/v).

    Examples
    --------
    >>> favourability(0.2).value([500, 10_000]).round(4)
    array([0.624, 0.247])
    """
    v = 1 + _check(sigma2)
    s, a = v - 1 / v, 1 - 1 / v
    grid = np.arange(-8.0, 8.01, 0.2)  # a standard normal variable, mapped to |x|² by its quantile
    length = v * chdtri(p, ndtr(-grid))
    offset = (a**2 * length / s)[:, None]
    square = np.exp(np.arange(-70.0 / p, np.log(2 * p + 4 * offset.max() + 200), 0.025))
    # the noncentral χ² density, times the square because the grid is logarithmic
    inner = np.exp((p / 4) * np.log(square) - 0.5 * (np.sqrt(square) - np.sqrt(offset)) ** 2)
    inner *= np.sqrt(square) * ive(p / 2 - 1, np.sqrt(offset * square)) / offset ** (p / 4 - 0.5)
    outer = np.exp(-0.5 * grid**2)[:, None]
    weight = outer * inner
    keep = weight > 1e-18 * weight.max()
    lengths = np.broadcast_to(length[:, None], weight.shape)[keep]
    squares = np.broadcast_to(s * square, weight.shape)[keep]
    return Favourability(_probit(lengths, squares, sigma2, p), weight[keep] / weight[keep].sum())


def aga(k: Counts, sigma2: float, p: int = 10) -> FloatArray:
    """Average accuracy AGA_k on ``k`` random classes."""
    return favourability(sigma2, p).value(k)
