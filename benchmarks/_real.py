"""Populations of misspelt words and of letters, and linear classifiers of these, as in training but drawn otherwise.

They are there to test `auto` on, in large numbers. English words and Hangul are left out, which are data to develop on,
and Han characters, which are a data set of their own.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.ingredients import ANY_SCORE
from training.real.letters import FONTS, TYPEFACES, classifiers, letters
from training.real.words import LANGUAGES, WORDS, words
from training.sampling import Vectors, pick


@dataclass(frozen=True, eq=False)
class Population:
    """Vectors of all classes, and one test example of each."""

    family: str
    similarity: str
    gallery: Vectors
    tests: Vectors


def missing() -> list[str]:
    """Debian packages that would have to be installed."""
    lists = [package for language, package in LANGUAGES.items() if not (WORDS / language).exists()]
    return lists + [package for name, package in FONTS.items() if not (TYPEFACES / name).exists()]


def population(seed: int, folder: Path) -> Population:
    """The population of that number; ``folder`` holds the pictures that training.real.letters prepares."""
    rng = np.random.default_rng([seed, 11])
    family = pick(rng, {"words": 0.4, "letters": 0.35, "classifiers of letters": 0.25})
    if family == "classifiers of letters":
        return Population(family, "dot", *classifiers(rng, folder))
    made = words(rng, folder) if family == "words" else letters(rng, folder)
    return Population(family, pick(rng, ANY_SCORE), *made)
