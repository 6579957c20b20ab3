"""Moving laws of U* so that they agree with what was measured."""

import numpy as np
from scipy.special import log_ndtr, ndtri

from .._typing import FloatArray

_FARTHEST = 0.7  # that a step of Newton's method may go
_FLATTEST = 1e-3  # slope that a step may be divided by
_EDGE = 1e-4  # of accuracies on the probit scale


def probit(accuracy: FloatArray) -> FloatArray:
    """Φ⁻¹ away from its poles."""
    return np.asarray(ndtri(np.clip(accuracy, _EDGE, 1 - _EDGE)))


def wins(z: FloatArray, k: float) -> FloatArray:
    """Chance to be right among k classes, for each Φ⁻¹(U*)."""
    return np.asarray(np.exp(max(k - 1, 0.0) * log_ndtr(z)))


def anchor(z: FloatArray, weight: FloatArray, target: float, k1: int, steps: int = 3) -> tuple[FloatArray, FloatArray]:
    """The shift that gives the accuracy among k₁ classes with this probit, for each column of z, by Newton's method.

    Also how fast that accuracy rises with the shift.
    """
    shift, slope = np.zeros(z.shape[1:]), np.ones(z.shape[1:])
    for _ in range(steps):
        at = z + shift
        right = wins(at, k1)
        found = probit(weight @ right)
        rate = weight @ (right * (k1 - 1) * np.exp(-0.5 * at**2 - log_ndtr(at))) / np.sqrt(2 * np.pi)
        slope = np.maximum(rate, _FLATTEST)
        density = np.exp(-0.5 * found**2) / np.sqrt(2 * np.pi)
        shift = shift + np.clip((target - found) * density / slope, -_FARTHEST, _FARTHEST)
    return shift, slope
