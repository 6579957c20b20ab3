"""Populations of classes whose accuracy is known at every number of classes: draw some, forecast, compare.

A simulation knows its truth in closed form. A real data set knows it exactly because every test example was ranked
among all classes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array, Counts, FloatArray, IntArray
from ..curve import curve, example_values
from ..evidence import Evidence
from ..favourability import Favourability
from ..metrics import TOP1
from . import gaussian, local


@dataclass(frozen=True)
class Sample:
    """Evidence on some classes, and what an oracle would say of the same test examples.

    ``oracle`` takes numbers of classes, and averages the chance of each example measured to be right among so many
    random classes of the population: what is left of its error is the luck of the draw.
    """

    evidence: Evidence
    oracle: Callable[[Counts], FloatArray]


class Population(ABC):
    """Classes to draw from."""

    name: str

    @abstractmethod
    def draw(self, k1: int, rng: np.random.Generator) -> Sample:
        """Measure ``k1`` random classes."""

    @abstractmethod
    def truth(self, k: Counts) -> FloatArray:
        """Average accuracy on ``k`` random classes."""


@dataclass(frozen=True)
class Gaussian(Population):
    """The paper's simulation, see :mod:`rankcast.datasets.gaussian`."""

    sigma2: float

    @property
    def name(self) -> str:  # type: ignore[override]
        """With the noise level."""
        return f"Gaussian σ²={self.sigma2:g}"

    def draw(self, k1: int, rng: np.random.Generator) -> Sample:
        """One training and one test example of each class; scores are -distance."""
        train, test = gaussian.draw(k1, self.sigma2, rng=rng)
        measured = Evidence.from_embeddings(train, np.arange(k1), test, np.arange(k1))
        known = Favourability(gaussian.probit(train, test, self.sigma2), np.full(k1, 1 / k1))
        return Sample(measured, known.value)

    def truth(self, k: Counts) -> FloatArray:
        """By quadrature."""
        return gaussian.aga(k, self.sigma2)


class Real(Population):
    """A data set; truth comes from the ranks of test examples among all of its classes."""

    @cached_property
    @abstractmethod
    def ranks(self) -> Evidence:
        """Of the test examples among all classes."""

    @property
    @abstractmethod
    def total(self) -> int:
        """How many classes there are."""

    def truth(self, k: Counts) -> FloatArray:
        """From the exact ranks, so k is at most the number of classes."""
        return curve(self.ranks, k)


class Pairs(Real):
    """Row i of ``gallery`` and of ``probes`` is class i; truth from ``tests`` random rows at most."""

    def __init__(
        self, name: str, gallery: Array, probes: Array, tests: int | None = None, similarity: str = "euclidean"
    ) -> None:
        self.name, self.gallery, self.probes, self.tests, self.similarity = name, gallery, probes, tests, similarity

    @property
    def total(self) -> int:
        """Rows of the gallery."""
        return len(self.gallery)

    @cached_property
    def ranks(self) -> Evidence:
        """Of all probes, or of a random part of them."""
        own = np.arange(self.total)
        if self.tests is not None and self.tests < self.total:
            own = np.sort(np.random.default_rng(0).choice(self.total, self.tests, replace=False))
        return exact_ranks(self.gallery, self.probes[own], own)

    def draw(self, k1: int, rng: np.random.Generator) -> Sample:
        """Rows without replacement."""
        chosen, label = rng.choice(self.total, k1, replace=False), np.arange(k1)
        measured = Evidence.from_embeddings(
            self.gallery[chosen], label, self.probes[chosen], label, similarity=self.similarity
        )

        def oracle(k: Counts) -> FloatArray:
            return curve(exact_ranks(self.gallery, self.probes[chosen], chosen), k)

        return Sample(measured, oracle)


class Pictures(Real):
    """Classes of several pictures: one random picture is the gallery's, another the test; truth over ``pairings``."""

    def __init__(self, name: str, vectors: Array, label: Array, pairings: int) -> None:
        self.name, self.pairings, self.vectors = name, pairings, vectors.astype(np.float64)
        members = [np.nonzero(label == value)[0] for value in np.unique(label)]
        self.members = [rows for rows in members if len(rows) >= 2]

    @property
    def total(self) -> int:
        """Classes of two pictures or more."""
        return len(self.members)

    def pair(self, rng: np.random.Generator, chosen: IntArray) -> tuple[Array, Array]:
        """A picture for the gallery and another for the test, of each of these classes."""
        pairs = np.array([rng.choice(self.members[each], 2, replace=False) for each in chosen])
        return self.vectors[pairs[:, 0]], self.vectors[pairs[:, 1]]

    @cached_property
    def ranks(self) -> Evidence:
        """Of one test picture of each class, for each pairing."""
        rng, every = np.random.default_rng(0), np.arange(self.total)
        rounds = [exact_ranks(*self.pair(rng, every), every) for _ in range(self.pairings)]
        return rounds[0].merge(*rounds[1:])

    def draw(self, k1: int, rng: np.random.Generator) -> Sample:
        """Classes without replacement, a pair of each."""
        chosen, label = rng.choice(self.total, k1, replace=False), np.arange(k1)
        gallery, probes = self.pair(rng, chosen)

        def oracle(k: Counts) -> FloatArray:
            values = []
            for i in range(5):  # five pictures of each of the other classes
                everyone = self.pair(np.random.default_rng([7, i]), np.arange(self.total))[0]
                everyone[chosen] = gallery
                values.append(curve(exact_ranks(everyone, probes, chosen), k))
            return np.asarray(np.mean(values, axis=0))

        return Sample(Evidence.from_embeddings(gallery, label, probes, label), oracle)


class Scored(Real):
    """Scores of every test example for every class, restricted to the classes drawn."""

    def __init__(self, name: str, scores: Array, label: Array) -> None:
        self.name, self.full = name, Evidence.from_scores(scores.astype(np.float32), label)

    @property
    def total(self) -> int:
        """Columns of the scores."""
        return self.full.k1

    @cached_property
    def ranks(self) -> Evidence:
        """Of all test examples."""
        return self.full

    def draw(self, k1: int, rng: np.random.Generator) -> Sample:
        """Columns without replacement, and their test examples."""
        chosen = rng.choice(self.total, k1, replace=False)

        def oracle(k: Counts) -> FloatArray:
            mine = np.isin(self.full.label, chosen)
            values = example_values(self.full, np.atleast_1d(np.asarray(k, np.int64)), TOP1)[mine]
            return np.asarray(np.average(values, axis=0, weights=self.full.weight[mine]))

        return Sample(self.full.subset(chosen), oracle)


def exact_ranks(gallery: Array, probes: Array, own: IntArray) -> Evidence:
    """Rank of each probe's own gallery row among all, by Euclidean distance.

    Products of int8 vectors are whole numbers below 2**24, so float32 is exact for them; others take float64.
    """
    kind: Any = np.float32 if gallery.dtype == np.int8 else np.float64
    columns: Any = gallery.astype(kind)
    square = (columns**2).sum(axis=1)
    rank, tied = np.empty(len(probes), np.int64), np.empty(len(probes), np.int64)
    for start in range(0, len(probes), 500):
        rows = slice(start, start + 500)
        score = 2 * (probes[rows].astype(kind) @ columns.T) - square
        truth = score[np.arange(len(score)), own[rows]][:, None]
        rank[rows] = 1 + (score > truth).sum(axis=1)
        tied[rows] = (score == truth).sum(axis=1) - 1
    return Evidence.from_ranks(rank, len(gallery), tied=tied)


def faces(folder: str | Path | None = None, pairings: int = 20) -> Pictures:
    """People of Labeled Faces in the Wild with two photos or more."""
    data = local.load("lfw-dlib", folder)
    return Pictures("LFW", data["embeddings"], data["label"], pairings)


def omniglot(folder: str | Path | None = None, pairings: int = 40) -> Pictures:
    """Handwritten characters."""
    data = local.load("omniglot", folder)
    return Pictures("Omniglot", data["embeddings"], data["label"], pairings)


def softmax(folder: str | Path | None = None) -> Scored:
    """The logits of a softmax trained on all 901 Omniglot classes, restricted to some of them."""
    data = local.load("omniglot-softmax", folder)
    return Scored("Omniglot softmax", data["logits"], data["label"])


def imagenet(folder: str | Path | None = None) -> Scored:
    """The logits of an ImageNet network, restricted to some classes."""
    data = local.load("imagenet-effnetlite0", folder)
    return Scored("ImageNet", data["logits"], data["label"])


def han(folder: str | Path | None = None, tests: int = 30_000) -> Pairs:
    """Han characters from one typeface to another."""
    data = local.load("han-glyphs-75k", folder)
    return Pairs("Han", data["TW_Sung"], data["TW_Kai"], tests)


def wordnet(folder: str | Path | None = None, tests: int = 30_000) -> Pairs:
    """Synset definitions against their words; 28% ties."""
    data = local.load("wordnet-117k", folder)
    return Pairs("WordNet", data["lemmas"], data["definition"], tests)
