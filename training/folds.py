"""Families and real kinds dealt into folds: those that a network is kept from together."""

from .families import HELD_OUT, STRUCTURED, TRAIN
from .real.kinds import KINDS as REAL

FOLDS = 4
ALWAYS = "textbook"  # the family that every network learns from


def fold_of(family: str) -> int:
    """The fold of a family: those left out together; one family has a fold of its own, the last, never left out."""
    if family == ALWAYS:
        return FOLDS
    like = next(names for names in (sorted(STRUCTURED), list(REAL), sorted(TRAIN + HELD_OUT)) if family in names)
    return like.index(family) % FOLDS
