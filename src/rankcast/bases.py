"""Bases for D(u): families of distributions of U* whose mixtures ClassExReg fits.

Each basis element is a distribution of Φ⁻¹(U*), so a nonnegative mixture of them is one too. Its moment at k is
E[U^(k-1)] = 1 - H_{l,k} in the paper's notation.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from ._typing import FloatArray, IntArray
from .errors import InputError
from .favourability import Favourability, moments
from .metrics import TOP1, Metric


def largest_knot(k1: int, examples: float = 1.0) -> float:
    """Φ⁻¹(1 - 1/(r k₁²)): no ranking of r examples per class tells larger favourabilities apart."""
    return float(-ndtri(1.0 / (examples * float(k1) ** 2)))


class Basis(ABC):
    """Distributions of U* indexed by a column, two atoms last if asked for."""

    atoms: tuple[float, ...]

    @abstractmethod
    def inner_moments(self, k: IntArray, metric: Metric) -> FloatArray:
        """Expected metric of each element but the atoms: a matrix, ``k`` × elements."""

    @abstractmethod
    def favourability(self, weight: FloatArray) -> Favourability:
        """The mixture with these weights."""

    def moments(self, k: IntArray, metric: Metric = TOP1) -> FloatArray:
        """Expected metric of each element, for top-1 E[U^(k-1)]: a matrix, ``k`` × elements."""
        ends = metric.given_favourability(self._ends, np.asarray(k, float)[:, None])
        return np.column_stack([self.inner_moments(k, metric), ends])

    @property
    def _ends(self) -> FloatArray:
        return np.array([np.inf if atom else -np.inf for atom in self.atoms])


@dataclass(frozen=True)
class RadialBasis(Basis):
    """The paper's radial basis: Φ⁻¹(U*) ~ N(t_l, h²) at evenly spaced knots t_l.

    Parameters
    ----------
    width : float
        The kernel's standard deviation h.
    largest : float
        The outermost knots lie at plus and minus this.
    spacing : {"paper", "authors"}
        Knots at least h/2 apart as in the paper, or about h apart as in the authors' code.
    atoms : tuple
        Atoms at U* = 0 and U* = 1 to add.

    Examples
    --------
    >>> RadialBasis(1.0, 3.719, "authors").knots.round(3)
    array([-3.719, -2.479, -1.24 ,  0.   ,  1.24 ,  2.479,  3.719])
    """

    width: float
    largest: float
    spacing: str = "paper"
    atoms: tuple[float, ...] = (0.0, 1.0)

    @cached_property
    def knots(self) -> FloatArray:
        """Centres of the kernels on the probit scale."""
        if self.spacing == "authors":
            half = max(int(np.ceil(self.largest / self.width)) - 1, 1)
        elif self.spacing == "paper":
            half = max(int(2 * self.largest / self.width), 1)
        else:
            raise InputError(f"spacing must be 'paper' or 'authors', not {self.spacing!r}")
        return self.largest * np.arange(-half, half + 1) / half

    def inner_moments(self, k: IntArray, metric: Metric) -> FloatArray:
        """For top-1 E[Φ(Z)^(k-1)], Z ~ N(t_l, h²)."""
        return moments(self.knots, self.width, np.asarray(k, float), metric)

    def favourability(self, weight: FloatArray) -> Favourability:
        """A mixture of normals, and the atoms."""
        spread = np.r_[np.full(len(self.knots), self.width), np.zeros(len(self.atoms))]
        return Favourability(np.r_[self.knots, self._ends], weight, spread)


@dataclass(frozen=True)
class SplineBasis(Basis):
    """Monotone cubic splines for D on the probit scale: its density is a mixture of B-splines.

    ``width`` is the distance between knots; a cubic B-spline on such knots has the standard deviation of a
    kernel 0.58 times as wide.
    """

    width: float
    largest: float
    atoms: tuple[float, ...] = (0.0, 1.0)

    @cached_property
    def _nodes(self) -> tuple[FloatArray, FloatArray]:
        """Quadrature nodes, and the mass that each spline has at each of them."""
        half = max(int(np.ceil(self.largest / self.width)), 1)
        gap = self.largest / half
        pieces = int(np.ceil(gap / 0.25))  # Gauss-Legendre is exact to rounding on pieces this short
        edges = np.linspace(-self.largest - 2 * gap, self.largest + 2 * gap, (2 * half + 4) * pieces + 1)
        x, w = np.polynomial.legendre.leggauss(16)
        radius = gap / pieces / 2
        z = (edges[:-1, None] + radius * (1 + x)).ravel()
        distance = np.abs(z[:, None] / gap - np.arange(-half, half + 1))
        inside = 2 / 3 - distance**2 + distance**3 / 2
        outside = np.maximum(2 - distance, 0) ** 3 / 6
        mass = np.where(distance < 1, inside, outside) * np.tile(w, len(edges) - 1)[:, None]
        return z, mass / mass.sum(axis=0)

    def inner_moments(self, k: IntArray, metric: Metric) -> FloatArray:
        """For top-1 E[Φ(Z)^(k-1)], Z with each B-spline as its density."""
        z, mass = self._nodes
        return metric.given_favourability(z, np.asarray(k, float)[:, None]) @ mass

    def favourability(self, weight: FloatArray) -> Favourability:
        """The mixture, at the nodes of its quadrature."""
        z, mass = self._nodes
        inner = mass.shape[1]
        return Favourability(np.r_[z, self._ends], np.r_[mass @ weight[:inner], weight[inner:]])
