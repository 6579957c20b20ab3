"""The real data sets as problems: evidence on some classes, and the accuracy on all."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankcast import Evidence
from rankcast.datasets import local, populations
from rankcast.datasets import telugu as telugu_data
from rankcast.datasets.populations import Population, Real

SHARED = Path(__file__).resolve().parents[1] / ".." / "shared"
os.environ.setdefault(local.VARIABLE, str(SHARED / "data"))
ALL_RANKS: dict[str, Evidence] = {}  # of the tests among all classes, by data set: the truth of every metric at any k


@dataclass(frozen=True)
class Problem:
    """Evidence on ``k1`` random classes, and the exact accuracy at each ``k2``."""

    name: str
    k1: int
    k2: tuple[int, ...]
    truth: tuple[float, ...]
    draw: Callable[[np.random.Generator], Evidence]
    # from the same generator: accuracy at each k2 of the very examples drawn, all other classes being their rivals
    oracle: Callable[[np.random.Generator], np.ndarray] | None = None


def problems() -> list[Problem]:
    """Extrapolations from random draws of classes."""
    return [*lfw(), *omniglot(), *softmax(), *imagenet(), *han(), *wordnet()]


def _problem(source: Population, k1: int, k2: tuple[int, ...]) -> Problem:
    return Problem(
        source.name,
        k1,
        k2,
        tuple(source.truth(list(k2)).tolist()),
        lambda rng: source.draw(k1, rng).evidence,
        lambda rng: source.draw(k1, rng).oracle(list(k2)),
    )


def _problems(source: Real, sizes: tuple[int, ...], k2: tuple[int, ...] = ()) -> list[Problem]:
    """Extrapolations from each of ``sizes`` to all classes, and to ``k2`` on the way."""
    ALL_RANKS[source.name] = source.ranks
    return [_problem(source, k1, (*k2, source.total)) for k1 in sizes]


def simulated(levels: tuple[float, ...], k1: int, k2: tuple[int, ...]) -> list[Problem]:
    """The paper's simulation at some noise levels."""
    return [_problem(populations.Gaussian(sigma2), k1, k2) for sigma2 in levels]


def han() -> list[Problem]:
    """Han characters from one typeface to another; ranks on all of them for 30,000 random tests."""
    return _problems(populations.han(), (500,), (5000, 20000))


def wordnet() -> list[Problem]:
    """Synset definitions against their words; 28% ties."""
    return _problems(populations.wordnet(), (500,), (5000, 20000))


def lfw() -> list[Problem]:
    """Faces."""
    return _problems(populations.faces(), (100, 200, 400))


def omniglot() -> list[Problem]:
    """Handwritten characters."""
    return _problems(populations.omniglot(), (100,))


def softmax() -> list[Problem]:
    """The logits of a softmax trained on all 901 Omniglot classes, restricted to some of them."""
    return _problems(populations.softmax(), (100,))


def imagenet() -> list[Problem]:
    """The logits of an ImageNet network, restricted to some classes."""
    return _problems(populations.imagenet(), (100,))


def telugu() -> list[Problem]:
    """The paper's OCR scores; truth is the accuracy of the same kind of classifier retrained on k₂ classes.

    There is one measurement of each, so draws differ only by the seed of the method.
    """
    found = []
    for name, both in telugu_data.TRUTH.items():
        for k1, k2 in ((20, (100, 400)), (100, (400,))):
            if f"{name}_{k1}" in telugu_data.SOURCES:
                evidence = telugu_data.evidence(name, k1)
                truth = tuple(both[k] for k in k2)
                found.append(Problem(f"Telugu {name}", k1, k2, truth, lambda rng, evidence=evidence: evidence))
    return found
