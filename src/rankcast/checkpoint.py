"""Long counts can be stopped and taken up again from a file."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ._typing import IntArray
from .errors import InputError

_SECONDS = 30.0


@dataclass
class Position:
    """How far a count has come: beaten and tied (the rows of ``done``) over whole chunks, and over the chunk at hand.

    Counts of the chunk at hand are set, not added to, and ``probes`` moves on after them: an interruption between
    any two steps loses a tile at most, and counts none twice.
    """

    first: int
    last: int
    probes: int
    done: IntArray
    chunk: IntArray

    @classmethod
    def start(cls, probes: int) -> "Position":
        """Nothing done yet."""
        return cls(0, 0, 0, np.zeros((2, probes), np.int64), np.zeros((2, probes), np.int64))

    def next_chunk(self, first: int, last: int) -> "Position":
        """On to other classes."""
        return Position(first, last, 0, self.done + self.chunk, np.zeros_like(self.chunk))

    def set(self, rows: slice, beaten: IntArray, tied: IntArray) -> None:
        """Take in the counts of some probes against the chunk at hand."""
        self.chunk[0, rows], self.chunk[1, rows] = beaten, tied
        self.probes = rows.stop


@dataclass
class Checkpoint:
    """A file that holds the position of a count, written whole every half minute and when the work stops.

    ``key`` identifies the work: a file left by other data is refused.
    """

    path: Path
    key: str
    _saved: float = field(default_factory=time.monotonic)

    @property
    def due(self) -> bool:
        """Whether it is time to write again."""
        return time.monotonic() - self._saved > _SECONDS

    def save(self, at: Position) -> None:
        """Write the position."""
        from .files import write_whole

        where = np.array([at.first, at.last, at.probes])
        arrays: dict[str, Any] = {
            "rankcast_checkpoint": np.str_(self.key),
            "where": where,
            "done": at.done,
            "chunk": at.chunk,
        }
        write_whole(self.path, lambda file: np.savez(file, **arrays))
        self._saved = time.monotonic()

    def load(self, start: Position) -> Position:
        """The position in the file; the start if there is none yet."""
        if not self.path.exists():
            return start
        from .files import read_arrays

        arrays = read_arrays(self.path)
        if not {"rankcast_checkpoint", "where", "done", "chunk"} <= set(arrays):
            raise InputError(f"{self.path}: is not a checkpoint: name another file")
        if str(arrays["rankcast_checkpoint"]) != self.key:
            raise InputError(
                f"{self.path}: is the checkpoint of other data or settings: delete it or name another file"
            )
        first, last, probes = map(int, arrays["where"])
        return Position(first, last, probes, arrays["done"], arrays["chunk"])
