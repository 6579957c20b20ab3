"""What every study of methods has in common: rows to draw evidence from, and columns of methods."""

import hashlib
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .._typing import FloatArray
from ..datasets.populations import Sample
from ..methods import Method
from ..methods.auto import Auto
from ..pretrained.describe import held

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRUTH, ORACLE = "truth", "oracle"


@dataclass(frozen=True)
class Row:
    """Repeated draws of ``k1`` classes from one population, forecast at each ``k``; ``block`` of them make a cell."""

    name: str
    k1: int
    k: tuple[int, ...]
    repetitions: int
    block: int = 10

    @property
    def blocks(self) -> list[range]:
        """The repetitions of each cell."""
        return [
            range(first, min(first + self.block, self.repetitions)) for first in range(0, self.repetitions, self.block)
        ]


@dataclass
class Findings:
    """What a study shows: a page of Markdown, every number as a table, and figures by name."""

    page: str
    numbers: list[dict[str, Any]]
    figures: dict[str, "Figure"] = field(default_factory=dict)


class Results(dict[tuple[Row, str], FloatArray]):
    """Forecasts by row and column: repetitions × k, only of columns that are finished for the row."""

    def truth(self, row: Row) -> FloatArray:
        """Accuracy at each k of the row."""
        return np.asarray(self[row, TRUTH][0])

    def errors(self, row: Row, column: str) -> FloatArray | None:
        """Forecasts less the truth, if there are any."""
        found = self.get((row, column))
        return None if found is None else found - self.truth(row)


@dataclass(frozen=True)
class Study(ABC):
    """A table or figure that compares methods on repeated draws; small enough to be sent to other processes.

    Parameters
    ----------
    quick : bool
        Fewer repetitions, to look at in minutes.
    data : str or None
        Where the data sets are, see :func:`rankcast.datasets.local.load`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    quick: bool = False
    data: str | None = None

    @abstractmethod
    def rows(self) -> list[Row]:
        """What to draw, in the order of the page."""

    @abstractmethod
    def columns(self) -> dict[str, Method]:
        """Methods by the name of their column."""

    @abstractmethod
    def sample(self, row: Row, rng: np.random.Generator) -> Sample:
        """Evidence for one repetition of a row."""

    @abstractmethod
    def truth(self, row: Row) -> FloatArray:
        """Accuracy at each k of the row."""

    @abstractmethod
    def findings(self, results: Results) -> Findings:
        """The page, the numbers and the figures."""

    def oracles(self) -> bool:
        """Whether the limit is known: an oracle that sees the favourability of the examples measured."""
        return True

    def truth_settings(self) -> dict[str, Any]:
        """What the truth depends on besides the row."""
        return {}

    def columns_of(self, row: Row) -> list[str]:
        """The columns that a row has."""
        return [*self.columns(), *([ORACLE] if self.oracles() else [])]

    def key(self, row: Row, column: str, block: range) -> dict[str, Any]:
        """Everything that a cell depends on."""
        about: dict[str, Any] = {"study": self.name, "row": row.name, "k1": row.k1, "k": list(row.k)}
        if column == TRUTH:
            return about | self.truth_settings()
        about |= {"first": block.start, "last": block.stop}
        return about if column == ORACLE else about | {"method": fingerprint(self.columns()[column])}

    def seed(self, row: Row) -> int:
        """From this and the number of a repetition, its evidence."""
        return zlib.crc32(f"{row.name} {row.k1}".encode())

    def measure(self, row: Row, block: range, columns: list[str]) -> dict[str, list[list[float]]]:
        """Forecasts of some columns for some repetitions: all see the same evidence."""
        methods = self.columns()
        found: dict[str, list[list[float]]] = {column: [] for column in columns}
        seed = self.seed(row)
        for repetition in block:
            sample = self.sample(row, np.random.default_rng([seed, repetition]))
            evidence = held(sample.evidence)  # every method reads the scores, some of them several times
            for column in columns:
                if column == ORACLE:
                    values = sample.oracle(list(row.k))
                else:
                    fit = methods[column].fit(evidence, np.random.default_rng([seed, repetition, 1]))
                    values = fit.value(list(row.k))
                found[column].append(np.asarray(values, float).tolist())
        return found


def fingerprint(method: Method) -> str:
    """The settings of a method, and for ``auto`` the networks that it ships with."""
    return f"{method!r} {_networks()}" if isinstance(method, Auto) else repr(method)


@cache
def _networks() -> str:
    digest = hashlib.sha256()
    for name in ("ranks.npz", "scores.npz"):
        digest.update(files("rankcast.pretrained").joinpath(name).read_bytes())
    return digest.hexdigest()[:12]
