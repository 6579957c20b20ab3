"""What a check works on, and what it may find."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._typing import Array, FloatArray, IntArray
from ..errors import RankcastWarning
from ..evidence import Evidence
from ..ranking import Scores, blocks

_MOST_ERRORS = 20_000


@dataclass(frozen=True)
class Finding:
    """Something that a user should know before trusting a forecast.

    Attributes
    ----------
    kind : type of RankcastWarning
        The named warning; its ``section`` of docs/diagnose.md says more.
    found, means, do : str
        What was seen, what it means for the forecast, and what to do.
    """

    kind: type[RankcastWarning]
    found: str
    means: str
    do: str

    @property
    def see(self) -> str:
        """Where the documentation explains it."""
        return f"docs/diagnose.md#{self.kind.section}"

    @property
    def warning(self) -> RankcastWarning:
        """The finding as a warning that can be issued or raised."""
        return self.kind(f"{self.found}. {self.means}. {self.do} (see {self.see})")


class NotCheckedError(Exception):
    """A check lacks what it needs; the message says what."""


@dataclass(frozen=True, eq=False)
class Case:
    """Evidence under examination, with what several checks need of it.

    Attributes
    ----------
    evidence : Evidence
        What was measured.
    k : int or None
        Number of classes that a forecast is wanted for.
    groups : ndarray or None
        Group of each class (of each example, if the evidence has no labels).
    rng : Generator
        For random samples of what is too large to look at in full, and for permutations.
    """

    evidence: Evidence
    k: int | None
    groups: Array | None
    rng: np.random.Generator

    @property
    def scores(self) -> Scores:
        """The scores, or an excuse."""
        if self.evidence.scores is None:
            raise NotCheckedError("needs scores, and this evidence holds ranks only")
        return self.evidence.scores

    @cached_property
    def odds(self) -> float:
        """How often the truth beats a random rival."""
        evidence = self.evidence
        return float(evidence.weight @ ((evidence.beaten + evidence.tied / 2) / evidence.rivals))

    @cached_property
    def effective(self) -> float:
        """Number of equally weighted examples with the same standard error, 1/Σw²."""
        return float(1.0 / np.sum(self.evidence.weight**2))

    @cached_property
    def outranked(self) -> IntArray:
        """Examples that did not beat all their rivals."""
        return np.nonzero(self.evidence.beaten < self.evidence.rivals)[0]

    @cached_property
    def confusions(self) -> tuple[IntArray, IntArray]:
        """Outranked examples (a random 20,000 if there are more), and the rival of each that scores best."""
        rows = self.outranked
        if len(rows) > _MOST_ERRORS:
            rows = np.sort(self.rng.choice(rows, _MOST_ERRORS, replace=False))
        return rows, self.nearest_rivals(rows)

    def nearest_rivals(self, rows: IntArray) -> IntArray:
        """The class that scores best among the rivals of each of these examples."""
        found = np.empty(len(rows), np.int64)
        for part in blocks((len(rows), self.scores.shape[1])):
            block = self.sample(rows[part]).copy()
            block[np.arange(len(block)), self.evidence.label[rows[part]]] = -np.inf
            found[part] = np.argmax(block, axis=1)
        return found

    def sample(self, rows: IntArray) -> FloatArray:
        """Scores of some examples against all classes, higher being better."""
        return self.scores.take(rows, None).block(slice(0, len(rows)))

    def name(self, column: int) -> str:
        """What the user calls a class."""
        classes = self.evidence.classes
        return str(column if classes is None else classes[column])
