"""The leave-one-out likelihood of Gaussian kernel densities, for many samples and bandwidths at once.

With F(x) = Σ_j exp(-(x - x_j)²/2h²), the criterion is n log h - Σ_i log(F(x_i) - 1). F is smooth on the scale of h,
and a convolution, done on a grid by FFT. In a crowd log(F - 1) is smooth as well: its sum over values is a sum over
the grid, with weights that do not depend on h; since F grows with h, a crowd at the smallest h is one at all of
them. The values outside of crowds are few however large the sample, and F is interpolated to each of them. Where
neighbours hardly reach a value, F - 1 has lost its digits, and is summed over the grid without a transform.
"""

import numpy as np

from ._typing import FloatArray, IntArray
from .binning import bins_in_bandwidth, spectrum_axis, spline_bins

_OFFSETS = (-2, -1, 0, 1, 2)  # of the points of the grid between which F is interpolated
_CROWD = 3.0  # F, here and two bins to either side, from which log(F - 1) is as smooth as F
_FAINT = 0.01  # F - 1 below which the transform is not precise enough
_FAR = 3.0  # bandwidths at least from a value where F - 1 is faint to its nearest neighbour


def leave_one_out(place: FloatArray, size: int, nodes: tuple[float, ...]) -> FloatArray:
    """Negative log-likelihood of each row, short of a constant, at each node; overwrites ``place``.

    ``place`` holds the samples in bins, from 0 to ``size`` - 5; nodes are in units of the smallest bandwidth.
    """
    from scipy.fft import irfft, rfft

    rows, n = place.shape
    bins = bins_in_bandwidth(n)
    weight, nearest = spline_bins(place, size)
    cell, share = nearest.ravel(), place.ravel() - 0.5
    frequency, unspread = spectrum_axis(size, bins)
    spectrum = rfft(weight)[:, : len(frequency)] * unspread

    def field(h: float) -> FloatArray:
        kernel = np.sqrt(2 * np.pi) * h * np.exp(-0.5 * (h * frequency) ** 2)
        return np.asarray(irfft(spectrum * kernel, size)).ravel()

    least = narrowest = field(bins * min(nodes))
    for offset in _OFFSETS:
        least = np.minimum(least, np.roll(narrowest, offset))
    sparse = least[cell] < _CROWD
    crowd = np.zeros(rows * size)
    for offset, part in zip(_OFFSETS, _quartic(share[~sparse]), strict=True):
        crowd += np.bincount(cell[~sparse] + offset, part, minlength=rows * size)
    crowded = np.flatnonzero(crowd)
    crowd, crowd_row = crowd[crowded], crowded // size
    rest = _Rest(weight, cell[sparse], share[sparse])
    values = np.empty((rows, len(nodes)))
    for node, h in enumerate((bins * np.array(nodes)).tolist()):
        total = field(h)
        likelihood = np.bincount(crowd_row, crowd * np.log(total[crowded] - 1.0), minlength=rows)
        values[:, node] = n * np.log(h) - likelihood - rest.log_likelihood(total, h)
    return values


def _quartic(share: FloatArray) -> tuple[FloatArray, ...]:
    """Weights of five neighbours on the grid in the polynomial through them, at ``share`` from the middle."""
    s, q = share, share * share
    edge, side = s * (q - 1) / 24, s * (4 - q) / 6
    return edge * (s - 2), side * (s - 1), (q - 1) * (q - 4) / 4, side * (s + 1), edge * (s + 2)


class _Rest:
    """Values outside of crowds: the nearest point of the grid through all rows, and how far they are from it."""

    def __init__(self, weight: FloatArray, cell: IntArray, share: FloatArray) -> None:
        self.rows, self.size = weight.shape
        self.weight, self.cell, self.share = weight.ravel(), cell, share
        self.row = cell // self.size
        self.around = cell + np.array(_OFFSETS)[:, None]
        self.quartic = np.stack(_quartic(share))
        occupied = np.concatenate([[-self.size], np.flatnonzero(self.weight > 1e-9), [self.weight.size]])
        self.after = occupied[np.searchsorted(occupied, cell + 2)]
        self.before = occupied[np.searchsorted(occupied, cell - 1) - 1]

    def log_likelihood(self, total: FloatArray, h: float) -> FloatArray:
        """Σ log(F - 1) for each row, from F on the grid."""
        others = np.einsum("ij,ij->j", self.quartic, total[self.around]) - 1.0
        faint = np.flatnonzero(others < _FAINT)
        others[faint] = 1.0
        log_others = np.log(others)
        log_others[faint] = self._faint(faint, h)
        return np.asarray(np.bincount(self.row, log_others, minlength=self.rows), np.float64)

    def _faint(self, which: IntArray, h: float) -> FloatArray:
        """log Σ_j exp(-d_j²/2h²) over the others, for values that have none within 3h.

        Relative to its largest term, the sum leaves out less than exp(-36). The spline gives every value a
        variance of 1/4 on the grid, so the kernel gives up as much.
        """
        variance = h * h - 0.25
        window = np.arange(int(h * (np.sqrt(_FAR**2 + 72) - _FAR)) + 2)
        bins = np.concatenate([self.after[which][:, None] + window, self.before[which][:, None] - window], axis=1)
        mine = bins // self.size == self.row[which][:, None]
        mass = np.where(mine, self.weight[np.where(mine, bins, 0)], 0.0)
        square = (bins - (self.cell + self.share)[which][:, None]) ** 2
        closest = np.where(mass > 1e-9, square, np.inf).min(axis=1)
        fall = np.exp(np.minimum(closest[:, None] - square, 0.0) / (2 * variance))
        total = (mass * fall).sum(axis=1)
        return np.asarray(np.log(total) - closest / (2 * variance) + 0.5 * np.log(h * h / variance))
