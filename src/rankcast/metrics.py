"""Metrics of the rank of the truth, e.g. ``top1``, ``top5``, ``recall@10``.

A metric here gives rank r the gain ``gains[r - 1]``, and nothing to ranks beyond its depth. It has two views:
its exact expectation over random subsets of the measured classes (:mod:`rankcast.curve`), and its expectation
given the favourability of the truth, which is below.
"""

import re
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincc, log_ndtr, ndtr

from ._typing import FloatArray
from .errors import InputError


@dataclass(frozen=True)
class Metric:
    """A gain for each rank of the truth, zero beyond the depth ``len(gains)``.

    Examples
    --------
    >>> get_metric("top3").gains
    (1.0, 1.0, 1.0)
    """

    name: str
    gains: tuple[float, ...]

    @property
    def depth(self) -> int:
        """The last rank that earns anything."""
        return len(self.gains)

    def given_favourability(self, z: FloatArray, k: FloatArray) -> FloatArray:
        """Expected gain among ``k`` classes when Φ⁻¹(U*) is ``z`` (the two broadcast).

        The number of rivals that outrank the truth is Binomial(k−1, 1−U*); 1−U* and log U* are taken from z
        directly, so nothing is lost when U* is next to 1 and k is 10⁹.
        """
        z, k = np.asarray(z, float), np.asarray(k, float)
        if self.gains == (1.0,):
            with np.errstate(invalid="ignore"):
                return np.where(k <= 1, 1.0, np.exp((k - 1) * log_ndtr(z)))
        steps = np.array(self.gains) - np.array([*self.gains[1:], 0.0])
        total = np.zeros(np.broadcast(z, k).shape)
        for n in np.nonzero(steps)[0] + 1:
            # P(at most n-1 of the k-1 rivals outrank the truth)
            tail = betaincc(n, np.maximum(k - n, 0.5), ndtr(-z))
            total += steps[n - 1] * np.where(k <= n, 1.0, tail)
        return total


TOP1 = Metric("top1", (1.0,))


def get_metric(spec: "str | Metric") -> Metric:
    """The metric of that name: ``top1``, ``topN`` or ``recall@N`` for any N ≥ 1."""
    if isinstance(spec, Metric):
        return spec
    found = re.fullmatch(r"(?:top|recall@)([1-9]\d*)", str(spec))
    if not found:
        raise InputError(f"unknown metric {spec!r}: use 'top1', 'topN' or 'recall@N' with N ≥ 1")
    depth = int(found[1])
    if depth > 10_000:
        raise InputError(f"metric {spec!r} looks deeper than 10,000 ranks: use a smaller N")
    return Metric(str(spec), (1.0,) * depth)
