"""What the scores of one test example say about its favourability: a few numbers for each row of scores.

None of them depends on the number of rivals but through what it estimates. None changes when a row is shifted or
stretched, but for two that look at distances and cosines as such: the smallest follow a power law (``near``), and some
power of them is nearly normal (``bent``).
"""

import numpy as np
from scipy.special import ndtri

from .._typing import FloatArray, IntArray
from ..ranking import Scores, blocks, rivals_and_truth
from .margins import MANY, UNBOUNDED, Margins
from .neighbours import Rows

PLACES = (1, 2, 4, 8, 16, 32, 64)  # order statistics of the rivals' scores that are looked at
TAILS = (8, 32)  # sizes of the upper tails to which an exponential is fitted
NEAREST = 32  # rivals whose distances a power law is fitted to
UPPER, BROAD = 32, 0.1  # number and share of the highest rivals that a line is fitted to
LOWEST, HIGHEST = -6.0, 10.0  # probits beyond these are not told apart
POWERS = (1.0, 2 / 3, 1 / 2, 1 / 3, 1 / 6)  # of distances, to make their law symmetric
_LOOKED_AT = 64  # rows to choose the power by
_BYTES = 2**21
_TINY = 1e-30
_ORDERED = 2 * PLACES[-1]

ROW_ESTIMATES = (*(f"tail{r}" for r in TAILS), "near", "line", "broad", "lines", "bent", "moments", "local", "upper")
ROW_SHAPES = (
    *(f"gap{r}" for r in PLACES),
    *(f"space{r}" for r in PLACES),
    "standard",
    "skewness",
    "kurtosis",
    "reach",
    "perfect",
    "relative",
    "dimension",
)


def probit(upper: FloatArray) -> FloatArray:
    """Φ⁻¹(1 − upper), within the range that is told apart."""
    return np.asarray(np.clip(-ndtri(np.clip(upper, _TINY, 1.0)), LOWEST, HIGHEST))


def describe_rows(scores: Scores, label: IntArray) -> tuple[FloatArray, FloatArray, Margins]:
    """Estimates of Φ⁻¹(U*) from each row alone (``ROW_ESTIMATES``), its shape (``ROW_SHAPES``), and its margin."""
    m = scores.shape[1] - 1
    upper = np.minimum(np.arange(min(MANY, max(1, m // 3)) + 1), m - 1)
    top, ends = np.empty((len(label), len(upper))), np.empty((len(label), 4))
    own = np.empty((len(label), len(ROW_ESTIMATES) - 5))
    shapes = np.empty((len(label), len(ROW_SHAPES)))
    lines = np.empty((len(label), 2, 3))  # of scores as they are and bent: intercept, slope, and the truth
    bend = _straightest(scores, label)
    pooling = Rows.blank(len(label), m)
    for rows in blocks(scores.shape, _BYTES):
        rivals, truth, perfect, centre = _standardised(scores.block(rows), label[rows])
        outranked = np.maximum((rivals >= truth[:, None]).mean(axis=1), 0.5 / m)
        pooling.add(rows, rivals, truth, outranked, centre)
        line, broad = _line(rivals, UPPER), _line(rivals, int(np.ceil(BROAD * m)))
        own[rows], shapes[rows] = _describe(rivals, truth, perfect, outranked, line, broad)
        lines[rows, 0] = np.column_stack([*line, truth])
        top[rows], ends[rows] = rivals[:, upper], np.column_stack([truth, perfect, line[1], broad[1]])
        bent, place = _bent(rivals, truth, perfect, bend)
        lines[rows, 1] = np.column_stack([*_line(bent, UPPER), place])
    start, slope = np.median(lines[..., :2], axis=0).T
    common = np.clip((lines[..., 2] - start) / slope, LOWEST, HIGHEST)
    skewness = _pooled_skewness(shapes[:, ROW_SHAPES.index("skewness")])
    moments = _pearson(shapes[:, ROW_SHAPES.index("standard")], skewness)
    pooled = np.clip(pooling.estimates(), LOWEST, HIGHEST)
    return np.column_stack([own, common, moments, *pooled]), shapes, Margins(top, *ends.T)


def _straightest(scores: Scores, label: IntArray) -> float:
    """The power of the distance to the perfect match whose law has the least skewness, in some of the rows."""
    rows = slice(0, min(_LOOKED_AT, len(label)))
    rivals, truth, perfect, _ = _standardised(scores.block(rows), label[rows])
    bent = [_bent(rivals, truth, perfect, power)[0] for power in POWERS]
    skewness = [abs(float(np.median((x * x * x).mean(axis=1)))) for x in bent]
    return POWERS[int(np.argmin(skewness))]


def _bent(rivals: FloatArray, truth: FloatArray, perfect: FloatArray, power: float) -> tuple[FloatArray, FloatArray]:
    """Rivals and truth by a power of the distance to the perfect match, in standard units again."""
    if power == 1:
        return rivals, truth
    scale = perfect.astype(np.float32)
    bent = np.maximum(1 - rivals / scale[:, None], np.float32(0))
    np.power(bent, np.float32(power), out=bent)
    mean, sd = bent.mean(axis=1, dtype=float), bent.std(axis=1, dtype=float)
    sd = np.where(sd > 1e-9, sd, 1.0)
    place = np.maximum(1 - truth / perfect, 0) ** power
    return ((mean[:, None] - bent) / sd[:, None]).astype(np.float32), (mean - place) / sd


def _standardised(scores: FloatArray, label: IntArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Rivals from the highest down, the truth, and the score of a perfect match, in standard units of the rivals.

    Also these units: the mean of the rivals, and the logarithm of their standard deviation.

    Of the rivals, the highest (``_ORDERED`` of them, or a ``BROAD`` share) and the middle one are in their places.

    Scores that are never positive are taken as negative distances, others that are never above one as cosines. If they
    are above, no score is perfect.
    """
    rivals, truth = rivals_and_truth(scores, label)
    top = np.maximum(rivals.max(axis=1), truth)
    size = np.abs(rivals).max(axis=1)
    size = np.where(size > 0, size, 1.0)
    rivals /= size[:, None]
    with np.errstate(over="ignore"):
        truth = np.clip(truth / size, -1e9, 1e9)
    mean, sd = rivals.mean(axis=1), rivals.std(axis=1)
    sd = np.where(sd > 1e-12, sd, 1.0)
    ordered = ((rivals - mean[:, None]) / sd[:, None]).astype(np.float32)
    _sort_upper(ordered)
    perfect = (np.where(top <= 0, 0.0, 1 / np.maximum(size, 1e-9)) - mean) / sd
    perfect = np.where(top <= 1, np.clip(perfect, 1e-6, UNBOUNDED), UNBOUNDED)
    centre = np.stack([size * mean, np.log(size) + np.log(sd)])
    return ordered[:, ::-1], np.clip((truth - mean) / sd, -1e6, 1e6), perfect, centre


def _sort_upper(rivals: FloatArray) -> None:
    """Put the highest rivals of each row, and the one in the middle, in ascending order, in place."""
    m = rivals.shape[1]
    first = m - 1 - max(_ORDERED, int(np.ceil(BROAD * m)))
    if first <= m // 2:
        rivals.sort(axis=1)
        return
    rivals.partition((m // 2, first), axis=1)
    rivals[:, first:].sort(axis=1)


def _describe(
    rivals: FloatArray,
    truth: FloatArray,
    perfect: FloatArray,
    outranked: FloatArray,
    line: tuple[FloatArray, FloatArray],
    broad: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Estimates from each row alone, and its shape."""
    m = rivals.shape[1]
    median, upper = rivals[:, (m - 1) // 2], rivals[:, min(int(np.ceil(0.1 * m)), m - 1)]
    reach = np.where(upper - median > 0.05, upper - median, 1.0).astype(float)
    place = [min(r, max(1, m // 2)) - 1 for r in PLACES]
    twice = [min(2 * (p + 1), m) - 1 for p in place]
    gaps = [np.arcsinh((truth - rivals[:, p]) / reach) for p in place]
    spaces = [np.arcsinh(4 * (rivals[:, p] - rivals[:, q]) / reach) for p, q in zip(place, twice, strict=True)]
    tails = [probit(_exponential_tail(rivals, truth, r, reach, outranked)) for r in TAILS]
    near, power = _power_law(rivals, truth, perfect, reach, outranked)
    square = rivals * rivals
    third, fourth = (square * rivals).mean(axis=1), (square * square).mean(axis=1)
    shape = [*gaps, *spaces, np.clip(truth, -6, 12), third, np.log(np.maximum(fourth, 1.0)), np.log(reach)]
    relative = np.clip((perfect - truth) / np.maximum(perfect, 1.0), 1e-3, 10.0)
    shape += [np.log(np.clip(perfect, 0.5, UNBOUNDED)), np.log(relative), np.log(np.clip(power, 0.3, 300.0))]
    lines = [_along(each, rivals, truth, outranked) for each in (line, broad)]
    return np.stack([*tails, probit(near), *lines], axis=1), np.stack(shape, axis=1)


def _line(rivals: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """Intercept and slope of the highest rivals as a line of normal quantiles."""
    m = rivals.shape[1]
    if m < 2:
        return np.zeros(len(rivals)), np.ones(len(rivals))
    size = max(min(size, m // 2), 2)
    expected = -ndtri((np.arange(1, size + 1) - 0.375) / (m + 0.25))
    upper = rivals[:, :size].astype(float)
    centred = expected - expected.mean()
    slope = np.maximum(upper @ centred / (centred @ centred), 0.02)
    return upper.mean(axis=1) - slope * expected.mean(), slope


def _along(
    line: tuple[FloatArray, FloatArray], rivals: FloatArray, truth: FloatArray, outranked: FloatArray
) -> FloatArray:
    """Φ⁻¹(U*) by the line above the middle of the rivals, and by the share of them that outranks the truth below."""
    start, slope = line
    found = np.clip((truth - start) / slope, LOWEST, HIGHEST)
    return np.where(truth > rivals[:, (rivals.shape[1] - 1) // 2], found, probit(outranked))


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


def _power_law(
    rivals: FloatArray, truth: FloatArray, perfect: FloatArray, reach: FloatArray, outranked: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """1−U* if the share of rivals within a small distance of the perfect match is a power of it, as in a space.

    The power, given as well, is that of Levina and Bickel (2005). If nothing is perfect, this is the exponential.
    """
    m = rivals.shape[1]
    size = min(NEAREST, max(1, m // 3))
    cut = rivals[:, min(size, m - 1)].astype(float)
    edge = np.maximum(perfect - cut, 1e-6)
    logs = np.log(np.clip((perfect[:, None] - rivals[:, :size]) / edge[:, None], 1e-6, 1.0))
    mean = np.minimum(logs.mean(axis=1), -1e-3 * reach / np.maximum(edge, 1.0))
    inside = np.log(np.clip((perfect - truth) / edge, 1e-6, 1.0))
    beyond = (size + 0.5) / (m + 1) * np.exp(-np.minimum(inside / mean, 60))
    return np.where(truth > cut, beyond, outranked), -1 / mean


def _pooled_skewness(skewness: FloatArray) -> FloatArray:
    """Skewness of each row drawn halfway to the middle of them all: that of one row is noisy."""
    return np.clip(0.5 * skewness + 0.5 * np.median(skewness), -2.0, 2.0)


def _pearson(standard: FloatArray, skewness: FloatArray) -> FloatArray:
    """Φ⁻¹ of the share of a Pearson type III law below ``standard``, by the cube root of Wilson and Hilferty."""
    skew = np.where(np.abs(skewness) < 1e-3, 1e-3, skewness)
    inner = np.maximum(1 + skew * standard / 2, 1e-3)
    return np.asarray(np.clip(6 / skew * (np.cbrt(inner) - 1) + skew / 6, LOWEST, HIGHEST))
