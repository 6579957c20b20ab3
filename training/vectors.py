"""Populations whose classes are places in a space, and whose examples are noisy vectors around them."""

from dataclasses import dataclass

import numpy as np

from .geometry import UNSHARED, Geometry
from .populations import Classes, Population, Probes, paired
from .sampling import Array, Cloud, Ints, Rng, Vectors

_BLENDED = 3  # other classes that a test example is blended with


@dataclass(frozen=True, eq=False)
class Noise:
    """How the vectors of a class differ.

    Parameters
    ----------
    cloud : Cloud
        Law and shape of the noise of one vector.
    classes : Cloud law of class scales: ("lognormal", sigma) or ("gamma", shape)
        Some classes vary more than others.
    local : float
        Noise scales with the local distance between classes to this power.
    examples : float
        Standard deviation of the logarithm of each test example's own scale.
    mislabelled : float
        Share of test examples that come from another class.
    wild : float
        Share of test examples whose noise is ``wildness`` times larger.
    """

    cloud: Cloud
    classes: tuple[str, float] = ("lognormal", 0.0)
    local: float = 0.0
    examples: float = 0.0
    mislabelled: float = 0.0
    wild: float = 0.0
    wildness: float = 5.0

    def class_scale(self, local: Array, rng: Rng) -> Vectors:
        """Scale of the noise of each class."""
        law, value = self.classes
        n = len(local)
        if law == "gamma":
            scale = np.sqrt(rng.standard_gamma(value, n) / value)
        else:
            scale = np.exp(value * rng.standard_normal(n))
        return np.asarray(scale * local.astype(np.float64) ** self.local, np.float32)

    def example_scale(self, n: int, rng: Rng) -> Vectors:
        """Scale of the noise of each test example, relative to its class."""
        scale = np.exp(self.examples * rng.standard_normal(n))
        scale[rng.random(n) < self.wild] *= self.wildness
        return scale.astype(np.float32)


@dataclass(frozen=True)
class Gallery:
    """How the gallery is made: noise relative to that of tests, and exemplars per class.

    With ``nearest`` each class shows ``exemplars`` vectors; otherwise their mean, of 1 to ``2·exemplars − 1``
    of them if ``varied``.
    """

    ratio: float = 1.0
    exemplars: int = 1
    nearest: bool = False
    varied: bool = False

    def shrinkage(self, n: int, rng: Rng) -> Vectors:
        """Factor by which averaging reduces the gallery noise of each class."""
        if self.nearest or self.exemplars == 1:
            return np.ones(n, np.float32)
        count = rng.integers(1, 2 * self.exemplars, n) if self.varied else np.full(n, self.exemplars)
        return np.asarray(count**-0.5, np.float32)


@dataclass(frozen=True, eq=False, kw_only=True)
class VectorPopulation(Population):
    """Classes are places in a space; gallery and test examples are noisy vectors around them.

    Parameters
    ----------
    geometry, noise, gallery
        Where classes lie, how their vectors differ, what the gallery shows.
    observe : {"plain", "sign", "round", "relu"}
        What is kept of each vector; ``grain`` is the step of rounding.
    distortion : ndarray or None
        Test examples are seen through this matrix, gallery entries are not.
    senses, apart : int, Cloud
        A class has this many centres, this far apart; the gallery shows one exemplar of each.
    blend : float
        How far, in units of its noise, a test example moves towards the middle of a few other classes, at most all
        the way: it errs in the directions in which classes differ.
    """

    geometry: Geometry
    noise: Noise
    gallery: Gallery = Gallery()
    observe: str = "plain"
    grain: float = 1.0
    distortion: Vectors | None = None
    senses: int = 1
    apart: Cloud | None = None
    blend: float = 0.0

    def classes(self, n: int, rng: Rng) -> Classes:
        """Draw ``n`` fresh classes."""
        places = self.geometry.sample(n, rng)
        scale = np.float32(self.level) * self.noise.class_scale(places.local, rng)
        centres, shown = places.test[None], places.gallery[None]
        if self.apart is not None:
            offsets = [self.apart.points(n, rng) * places.local[:, None] for _ in range(self.senses)]
            centres, shown = centres + np.stack(offsets), shown + np.stack(offsets)
        copies = max(len(shown), self.gallery.exemplars if self.gallery.nearest else 1)
        blur = scale * self.gallery.shrinkage(n, rng) * np.float32(self.gallery.ratio)
        if places.key is not None:
            blur = np.where(places.key == UNSHARED, blur, np.float32(0))
        exemplars = np.stack([self._blurred(shown[e % len(shown)], blur, rng) for e in range(copies)])
        return Classes(self.match.entries(exemplars, rng), places.key, (centres, scale))

    def _blurred(self, centre: Vectors, scale: Vectors, rng: Rng) -> Vectors:
        if not self.gallery.ratio:
            return self._observed(centre.copy())
        x = self.noise.cloud.points(len(centre), rng)
        x *= scale[:, None]
        x += centre
        return self._observed(x)

    def _observed(self, x: Vectors) -> Vectors:
        if self.observe == "sign":
            return np.where(x > 0, np.float32(1), np.float32(-1))
        if self.observe == "round":
            return np.asarray(np.clip(np.rint(x / np.float32(self.grain)), -200, 200), np.float32)
        if self.observe == "relu":
            return np.maximum(x, np.float32(0))
        return x

    def tests(self, classes: Classes, index: Ints, rng: Rng) -> Probes:
        """Draw a fresh test example of each of these classes."""
        centres, scale = classes.state
        centre = centres[rng.integers(len(centres), size=len(index)), index]
        wrong = np.nonzero(rng.random(len(index)) < self.noise.mislabelled)[0]
        if len(wrong):
            centre[wrong] = self.geometry.sample(len(wrong), rng).test
        own = scale[index] * self.noise.example_scale(len(index), rng)
        if self.blend:
            others = np.mean([self.geometry.sample(len(index), rng).test for _ in range(_BLENDED)], axis=0)
            centre = centre + (1 - np.exp(-np.float32(self.blend) * own))[:, None] * (others - centre)
        if self.distortion is not None:
            centre = centre @ self.distortion
        x = self.noise.cloud.points(len(index), rng)
        x *= own[:, None]
        x += centre
        query, row = self.match.queries(self._observed(x))
        return paired(query, row, classes, index)

    def facts(self) -> dict[str, float | str]:
        """The settings worth knowing when results are broken down."""
        noise = self.noise
        return {
            "dim": self.geometry.dim,
            "score": self.match.kind,
            "report": self.report.kind,
            "noise": noise.cloud.law,
            "exemplars": max(self.gallery.exemplars, self.senses),
            "nearest": float(self.gallery.nearest or self.senses > 1),
            "gallery_noise": self.gallery.ratio,
            "uneven": float(noise.classes[1] > 0 or noise.examples > 0 or noise.wild > 0),
            "mislabelled": noise.mislabelled,
            "distorted": float(self.distortion is not None),
        }
