"""Forecasts from margins: by how much each truth beats the highest of its rivals, and how fast that highest one rises.

Among r times as many rivals the highest scores more, by an amount that the upper rivals of a row tell: s log r if they
are exponential with mean excess s, for example. An example will be right if its margin is larger than that. The highest
rival is as lucky as ever, so nothing is known better than it is; and a step from wrong to right that is a little
smoothed says what accuracy is among the measured classes with less noise than counting does.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from .._typing import FloatArray

FEW, MANY = 8, 32  # upper rivals of a row that its tail is read off
MARGINS = (f"exponential{FEW}", f"exponential{MANY}", "line", "broad", f"pooled{FEW}", f"pooled{MANY}", "power")
UNBOUNDED = 1e4  # standard units to the perfect match, from which on there is none
_FAR = 30  # highest pooled excesses beyond which the tail is exponential
_LEAST = 1e-3  # scale of the upper rivals, in standard units


@dataclass(frozen=True, eq=False)
class Margins:
    """What forecasts from margins need to know of each row, in standard units of its rivals.

    Attributes
    ----------
    top : ndarray, examples × rivals
        The highest rivals, from the highest down.
    truth, perfect : ndarray
        Score of the truth, and of a perfect match.
    slope, broad : ndarray
        Slopes of lines of normal quantiles through the highest rivals, and through more of them.
    """

    top: FloatArray
    truth: FloatArray
    perfect: FloatArray
    slope: FloatArray
    broad: FloatArray

    def chances(self, rivals: int, ratio: FloatArray) -> FloatArray:
        """Chance of each example to be right among so many times as many rivals: ratios × ``MARGINS`` × examples."""
        few = min(FEW, self.top.shape[1] - 1)
        margin, unit = self.truth - self.top[:, 0], _shrunk(_excess(self.top, few))
        times = np.asarray(ratio, float)[:, None]
        quantile = ndtri(1 / (rivals + 1)) - ndtri(1 / (times * (rivals + 1)))
        rises = [
            _excess(self.top, few) * np.log(times),
            _excess(self.top) * np.log(times),
            self.slope * quantile,
            self.broad * quantile,
            _pooled_rise(self.top[:, : few + 1], rivals, times),
            _pooled_rise(self.top, rivals, times),
        ]
        found = [_step((margin - rise) / unit) for rise in rises]
        return np.stack([*found, np.where(self.perfect < UNBOUNDED, self._by_distance(few, times), found[1])], axis=1)

    def _by_distance(self, few: int, times: FloatArray) -> FloatArray:
        """The same where the share of rivals within a distance is a power of it: exponential in its logarithm."""
        near = np.minimum(self.perfect, UNBOUNDED)[:, None]
        distance = near - np.column_stack([self.truth, self.top])
        nearness = -np.log(np.maximum(distance, 1e-6 * near))
        truth, top = nearness[:, 0], nearness[:, 1:]
        return _step((truth - top[:, 0] - _excess(top) * np.log(times)) / _shrunk(_excess(top, few)))


def _excess(top: FloatArray, size: int | None = None) -> FloatArray:
    """Mean excess of the highest so many, or all but one, over the next."""
    size = top.shape[1] - 1 if size is None else size
    return np.asarray(np.maximum(top[:, :size].mean(axis=1) - top[:, size], 0.0))


def _shrunk(scale: FloatArray) -> FloatArray:
    """Scales drawn halfway to their geometric mean: that of one row is noisy."""
    logs = np.log(np.maximum(scale, _LEAST))
    return np.asarray(np.exp((logs + logs.mean()) / 2))


def _step(margin: FloatArray) -> FloatArray:
    """A smooth step from zero to one, by a kernel of the fourth order: it moves no parabola."""
    return np.asarray(ndtr(margin) + margin * np.exp(-0.5 * margin**2) / np.sqrt(8 * np.pi))


def _pooled_rise(top: FloatArray, rivals: int, times: FloatArray) -> FloatArray:
    """How far the highest of a row rises if excesses over the threshold of all rows are of one law, but for scale."""
    scale = _shrunk(_excess(top))
    excess = np.sort(((top[:, :-1] - top[:, -1:]) / scale[:, None]).ravel())[::-1]
    if len(excess) < 2:
        return np.zeros((len(times), len(top)))
    far = max(1, min(_FAR, len(excess) // 4))
    beyond = excess[:far].mean() - excess[far]
    above = len(top) * rivals / (rivals + 1) / np.vstack([[[1.0]], times])
    within = np.interp(above, np.arange(len(excess)) + 0.5, excess)
    level = np.where(above < far, excess[far] + beyond * np.log(far / np.minimum(above, far)), within)
    return np.asarray(scale * (level[1:] - level[0]))
