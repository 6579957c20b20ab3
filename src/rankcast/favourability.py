"""Favourability: the distribution of U*, from which every forecast follows.

U* is the probability that the true class of a random test example beats one random rival. It is kept on the
probit scale, z = Φ⁻¹(U*), as a mixture of normals; a spread of zero makes a component an atom.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

from ._typing import Counts, FloatArray, Seed
from .errors import InputError
from .metrics import MetricLike, get_metric

_REACH = 9.0  # a normal holds all but 1e-19 of its mass within this many spreads


def moments(mean: FloatArray, spread: float, k: FloatArray, metric: MetricLike = "top1") -> FloatArray:
    """E[gain among k classes] for Φ⁻¹(U*) ~ N(mean, spread²): a matrix, ``k`` × ``mean``.

    For top-1 this is E[Φ(Z)^(k-1)], one minus the H_{l,k} of the paper's radial basis. The trapezoid rule is
    exact here to rounding: the integrand is entire and flat at both ends, so its error falls exponentially in
    the inverse of the step, and the metric knows how narrow its features are for k ≤ 10⁹.

    Examples
    --------
    >>> moments(np.array([0.0]), 1.0, np.array([2.0])).round(12)  # U* uniform
    array([[0.5]])
    """
    gain = get_metric(metric)
    step = min(gain.resolution, spread / 2)
    low = np.floor((mean.min() - _REACH * spread) / step)
    z = step * np.arange(low, (mean.max() + _REACH * spread) / step + 1)
    density = np.exp(-0.5 * ((z[:, None] - mean) / spread) ** 2)
    density /= density.sum(axis=0)
    return gain.given_favourability(z, np.asarray(k, float)[:, None]) @ density


@dataclass(frozen=True, eq=False, repr=False)
class Favourability:
    """A distribution of U* as a mixture of normals on the probit scale.

    Weight that is missing from one is put at U* = 0, where the truth comes last. Least squares without
    constraints can give negative weights: such a mixture still gives accuracies, but cannot be sampled.

    Parameters
    ----------
    z : array
        Centres of the components; ±inf for atoms at U* = 0 and U* = 1.
    weight : array
        Their weights.
    spread : array or float
        Their standard deviations; zero for atoms.

    Examples
    --------
    >>> uniform = Favourability([0.0], [1.0], 1.0)
    >>> uniform.value([2, 3, 10])
    array([0.5       , 0.33333333, 0.1       ])
    >>> float(uniform.cdf(0.25))
    0.25
    """

    z: FloatArray
    weight: FloatArray
    spread: FloatArray

    def __init__(self, z: object, weight: object, spread: object = 0.0) -> None:
        centres, weights = np.asarray(z, float), np.asarray(weight, float)
        if centres.ndim != 1 or centres.shape != weights.shape or not np.all(np.isfinite(weights)):
            raise InputError("a favourability needs a finite weight for each centre")
        if np.any(np.isnan(centres)):
            raise InputError("a favourability cannot have a centre that is NaN")
        spreads = np.broadcast_to(np.asarray(spread, float), centres.shape)
        missing = 1.0 - weights.sum()
        if abs(missing) > 1e-12:
            centres, weights = np.append(centres, -np.inf), np.append(weights, missing)
            spreads = np.append(spreads, 0.0)
        object.__setattr__(self, "z", centres)
        object.__setattr__(self, "weight", weights)
        object.__setattr__(self, "spread", np.where(np.isfinite(centres), spreads, 0.0))

    def __repr__(self) -> str:
        levels = ", ".join(f"{value:.4f} at k={k:,}" for k, value in zip((2, 100), self.value([2, 100]), strict=True))
        return f"Favourability of {len(self.z)} components: top-1 accuracy {levels}"

    @property
    def proper(self) -> bool:
        """Whether all weights are nonnegative, so that this is a probability distribution."""
        return bool(np.all(self.weight >= 0))

    def value(self, k: Counts, metric: MetricLike = "top1") -> FloatArray:
        """Expected metric among ``k`` classes; for top-1, AGA_k = E[U*^(k-1)]."""
        number, gain = np.asarray(k, float), get_metric(metric)
        flat = number.reshape(-1, 1)
        total = np.zeros(flat.size)
        for spread in np.unique(self.spread):
            mine = self.spread == spread
            centres, weights = self.z[mine], self.weight[mine]
            if spread > 0:
                total += moments(centres, float(spread), flat[:, 0], gain) @ weights
                continue
            for rows in np.array_split(np.arange(flat.size), max(1, flat.size * len(centres) // 2**22)):
                total[rows] += gain.given_favourability(centres, flat[rows]) @ weights
        return total.reshape(number.shape)

    def cdf(self, u: object) -> FloatArray:
        """D(u) = P(U* ≤ u)."""
        return self.probit_cdf(ndtri(np.asarray(u, float)))

    def probit_cdf(self, z: object) -> FloatArray:
        """P(Φ⁻¹(U*) ≤ z): D without loss of precision when u is next to 1."""
        at = np.asarray(z, float)
        distance = at[..., None] - np.where(np.isfinite(self.z), self.z, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            smooth = ndtr(distance / self.spread)
        below = np.where(self.spread > 0, smooth, at[..., None] >= self.z)
        return np.asarray(below @ self.weight)

    def density(self, z: object, smooth: float = 0.1) -> FloatArray:
        """Density of Φ⁻¹(U*); atoms are drawn as normals of width ``smooth``, those at ±inf left out."""
        inside = np.isfinite(self.z)
        spread = np.where(self.spread > 0, self.spread, smooth)[inside]
        scaled = (np.asarray(z, float)[..., None] - self.z[inside]) / spread
        return np.asarray(np.exp(-0.5 * scaled**2) / (spread * np.sqrt(2 * np.pi)) @ self.weight[inside])

    def sample(self, size: int, rng: Seed = None, *, log: bool = False) -> FloatArray:
        """Draw U* (or log U*, exact even when U* rounds to 1)."""
        if not self.proper:
            raise InputError("weights are negative: this fit is no distribution and cannot be sampled")
        generator = np.random.default_rng(rng)
        pick = generator.choice(len(self.z), size=size, p=self.weight / self.weight.sum())
        z = self.z[pick] + self.spread[pick] * generator.standard_normal(size)
        return np.asarray(log_ndtr(z) if log else ndtr(z))


def probit_of_log(log_u: object) -> FloatArray:
    """Φ⁻¹(U) from log U, precise at both ends.

    Examples
    --------
    >>> probit_of_log(log_ndtr(np.array([-30.0, 0.0, 8.0]))).round(9)
    array([-30.,   0.,   8.])
    """
    log_value = np.asarray(log_u, float)
    near_one = log_value > -0.5
    with np.errstate(divide="ignore"):
        upper = -ndtri(-np.expm1(np.where(near_one, log_value, -1.0)))
    return np.asarray(np.where(near_one, upper, ndtri_exp(np.where(near_one, -1.0, log_value))))
