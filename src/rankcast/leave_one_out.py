"""The leave-one-out likelihood of Gaussian kernel densities, for many samples and bandwidths at once.

With F(x) = Σ_j exp(-(x - x_j)²/2h²), the criterion is n log h - Σ_i log(F(x_i) - 1). F is smooth on the scale of h,
and a convolution, done on a grid by FFT. In a crowd log(F - 1) is smooth as well: its sum over values is a sum over
the grid, with weights that do not depend on h; since F grows with h, a crowd at the smallest h is one at all of
them. The values outside of crowds are few however large the sample, and F is interpolated to each of them. Where
neighbours hardly reach a value, F - 1 has lost its digits, and is summed over the grid without a transform.
"""

import numpy as np

from ._typing import FloatArray, IntArray
from .binning import BINS, spectrum_axis, spline_bins

_CROWD = 8.0  # F from which log(F - 1) is as smooth as F
_FAINT = 0.01  # F - 1 below which the transform is not precise enough
_FAR = 3.0  # bandwidths at least from a value where F - 1 is faint to its nearest neighbour


def leave_one_out(place: FloatArray, size: int, nodes: tuple[float, ...]) -> FloatArray:
    """Negative log-likelihood of each row, short of a constant, at each node; overwrites ``place``.

    ``place`` holds the samples in bins, from 0 to ``size`` - 5; nodes are in units of ``BINS`` bins.
    """
    from scipy.fft import irfft, rfft

    rows, n = place.shape
    weight, nearest = spline_bins(place, size)
    cell, share = nearest.ravel(), place.ravel() - 0.5
    frequency, unspread = spectrum_axis(size)
    spectrum = rfft(weight)[:, : len(frequency)] * unspread

    def field(h: float) -> FloatArray:
        kernel = np.sqrt(2 * np.pi) * h * np.exp(-0.5 * (h * frequency) ** 2)
        return np.asarray(irfft(spectrum * kernel, size)).ravel()

    sparse = field(BINS * min(nodes))[cell] < _CROWD
    crowd = np.zeros(rows * size)
    for offset, part in zip(_OFFSETS, _quartic(share[~sparse]), strict=True):
        crowd += np.bincount(cell[~sparse] + offset, part, minlength=rows * size)
    crowded = np.flatnonzero(crowd)
    cell, share = cell[sparse], share[sparse]
    values = np.empty((rows, len(nodes)))
    for node, h in enumerate((BINS * np.array(nodes)).tolist()):
        total = field(h)
        others = sum(part * total[cell + i] for i, part in zip(_OFFSETS, _quartic(share), strict=True)) - 1.0
        log_others = np.log(np.maximum(others, _FAINT))
        faint = others < _FAINT
        log_others[faint] = _direct(weight, cell[faint], share[faint], h)
        likelihood = np.bincount(cell // size, log_others, minlength=rows)
        likelihood += np.bincount(crowded // size, crowd[crowded] * np.log(total[crowded] - 1.0), minlength=rows)
        values[:, node] = n * np.log(h) - likelihood
    return values


_OFFSETS = (-2, -1, 0, 1, 2)


def _quartic(share: FloatArray) -> tuple[FloatArray, ...]:
    """Weights of five neighbours on the grid in the polynomial through them, at ``share`` from the middle."""
    s, q = share, share * share
    edge, side = s * (q - 1) / 24, s * (4 - q) / 6
    return edge * (s - 2), side * (s - 1), (q - 1) * (q - 4) / 4, side * (s + 1), edge * (s + 2)


def _direct(weight: FloatArray, cell: IntArray, share: FloatArray, h: float) -> FloatArray:
    """log Σ_j exp(-d_j²/2h²) over the others, for values that have none within 3h.

    The spline gives every value a variance of 1/4 on the grid, so the kernel gives up as much. Relative to
    its largest term, the sum leaves out less than exp(-36).
    """
    size, flat = weight.shape[1], weight.ravel()
    variance = h * h - 0.25
    occupied = np.flatnonzero(flat > 1e-9)
    after = np.searchsorted(occupied, cell + 2)
    before = np.searchsorted(occupied, cell - 1) - 1
    window = np.arange(int(h * (np.sqrt(_FAR**2 + 72) - _FAR)) + 2)
    squares, masses = [], []
    for neighbour, sign in ((after, 1), (before, -1)):
        first = occupied[np.clip(neighbour, 0, len(occupied) - 1)]
        exists = (neighbour >= 0) & (neighbour < len(occupied)) & (first // size == cell // size)
        bins = first[:, None] + sign * window
        inside = exists[:, None] & (bins // size == (cell // size)[:, None])
        squares.append((bins - (cell + share)[:, None]) ** 2)
        masses.append(np.where(inside, flat[np.clip(bins, 0, len(flat) - 1)], 0.0))
    square, mass = np.concatenate(squares, axis=1), np.concatenate(masses, axis=1)
    closest = np.where(mass > 0, square, np.inf).min(axis=1, initial=np.inf)
    total = (mass * np.exp(np.minimum((closest[:, None] - square) / (2 * variance), 0.0))).sum(axis=1)
    return np.asarray(np.log(total) - closest / (2 * variance) + 0.5 * np.log(h * h / variance))
