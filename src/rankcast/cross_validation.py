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
from .binning import bins_in_bandwidth, fast_size, spectrum_axis, spline_bins
from .leave_one_out import leave_one_out

Criterion = Literal["bcv", "ucv", "plcv"]

_FEW = 16  # up to this many values, pairs are cheaper than bins
# Rows and numbers at a time: temporaries stay in the cache, and the matrix products are so small that BLAS does
# not start threads for them, which would cost several times what they save.
ROWS_AT_ONCE, _NUMBERS = 40, 21_000
_REACH = 9.0  # largest bandwidths to where every kernel has vanished


def criterion_values(
    samples: FloatArray,
    top: FloatArray,
    smallest: FloatArray,
    criteria: tuple[Criterion, ...],
    nodes: tuple[float, ...],
) -> Iterator[tuple[IntArray, list[FloatArray]]]:
    """Evaluate criteria, short of factors that are the same for all h, at h = ``smallest`` · ``nodes``.

    Parameters
    ----------
    samples : array of shape (samples, n)
        Rows that start at zero.
    top, smallest : array
        The largest value and the smallest bandwidth for each row; rows where that is zero are left out.
    criteria : tuple of {"bcv", "ucv", "plcv"}
        See :func:`rankcast.bandwidth.bandwidth`.
    nodes : tuple of float
        Bandwidths, in units of the smallest; none is below one.

    Yields
    ------
    rows, values
        Indices of some rows, and each of their criteria: rows × nodes.
    """
    chosen, n = np.nonzero(smallest > 0)[0], samples.shape[1]
    if n <= _FEW:
        bins, size = 1, np.full(len(chosen), n * n)
    else:
        bins = bins_in_bandwidth(n)
        size = _few_sizes(fast_size(bins * (top[chosen] / smallest[chosen] + _REACH * max(nodes)) + 5))
    for group in np.unique(size).tolist():
        members = chosen[size == group]
        step = min(max(1, _NUMBERS * bins // group), ROWS_AT_ONCE)
        for start in range(0, len(members), step):
            part = members[start : start + step]
            some = samples if len(part) == len(samples) else samples[part]
            scaled = some * (bins / smallest[part])[:, None]
            if n <= _FEW:
                yield part, [_by_pairs(scaled, each, nodes) for each in criteria]
            else:
                yield part, _by_bins(scaled, group, criteria, nodes)


def _few_sizes(size: IntArray) -> IntArray:
    """Let a size that few rows have join the next larger one, if that is not much larger."""
    kinds, kind, count = np.unique(size, return_inverse=True, return_counts=True)
    following = np.append(kinds[1:], kinds[-1:])
    join = (count < ROWS_AT_ONCE // 4) & (following <= 2 * kinds)
    return np.where(join, following, kinds)[kind]


# -- few values: pairs -----------------------------------------------------------------------------------


def _by_pairs(scaled: FloatArray, criterion: Criterion, nodes: tuple[float, ...]) -> FloatArray:
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


def _by_bins(
    scaled: FloatArray, size: int, criteria: tuple[Criterion, ...], nodes: tuple[float, ...]
) -> list[FloatArray]:
    if criteria == ("plcv",):
        return [leave_one_out(scaled, size, nodes)]
    n = scaled.shape[1]
    power = power_spectrum(spline_bins(scaled, size)[0], n)
    return [from_spectrum(power, size, n, each, nodes) for each in criteria]


def power_spectrum(weight: FloatArray, n: int) -> FloatArray:
    """Squared modulus of each frequency that matters of binned samples of n values: rows × frequencies."""
    from scipy.fft import rfft

    spectrum = rfft(weight)[:, : weight.shape[1] // bins_in_bandwidth(n)]
    return np.asarray(spectrum.real**2 + spectrum.imag**2)


def from_spectrum(power: FloatArray, size: int, n: int, criterion: Criterion, nodes: tuple[float, ...]) -> FloatArray:
    """UCV (times n √π) or BCV (times 2 n √π) of samples in ``size`` bins: one matrix product."""
    table = _spectral_weights(size, bins_in_bandwidth(n), criterion, nodes)
    own = np.sqrt(2.0) if criterion == "ucv" else 13 / 16
    return np.asarray(own / np.array(nodes) + power @ table / n)


@lru_cache(maxsize=16)
def _spectral_weights(size: int, bins: int, criterion: Criterion, nodes: tuple[float, ...]) -> FloatArray:
    """Weight of each frequency in the sums over pairs, for each node: frequencies × nodes.

    With P(t) = |Σ_j exp(-i t x_j)|² on a circle of length L, the criteria are

        UCV = √2/(n h √π) + Σ_t P(t) (exp(-h²t²) - 2 exp(-h²t²/2)) / (n² L)
        BCV = 13/(32 n h √π) + Σ_t P(t) (ht)⁴ exp(-h²t²) / (4 n² L).
    """
    frequency, unspread = spectrum_axis(size, bins)
    q = np.outer(frequency * bins, nodes) ** 2
    kernel = np.exp(-q) - 2 * np.exp(-q / 2) if criterion == "ucv" else q**2 * np.exp(-q) / 2
    both = np.where(frequency == 0, 1.0, 2.0)  # t and -t
    return np.asarray(np.sqrt(np.pi) * bins / size * (both * unspread**2)[:, None] * kernel)
