"""Seeds: a source of randomness from what a user gave."""

import numpy as np

from ._typing import Seed
from .errors import InputError


def seeded(rng: Seed) -> tuple[int | str, np.random.Generator]:
    """A source of randomness from what a user gave, and what it takes to get it again."""
    if isinstance(rng, np.random.Generator):
        return "a Generator", rng
    if rng is None:
        rng = int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError(f"rng must be None, a whole number ≥ 0 or a numpy Generator, found {rng!r}")
    return int(rng), np.random.default_rng(rng)


def generator(rng: Seed) -> np.random.Generator:
    """A source of randomness from what a user gave."""
    return seeded(rng)[1]
