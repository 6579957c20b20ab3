"""Samples on a grid, so that the same transform serves all of them.

Each value is spread over the three nearest whole numbers by a quadratic spline. In the frequency domain that is
a factor sinc³, which is divided out again; what remains is aliasing, of the third order in the frequency.
"""

import numpy as np

from ._typing import Array, FloatArray, IntArray


def bins_in_bandwidth(n: int) -> int:
    """Bins in the smallest bandwidth, for samples of n values.

    Of a larger sample the smallest bandwidth is a smaller part of the range, but aliasing matters less: what
    it distorts is noise, of which there is less. So the number of bins in the range hardly grows with n.
    """
    return 6 if n < 2_000 else 4 if n < 10_000 else 3


def fast_size(bins: FloatArray) -> IntArray:
    """The next number of the form 2^a or 3·2^a: good for an FFT, and few different ones.

    Examples
    --------
    >>> fast_size(np.array([600.0, 800.0, 1024.0]))
    array([ 768, 1024, 1024])
    """
    power = 2.0 ** np.ceil(np.log2(bins))
    return np.where(0.75 * power >= bins, 0.75 * power, power).astype(np.int64)


def spline_bins(place: FloatArray, size: int) -> tuple[FloatArray, IntArray]:
    """Weight at each whole number (rows × size), and the one nearest to each value, counted through all rows.

    ``place`` holds numbers from 0 to ``size`` - 5. It is overwritten by their distance from the nearest whole
    number, plus one half. The grid starts at -2.
    """
    place += size * np.arange(len(place))[:, None] + 2.5
    whole = np.floor(place)
    place -= whole
    cell = whole.astype(np.int64)
    total = len(place) * size
    first = _binned(cell, place, total)
    second = _binned(cell, np.multiply(place, place, out=whole), total)
    weight = 0.5 * _binned(cell, None, total)  # 1/2 + s - s² stays where it is
    left = weight - first  # (1 - s)²/2 goes one to the left
    weight += first
    weight -= second
    second *= 0.5  # s²/2 goes one to the right
    left += second
    weight[:-1] += left[1:]
    weight[1:] += second[:-1]
    return weight.reshape(-1, size), cell


def _binned(cell: Array, moment: FloatArray | None, total: int) -> FloatArray:
    weights = None if moment is None else moment.ravel()
    return np.asarray(np.bincount(cell.ravel(), weights, minlength=total), np.float64)


def spectrum_axis(size: int, bins: int) -> tuple[FloatArray, FloatArray]:
    """Frequencies of the grid that matter, in radians per bin, and the factor that undoes the spreading.

    With ``bins`` in the smallest bandwidth, beyond them exp(-h²t²/2) is below 1e-8 for all bandwidths.
    """
    order = np.arange(size // bins)
    return np.asarray(2 * np.pi / size * order, np.float64), np.sinc(order / size) ** -3.0
