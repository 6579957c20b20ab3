"""What the scores of one test example say about its favourability: a few numbers for each row of scores.

None of them changes when a row is shifted or stretched, and none depends on the number of rivals but through
what it estimates.
"""

import numpy as np
from scipy.special import ndtri

from .._typing import FloatArray, IntArray
from ..ranking import Scores, blocks, rivals_and_truth

PLACES = (1, 2, 4, 8, 16, 32, 64)  # order statistics of the rivals' scores that are looked at
TAILS = (8, 32)  # sizes of the upper tails to which an exponential is fitted
LOWEST, HIGHEST = -6.0, 10.0  # probits beyond these are not told apart
_BYTES = 2**21
_TINY = 1e-30

ROW_ESTIMATES = (*(f"tail{r}" for r in TAILS), "moments")
ROW_SHAPES = (
    *(f"gap{r}" for r in PLACES),
    *(f"space{r}" for r in PLACES),
    "standard",
    "skewness",
    "kurtosis",
    "reach",
)


def probit(upper: FloatArray) -> FloatArray:
    """Φ⁻¹(1 − upper), within the range that is told apart."""
    return np.asarray(np.clip(-ndtri(np.clip(upper, _TINY, 1.0)), LOWEST, HIGHEST))


def describe_rows(scores: Scores, label: IntArray) -> tuple[FloatArray, FloatArray]:
    """Estimates of Φ⁻¹(U*) from each row alone (``ROW_ESTIMATES``), and its shape (``ROW_SHAPES``)."""
    estimates = np.empty((len(label), len(ROW_ESTIMATES)))
    shapes = np.empty((len(label), len(ROW_SHAPES)))
    for rows in blocks(scores.shape, _BYTES):
        estimates[rows], shapes[rows] = _describe(*_standardised(scores.block(rows), label[rows]))
    shift = _pooled_skewness(shapes[:, ROW_SHAPES.index("skewness")])
    estimates[:, -1] = _pearson(shapes[:, ROW_SHAPES.index("standard")], shift)
    return estimates, shapes


def _standardised(scores: FloatArray, label: IntArray) -> tuple[FloatArray, FloatArray]:
    """Rivals from the highest down, and the truth, in standard units of the rivals."""
    rivals, truth = rivals_and_truth(scores, label)
    size = np.abs(rivals).max(axis=1)
    size = np.where(size > 0, size, 1.0)
    rivals /= size[:, None]
    with np.errstate(over="ignore"):
        truth = np.clip(truth / size, -1e9, 1e9)
    mean, sd = rivals.mean(axis=1), rivals.std(axis=1)
    sd = np.where(sd > 1e-12, sd, 1.0)
    ordered = ((rivals - mean[:, None]) / sd[:, None]).astype(np.float32)
    ordered.sort(axis=1)
    return ordered[:, ::-1], np.clip((truth - mean) / sd, -1e6, 1e6)


def _describe(rivals: FloatArray, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
    n, m = rivals.shape
    median, upper = rivals[:, (m - 1) // 2], rivals[:, min(int(np.ceil(0.1 * m)), m - 1)]
    reach = np.where(upper - median > 0.05, upper - median, 1.0).astype(float)
    place = [min(r, max(1, m // 2)) - 1 for r in PLACES]
    twice = [min(2 * (p + 1), m) - 1 for p in place]
    gaps = [np.arcsinh((truth - rivals[:, p]) / reach) for p in place]
    spaces = [np.arcsinh(4 * (rivals[:, p] - rivals[:, q]) / reach) for p, q in zip(place, twice, strict=True)]
    outranked = np.maximum((rivals >= truth[:, None]).mean(axis=1), 0.5 / m)
    tails = [probit(_exponential_tail(rivals, truth, r, reach, outranked)) for r in TAILS]
    square = rivals * rivals
    third, fourth = (square * rivals).mean(axis=1), (square * square).mean(axis=1)
    shape = [*gaps, *spaces, np.clip(truth, -6, 12), third, np.log(np.maximum(fourth, 1.0)), np.log(reach)]
    return np.stack([*tails, np.zeros(n)], axis=1), np.stack(shape, axis=1)


def _exponential_tail(
    rivals: FloatArray, truth: FloatArray, size: int, reach: FloatArray, outranked: FloatArray
) -> FloatArray:
    """1−U* by an exponential with the mean excess of the highest rivals over the next one."""
    m = rivals.shape[1]
    size = min(size, max(1, m // 3))
    cut = rivals[:, min(size, m - 1)].astype(float)
    excess = np.maximum((rivals[:, :size] - cut[:, None]).mean(axis=1), 1e-3 * reach)
    beyond = (size + 0.5) / (m + 1) * np.exp(-np.clip((truth - cut) / excess, -2, 60))
    return np.where(truth > cut, beyond, outranked)


def _pooled_skewness(skewness: FloatArray) -> FloatArray:
    """Skewness of each row drawn halfway to the middle of them all: that of one row is noisy."""
    return np.clip(0.5 * skewness + 0.5 * np.median(skewness), -2.0, 2.0)


def _pearson(standard: FloatArray, skewness: FloatArray) -> FloatArray:
    """Φ⁻¹ of the share of a Pearson type III law below ``standard``, by the cube root of Wilson and Hilferty."""
    skew = np.where(np.abs(skewness) < 1e-3, 1e-3, skewness)
    inner = np.maximum(1 + skew * standard / 2, 1e-3)
    return np.asarray(np.clip(6 / skew * (np.cbrt(inner) - 1) + skew / 6, LOWEST, HIGHEST))
