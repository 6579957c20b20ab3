"""Populations whose examples differ from each other as pictures do: by what bends them, not by added noise."""

from dataclasses import dataclass

import numpy as np

from .geometry import Manifold
from .populations import Classes, Population, Probes, paired
from .sampling import Cloud, Ints, Rng, Vectors
from .vectors import Gallery, Noise


@dataclass(frozen=True, eq=False, kw_only=True)
class MorphPopulation(Population):
    """A random network shows a class under a nuisance: pose, light, handwriting, wording.

    Parameters
    ----------
    latent : Cloud
        Law of the classes.
    nuisance : Noise
        Law of the nuisance of each vector, further coordinates of the input of the network.
    picture : Manifold
        The network.
    grain : float
        Noise of the vectors themselves, beside the nuisance.
    gallery : Gallery
        How many vectors a class shows, or the mean of how many, and how large their nuisance is.
    """

    latent: Cloud
    nuisance: Noise
    picture: Manifold
    grain: float
    gallery: Gallery

    def classes(self, n: int, rng: Rng) -> Classes:
        """Draw ``n`` fresh classes."""
        latent = self.latent.points(n, rng)
        scale = np.float32(self.level) * self.nuisance.class_scale(np.ones(n), rng)
        shown = [self._shown(latent, self.gallery.ratio * scale, rng) for _ in range(self.gallery.exemplars)]
        exemplars = np.stack(shown) if self.gallery.nearest else np.mean(shown, axis=0)[None]
        return Classes(self.match.entries(exemplars, rng), None, (latent, scale))

    def tests(self, classes: Classes, index: Ints, rng: Rng) -> Probes:
        """Draw a fresh test example of each of these classes."""
        latent, scale = classes.state
        wrong = rng.random(len(index)) < self.nuisance.mislabelled
        places = latent[index]
        places[wrong] = self.latent.points(int(wrong.sum()), rng)
        own = scale[index] * self.nuisance.example_scale(len(index), rng)
        query, row = self.match.queries(self._shown(places, own, rng))
        return paired(query, row, classes, index)

    def _shown(self, latent: Vectors, scale: Vectors, rng: Rng) -> Vectors:
        bent = self.nuisance.cloud.points(len(latent), rng) * scale[:, None]
        x = self.picture.image(np.concatenate([latent, bent], axis=1))
        x += (self.grain * scale[:, None] * rng.standard_normal(x.shape, np.float32)).astype(np.float32)
        return x

    def facts(self) -> dict[str, float | str]:
        """The settings worth knowing when results are broken down."""
        return {
            "dim": self.latent.dim,
            "score": self.match.kind,
            "report": self.report.kind,
            "noise": self.nuisance.cloud.law,
            "exemplars": self.gallery.exemplars,
            "nearest": float(self.gallery.nearest),
            "gallery_noise": self.gallery.ratio,
            "uneven": 1.0,
            "mislabelled": self.nuisance.mislabelled,
        }
