"""Populations of classes: an endless supply of classes, their test examples, and scores between the two.

    population.classes(n, rng)            n fresh classes, an i.i.d. sample
    population.tests(classes, index, rng) one fresh test example of each class ``classes[i], i in index``
    population.score(probes, classes)     the matrix of scores that a user would have, higher is better
    population.core(probes, classes)      what decides the ranks, at the speed of a matrix product

``level`` scales all noise: the accuracy of a population falls with it, from what its geometry allows to chance.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

import numpy as np

from .geometry import UNSHARED
from .matching import Match, Report
from .sampling import Array, Ints, Rng, Vectors


@dataclass(frozen=True, eq=False)
class Classes:
    """Some classes: what their gallery shows, and what their test examples are drawn from.

    Attributes
    ----------
    entries : ndarray, exemplars × classes × d'
        Gallery entries; an example is compared with the closest exemplar of a class.
    key : ndarray of int or None
        Classes with equal keys (other than ``UNSHARED``) have identical entries.
    state : tuple of ndarray
        Whatever else the population needs to draw test examples, classes along the last axis but one or only axis.
    """

    entries: Array
    key: Ints | None
    state: tuple[Array, ...]

    def __len__(self) -> int:
        return int(self.entries.shape[1])


@dataclass(frozen=True, eq=False)
class Probes:
    """Some test examples, ready to be compared.

    Attributes
    ----------
    query : ndarray, examples × d'
        The example's side of the inner product.
    row : ndarray, examples × anything
        What finishing the scores of an example needs to know about it.
    own : ndarray
        Inner product with the example's own class.
    owner, key : ndarray of int
        Position of its own class among the classes it was drawn from, and that class's key.
    """

    query: Array
    row: Array
    own: Array
    owner: Ints
    key: Ints | None

    def __len__(self) -> int:
        return len(self.query)

    def take(self, rows: Array) -> "Probes":
        """Only some of the examples."""
        key = None if self.key is None else self.key[rows]
        return Probes(self.query[rows], self.row[rows], self.own[rows], self.owner[rows], key)

    def joined(self, other: "Probes") -> "Probes":
        """These examples followed by others of the same population; owners no longer mean anything."""
        both = [np.concatenate(pair) for pair in ((self.query, other.query), (self.row, other.row))]
        own = np.concatenate([self.own, other.own])
        owner = np.concatenate([self.owner, other.owner])
        key = None
        if self.key is not None and other.key is not None:
            key = np.concatenate([self.key, other.key])
        return Probes(both[0], both[1], own, owner, key)


@dataclass(frozen=True, eq=False, kw_only=True)
class Population(ABC):
    """A population; see the module's summary."""

    family: str
    match: Match
    level: float = 1.0
    report: Report = field(default_factory=Report)
    ties: bool = False  # whether different classes can score exactly alike, other than by their key

    @abstractmethod
    def classes(self, n: int, rng: Rng) -> Classes:
        """Draw ``n`` fresh classes."""

    @abstractmethod
    def tests(self, classes: Classes, index: Ints, rng: Rng) -> Probes:
        """Draw a fresh test example of each of these classes (repeat an index for several examples)."""

    @abstractmethod
    def facts(self) -> dict[str, float | str]:
        """The settings worth knowing when results are broken down."""

    def core(self, probes: Probes, entries: Array, out: Array | None = None) -> Array:
        """Inner products that rank the classes for each example: the largest over exemplars."""
        best = np.matmul(probes.query, entries[0].T, out=out)
        for each in entries[1:]:
            np.maximum(best, probes.query @ each.T, out=best)
        return best

    def finish(self, core: Array, probes: Probes) -> Array:
        """Scores from inner products (which may be overwritten)."""
        return self.match.finish(core, probes.row)

    def score(self, probes: Probes, classes: Classes) -> Vectors:
        """Reported scores of examples against the classes they were drawn from, as float32."""
        entries, where = classes.entries, None
        if classes.key is not None:
            # one column for each distinct entry: identical entries must tie whatever the rounding
            name = np.where(classes.key == UNSHARED, -2 - np.arange(len(classes)), classes.key)
            _, first, where = np.unique(name, return_index=True, return_inverse=True)
            entries = entries[:, first]
        scores = np.empty((len(probes), len(classes)), np.float32)
        for start in range(0, len(probes), 512):
            rows = np.arange(start, min(start + 512, len(probes)))
            part = probes.take(rows)
            core = self._measured(part, entries)
            core = core if where is None else core[:, where]
            scores[rows] = self.report.apply(self.finish(core, part).astype(np.float64))
        return scores

    def _measured(self, probes: Probes, entries: Array) -> Array:
        """Inner products with the measured classes; here the own class needs no special care."""
        return self.core(probes, entries)

    def at_level(self, level: float) -> "Population":
        """The same population with another level of noise."""
        return replace(self, level=level)

    def reporting(self, report: Report) -> "Population":
        """The same population with its scores reported in another way."""
        return replace(self, report=report)


def paired(query: Array, row: Array, classes: Classes, index: Ints) -> Probes:
    """Probes from queries: adds the inner product with the own class."""
    own = np.max([np.einsum("ij,ij->i", query, each[index]) for each in classes.entries], axis=0)
    key = None if classes.key is None else classes.key[index]
    return Probes(query, row, own, index, key)
