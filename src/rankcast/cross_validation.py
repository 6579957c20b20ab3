"""Cross-validation criteria of Gaussian kernel densities, for many samples and many bandwidths at once.

Each row is a sample, in units of the smallest bandwidth to be tried, so that all rows share their bandwidths.
Samples of a few values are done pair by pair. Larger ones are put into bins that are a fixed fraction of the
smallest bandwidth. By Parseval's theorem the sums over pairs in the criteria are sums over the power spectrum
of the bins: one transform for all rows, and one matrix product for all bandwidths, whose table depends on the
number of bins alone. Beyond the binning nothing depends on the size of the samples.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import numpy as np

from ._typing import FloatArray, IntArray

Criterion = Literal["bcv", "ucv", "plcv"]

_FEW = 32  # up to this many values, pairs are cheaper than bins
_SCRATCH = 2**20  # numbers held at once in a temporary
_REACH = 11.0  # largest bandwidths to where every kernel has vanished
_BINS: dict[Criterion, int] = {"ucv": 8, "bcv": 8, "plcv": 4}  # in one smallest bandwidth
_ALONE = 5.0  # bandwidths to the nearest neighbour beyond which a convolution by FFT has lost its digits


def criterion_values(
    samples: FloatArray, smallest: FloatArray, criterion: Criterion, nodes: tuple[float, ...]
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Evaluate the criterion, short of factors that are the same for all h, at h = ``smallest`` · ``nodes``.

    Parameters
    ----------
    samples : array of shape (samples, n)
        Rows that start at zero.
    smallest : array
        Smallest bandwidth for each row; rows where it is zero are left out.
    criterion : {"bcv", "ucv", "plcv"}
        See :func:`rankcast.bandwidth.bandwidth`.
    nodes : tuple of float
        Bandwidths, in units of the smallest; none is below one.

    Yields
    ------
    rows, values
        Indices of some rows, and their criterion: rows × nodes.
    """
    chosen, n = np.nonzero(smallest > 0)[0], samples.shape[1]
    if n <= _FEW:
        size = np.full(len(chosen), n * n)
    else:
        reach = samples.max(axis=1)[chosen] / smallest[chosen] + _REACH * max(nodes)
        size = _fast_size(_BINS[criterion] * reach + 2)
    for group in np.unique(size).tolist():
        members = chosen[size == group]
        step = max(1, _SCRATCH // group)
        for start in range(0, len(members), step):
            part = members[start : start + step]
            scaled = samples[part] / smallest[part, None]
            evaluate = _by_pairs if n <= _FEW else _by_bins
            yield part, evaluate(scaled, group, criterion, nodes)


def _fast_size(bins: FloatArray) -> IntArray:
    """The next number of the form 2^a or 3·2^a: good for an FFT, and few different ones."""
    power = 2.0 ** np.ceil(np.log2(bins))
    return np.where(0.75 * power >= bins, 0.75 * power, power).astype(np.int64)


# -- few values: pairs -----------------------------------------------------------------------------------


def _by_pairs(scaled: FloatArray, _: int, criterion: Criterion, nodes: tuple[float, ...]) -> FloatArray:
    n = scaled.shape[1]
    if criterion == "plcv":
        return _plcv_pairs(scaled, nodes)
    first, second = np.triu_indices(n, 1)
    square = (scaled[:, first] - scaled[:, second]) ** 2
    values = np.empty((len(scaled), len(nodes)))
    for node, h in enumerate(nodes):
        q = square / (h * h)
        kernel = np.exp(q / -4)
        if criterion == "ucv":
            values[:, node] = (0.5 + (kernel - np.sqrt(8) * kernel**2).sum(axis=1) / n) / h
        else:
            values[:, node] = (1 + (kernel * ((q - 12) * q + 12)).sum(axis=1) / (32 * n)) / h
    return values


def _plcv_pairs(scaled: FloatArray, nodes: tuple[float, ...]) -> FloatArray:
    n = scaled.shape[1]
    square = (scaled[:, :, None] - scaled[:, None, :]) ** 2
    square[:, np.arange(n), np.arange(n)] = np.inf
    nearest = square.min(axis=2)
    square -= nearest[:, :, None]  # keeps the sum from vanishing at a lone point
    values = np.empty((len(scaled), len(nodes)))
    for node, h in enumerate(nodes):
        others = np.log(np.exp(square / (-2 * h * h)).sum(axis=2)) - nearest / (2 * h * h)
        values[:, node] = n * np.log(h) - others.sum(axis=1)
    return values


# -- many values: bins -----------------------------------------------------------------------------------


def _by_bins(scaled: FloatArray, size: int, criterion: Criterion, nodes: tuple[float, ...]) -> FloatArray:
    n = scaled.shape[1]
    scaled *= _BINS[criterion]
    if criterion == "plcv":
        return plcv_from_counts(nearest_bins(scaled, size), n, nodes)
    return from_spectrum(linear_bins(scaled, size), n, criterion, nodes)


def nearest_bins(place: FloatArray, size: int) -> FloatArray:
    """Count the values nearest to each whole number: rows × size. Overwrites ``place``."""
    place += size * np.arange(len(place))[:, None] + 0.5
    counts = np.bincount(place.astype(np.intp).ravel(), minlength=len(place) * size)
    return counts.reshape(-1, size).astype(np.float64)


def linear_bins(place: FloatArray, size: int) -> FloatArray:
    """Share each value between the two nearest whole numbers: rows × size. Overwrites ``place``."""
    place += size * np.arange(len(place))[:, None]
    cell = place.astype(np.intp)
    place -= cell
    right = np.bincount(cell.ravel(), place.ravel(), minlength=len(place) * size)
    weight = np.bincount(cell.ravel(), minlength=len(place) * size) - right
    weight[1:] += right[:-1]
    return weight.reshape(-1, size)


def from_spectrum(weight: FloatArray, n: int, criterion: Criterion, nodes: tuple[float, ...]) -> FloatArray:
    """UCV (times n √π) or BCV (times 2 n √π) of binned samples: one transform and one matrix product."""
    from scipy.fft import rfft

    table = _spectral_weights(weight.shape[1], criterion, nodes)
    spectrum = rfft(weight)[:, : len(table)]
    power = spectrum.real**2 + spectrum.imag**2
    own = np.sqrt(2.0) if criterion == "ucv" else 13 / 16
    return np.asarray(own / np.array(nodes) + power @ table / n)


@lru_cache(maxsize=16)
def _spectral_weights(size: int, criterion: Criterion, nodes: tuple[float, ...]) -> FloatArray:
    """Weight of each frequency in the sums over pairs, for each node: frequencies × nodes.

    With P(t) = |Σ_j exp(-i t x_j)|² on a circle of length L, the criteria are

        UCV = √2/(n h √π) + Σ_t P(t) (exp(-h²t²) - 2 exp(-h²t²/2)) / (n² L)
        BCV = 13/(32 n h √π) + Σ_t P(t) (ht)⁴ exp(-h²t²) / (4 n² L).
    """
    bins = _BINS[criterion]
    order = np.arange(size // bins)  # beyond it exp(-h²t²/2) is below 1e-8 at the smallest bandwidth
    q = np.outer(2 * np.pi * bins / size * order, nodes) ** 2
    kernel = np.exp(-q) - 2 * np.exp(-q / 2) if criterion == "ucv" else q**2 * np.exp(-q) / 2
    both = np.where(order == 0, 1.0, 2.0)  # t and -t
    shared = np.sinc(order / size) ** -4.0  # undoes the sharing of each value between two bins
    return np.asarray(np.sqrt(np.pi) * bins / size * (both * shared)[:, None] * kernel)


def plcv_from_counts(counts: FloatArray, n: int, nodes: tuple[float, ...]) -> FloatArray:
    """Negative leave-one-out log-likelihood: a convolution for each node, pairs where a point is alone."""
    from scipy.fft import irfft, rfft

    size = counts.shape[1]
    spectrum = rfft(counts)
    spot = np.flatnonzero(counts)
    count = counts.ravel()[spot]
    starts = np.flatnonzero(np.diff(spot // size, prepend=-1))
    gap = _gaps(spot, count, size)
    lag = np.minimum(np.arange(size), size - np.arange(size))
    values = np.empty((len(counts), len(nodes)))
    for node, nominal in enumerate(_BINS["plcv"] * np.array(nodes)):
        # rounding adds a variance of 1/12 to each value, 1/6 to a difference: the kernel gives it back
        h = float(np.sqrt(nominal**2 - 1 / 6))
        kernel = rfft(np.exp(-0.5 * (lag / h) ** 2)).real
        others = irfft(spectrum * kernel, size).ravel()[spot] - 1.0
        alone = gap > _ALONE * h
        others[alone] = 1.0
        density = np.log(others)
        density[alone] = _lone_points(counts, spot[alone], gap[alone], h)
        values[:, node] = n * np.log(h) - np.add.reduceat(count * density, starts)
    return values


def _gaps(spot: IntArray, count: FloatArray, size: int) -> IntArray:
    """Distance from the points in each occupied bin to the nearest other point of their row."""
    step = np.where(np.diff(spot // size) == 0, np.diff(spot), size)
    edge = np.concatenate([[size], step, [size]])
    return np.where(count > 1, 0, np.minimum(edge[:-1], edge[1:]))


def _lone_points(counts: FloatArray, spot: IntArray, gap: IntArray, h: float) -> FloatArray:
    """log Σ_j exp(-d_j²/2h²) over the others, for points that have none nearer than ``gap``."""
    size = counts.shape[1]
    beyond = h * (np.sqrt(_ALONE**2 + 72.0) - _ALONE)  # what is farther adds less than exp(-36) of the sum
    distance = gap[:, None] + np.arange(int(beyond) + 2)
    row, place = (spot // size)[:, None], (spot % size)[:, None]
    left, right = place - distance, place + distance
    near = np.where(left >= 0, counts[row, np.maximum(left, 0)], 0.0)
    near += np.where(right < size, counts[row, np.minimum(right, size - 1)], 0.0)
    fall = np.exp((gap[:, None] ** 2 - distance**2) / (2 * h * h))
    return np.asarray(np.log((near * fall).sum(axis=1)) - gap**2 / (2 * h * h))
