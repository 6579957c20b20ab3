"""Populations of bags of parts, whose examples lose, change and gain parts: as misspelt words do, or torn pictures."""

from dataclasses import dataclass

import numpy as np

from .populations import Classes, Population, Probes, paired
from .sampling import Ints, Reals, Rng, Vectors
from .vectors import Gallery, Noise


@dataclass(frozen=True, eq=False, kw_only=True)
class EditPopulation(Population):
    """A class is a bag of parts, one in each of its places; an edit changes or removes one of them.

    Parameters
    ----------
    parts : ndarray, parts × d
        What each part adds to a vector. The first is nothing.
    odds : ndarray
        Cumulative probabilities of the parts.
    stems : ndarray of int, stems × places
        Bags that classes are derived from.
    renewed : float
        Share of the places of a class whose part is not that of its stem; if ``kin``, the least such share, and its
        logarithm is uniform.
    removed : float
        Share of the edits of an example that leave a place empty.
    noise : Noise
        How many edits examples have; its cloud is added to their vectors, ``grain`` times.
    gallery : Gallery
        Edits of what the gallery shows, relative to those of examples; one vector for each class, or a mean.
    """

    parts: Vectors
    odds: Reals
    stems: Ints
    renewed: float
    kin: bool
    removed: float
    noise: Noise
    grain: float
    gallery: Gallery

    def classes(self, n: int, rng: Rng) -> Classes:
        """Draw ``n`` fresh classes."""
        share = self.renewed ** (rng.random(n) if self.kin else np.ones(n))
        bags = self._changed(self.stems[rng.integers(len(self.stems), size=n)], share, 0.0, rng)
        scale = np.float32(self.level) * self.noise.class_scale(np.ones(n), rng)
        shown = [self._shown(bags, self.gallery.ratio * scale, rng) for _ in range(self.gallery.exemplars)]
        return Classes(self.match.entries(np.mean(shown, axis=0, dtype=np.float32)[None], rng), None, (bags, scale))

    def tests(self, classes: Classes, index: Ints, rng: Rng) -> Probes:
        """Draw a fresh test example of each of these classes."""
        bags, scale = classes.state
        own = scale[index] * self.noise.example_scale(len(index), rng)
        query, row = self.match.queries(self._shown(bags[index], own, rng))
        return paired(query, row, classes, index)

    def _shown(self, bags: Ints, scale: Vectors, rng: Rng) -> Vectors:
        """Vectors of edited bags."""
        edited = self._changed(bags, 1 - np.exp(-scale), self.removed, rng) if scale.any() else bags
        x = np.zeros((len(bags), self.parts.shape[1]), np.float32)
        for place in edited.T:
            x += self.parts[place]
        x += np.float32(self.grain) * scale[:, None] * self.noise.cloud.points(len(bags), rng)
        return x

    def _changed(self, bags: Ints, share: Reals, removed: float, rng: Rng) -> Ints:
        """Bags with a share of their parts drawn anew, or removed."""
        change = rng.random(bags.shape) < share[:, None]
        fresh = np.searchsorted(self.odds, rng.random(int(change.sum()))) + 1
        fresh[rng.random(len(fresh)) < removed] = 0
        changed = bags.copy()
        changed[change] = np.minimum(fresh, len(self.parts) - 1)
        return changed

    def facts(self) -> dict[str, float | str]:
        """The settings worth knowing when results are broken down."""
        return {
            "dim": self.parts.shape[1],
            "score": self.match.kind,
            "report": self.report.kind,
            "noise": "edits",
            "exemplars": self.gallery.exemplars,
            "gallery_noise": self.gallery.ratio,
            "uneven": 1.0,
        }
