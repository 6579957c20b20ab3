"""Where the classes of a population lie: clouds, clusters, families of look-alikes, manifolds.

A geometry is drawn once for a population and then fixed, whatever number of classes is taken from it: classes
are an i.i.d. sample. Groups are kept as a finite table, so the more classes are taken, the more of them share a
group.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from .sampling import Array, Cloud, Ints, Reals, Rng, Vectors

UNSHARED = -1


@dataclass(frozen=True, eq=False)
class Places:
    """Places of some classes.

    Attributes
    ----------
    gallery, test : ndarray, classes × d
        Centre of each class as its gallery entry shows it, and as its test examples do.
    local : ndarray
        Typical distance from the class to its closest kin, where one is the scale of the population.
    key : ndarray of int or None
        Classes with the same key (other than ``UNSHARED``) have the very same gallery entry.
    """

    gallery: Vectors
    test: Vectors
    local: Vectors
    key: Ints | None = None


class Geometry(Protocol):
    """A law of the places of classes."""

    @property
    def dim(self) -> int:
        """Number of coordinates."""

    def sample(self, n: int, rng: Rng) -> Places:
        """Places of ``n`` fresh classes."""


def _alike(x: Vectors) -> Places:
    return Places(x, x, np.ones(len(x), np.float32))


@dataclass(frozen=True, eq=False)
class Spread:
    """Classes spread over one cloud, around ``shift``; on the unit sphere if ``sphere``."""

    cloud: Cloud
    shift: Vectors | None = None
    sphere: bool = False

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self.cloud.dim

    def sample(self, n: int, rng: Rng) -> Places:
        """Places of ``n`` fresh classes."""
        x = self.cloud.points(n, rng)
        if self.shift is not None:
            x += self.shift
        return _alike(unit(x) if self.sphere else x)


@dataclass(frozen=True, eq=False)
class Groups:
    """Classes around the rows of a fixed table; some are free of any group.

    Parameters
    ----------
    table : ndarray, groups × d
        Centres of the groups.
    odds : ndarray
        Cumulative probabilities of the groups.
    spread : ndarray
        Size of each group.
    inner : Cloud
        Shape of the groups.
    outer : Geometry
        Where classes without a group lie.
    free : float
        Share of classes without a group.
    shared : ndarray of bool
        Groups whose classes have one gallery entry in common, the row of the table; their test examples differ.
    """

    table: Vectors
    odds: Reals
    spread: Vectors
    inner: Cloud
    outer: Geometry
    free: float
    shared: Array

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return int(self.table.shape[1])

    def sample(self, n: int, rng: Rng) -> Places:
        """Places of ``n`` fresh classes."""
        group = np.minimum(np.searchsorted(self.odds, rng.random(n)), len(self.table) - 1)
        local = self.spread[group]
        gallery = self.table[group]
        test = self.inner.points(n, rng)
        test *= local[:, None]
        test += gallery
        key = np.where(self.shared[group], group, UNSHARED)
        lone = np.nonzero(rng.random(n) < self.free)[0]
        if len(lone):
            test[lone] = self.outer.sample(len(lone), rng).test
            local[lone] = 1.0
            key[lone] = UNSHARED
        alone = (key == UNSHARED)[:, None]
        gallery = np.where(alone, test, gallery)
        return Places(gallery, test, local, key if self.shared.any() else None)


@dataclass(frozen=True, eq=False)
class Manifold:
    """A random network's image of a few latent coordinates: curved, of low intrinsic dimension."""

    latent: Geometry
    weights: tuple[Vectors, ...]
    offsets: tuple[Vectors, ...]
    wave: str

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return len(self.offsets[-1])

    @classmethod
    def build(cls, latent: Geometry, widths: list[int], bend: float, wave: str, rng: Rng) -> "Manifold":
        """Draw a network with hidden layers and output of these widths; ``bend`` is its curvature."""
        sizes = [latent.dim, *widths]
        weights, offsets = [], []
        for layer, (rows, columns) in enumerate(pairwise(sizes)):
            gain = bend if layer == 0 else 1.5 / np.sqrt(rows)
            weights.append((gain * rng.standard_normal((rows, columns))).astype(np.float32))
            offsets.append(rng.uniform(-np.pi, np.pi, columns).astype(np.float32) * np.float32(bend > 0.5))
        return cls(latent, tuple(weights), tuple(offsets), wave)

    def sample(self, n: int, rng: Rng) -> Places:
        """Places of ``n`` fresh classes."""
        return _alike(self.image(self.latent.sample(n, rng).test))

    def image(self, x: Vectors) -> Vectors:
        """What the network makes of latent coordinates."""
        for weight, offset in zip(self.weights, self.offsets, strict=True):
            x = x @ weight + offset
            x = np.tanh(x) if self.wave == "tanh" else np.cos(x) if self.wave == "cos" else np.maximum(x, 0)
        return x * np.float32(1 / np.sqrt(self.dim))


@dataclass(frozen=True, eq=False)
class Composition:
    """Classes put together of parts, one in each of several slots, as characters are of radicals and words of stems.

    Parameters
    ----------
    parts : tuple of ndarray, each parts × d
        What each part of a slot adds to the vector of a class.
    odds : tuple of ndarray
        Cumulative probabilities of the parts of each slot.
    own : Cloud
        What is peculiar to each class.
    """

    parts: tuple[Vectors, ...]
    odds: tuple[Reals, ...]
    own: Cloud

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self.own.dim

    def sample(self, n: int, rng: Rng) -> Places:
        """Places of ``n`` fresh classes."""
        x = self.own.points(n, rng)
        for parts, odds in zip(self.parts, self.odds, strict=True):
            x += parts[np.minimum(np.searchsorted(odds, rng.random(n)), len(parts) - 1)]
        return _alike(x)


@dataclass(frozen=True, eq=False)
class Joined:
    """Classes with coordinates of several kinds, side by side: each part has a geometry and a scale of its own."""

    parts: tuple[Geometry, ...]
    scales: tuple[float, ...]

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return sum(part.dim for part in self.parts)

    def sample(self, n: int, rng: Rng) -> Places:
        """Places of ``n`` fresh classes."""
        drawn = [np.float32(c) * part.sample(n, rng).test for c, part in zip(self.scales, self.parts, strict=True)]
        return _alike(np.concatenate(drawn, axis=1))


@dataclass(frozen=True, eq=False)
class Kin:
    """Classes many of which have relatives, near and far: between a stem and a place of their own.

    Parameters
    ----------
    base : Geometry
        Where places of their own lie.
    stems : ndarray, stems × d
        Common ancestors.
    odds : ndarray
        Their cumulative probabilities.
    share : float
        Share of the classes that have a stem.
    nearest : float
        Least part of the way from the stem to the place of its own; the logarithm of that part is uniform.
    """

    base: Geometry
    stems: Vectors
    odds: Reals
    share: float
    nearest: float

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return int(self.stems.shape[1])

    def sample(self, n: int, rng: Rng) -> Places:
        """Places of ``n`` fresh classes."""
        x = self.base.sample(n, rng).test
        stem = self.stems[np.minimum(np.searchsorted(self.odds, rng.random(n)), len(self.stems) - 1)]
        part = np.where(rng.random(n) < self.share, self.nearest ** rng.random(n), 1.0).astype(np.float32)
        x = stem + part[:, None] * (x - stem)
        return Places(x, x, part)


@dataclass(frozen=True, eq=False)
class Subspaces:
    """A union of flat pieces: each class lies in one of several random subspaces."""

    bases: Vectors  # pieces × rank × d
    centres: Vectors  # pieces × d
    latent: Cloud

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return int(self.bases.shape[2])

    def sample(self, n: int, rng: Rng) -> Places:
        """Places of ``n`` fresh classes."""
        piece = rng.integers(len(self.bases), size=n)
        z = self.latent.points(n, rng)
        x = self.centres[piece]
        for j, basis in enumerate(self.bases):
            mine = np.nonzero(piece == j)[0]
            x[mine] += z[mine] @ basis
        return _alike(x)


def unit(x: Vectors) -> Vectors:
    """Scale every vector to length one."""
    length = np.sqrt(np.einsum("...i,...i->...", x, x))
    return np.asarray(x / np.maximum(length, np.float32(1e-12))[..., None], np.float32)


def tree(rng: Rng, branches: list[int], shrink: float, cloud: Cloud) -> tuple[Vectors, float]:
    """Leaves of a random tree, and the scale of its last level.

    Level l has ``branches[l]`` nodes in all; each hangs off a random node of the level above, at a distance
    that shrinks by ``shrink`` from level to level.
    """
    nodes = np.zeros((1, cloud.dim), np.float32)
    scale = 1.0
    for count in branches:
        parent = rng.integers(len(nodes), size=count)
        nodes = nodes[parent] + np.float32(scale) * cloud.points(count, rng)
        scale *= shrink
    return nodes, scale / shrink


def zipf_odds(count: int, exponent: float) -> Reals:
    """Cumulative probabilities that fall like a power of the rank; exponent 0 makes all groups equal."""
    odds = np.cumsum(np.arange(1, count + 1) ** -float(exponent))
    return np.asarray(odds / odds[-1])
