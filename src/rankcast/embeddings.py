"""Embeddings as scores: vectors of classes and test examples, from which scores are computed when needed."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ._typing import BoolArray, FloatArray, IntArray
from .checkpoint import Checkpoint
from .counting import Plan, count_all, middle, true_scores
from .errors import InputError
from .gallery import Gallery
from .kernel import Work, exact_scores
from .ranking import SIMILARITIES, Scores, blocks
from .vectors import Vectors


@dataclass(frozen=True, eq=False)
class Embeddings:
    """A gallery of classes and the probes that are matched against it."""

    gallery: Gallery
    probes: Vectors
    similarity: str
    plan: Plan = field(default_factory=Plan)

    def __post_init__(self) -> None:
        if self.gallery.vectors.dimension != self.probes.dimension:
            raise InputError(
                f"gallery vectors have {self.gallery.vectors.dimension} dimensions, probes have {self.probes.dimension}"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of examples and classes."""
        return len(self.probes), len(self.gallery)

    @property
    def distance(self) -> bool:
        """Whether scores are distances, negated."""
        return self.similarity in ("euclidean", "sqeuclidean")

    @property
    def in_memory(self) -> bool:
        """Whether all vectors are arrays, rather than open files."""
        return self.gallery.vectors.in_memory and self.probes.in_memory

    def block(self, rows: slice) -> FloatArray:
        """Scores of some examples against all classes."""
        tests = self.probes.float64(rows)
        best = np.empty((len(tests), len(self.gallery)))
        for first, last in replace(self.plan, dtype="float64").chunks(self.gallery):
            chunk = self.gallery.chunk(first, last)
            vectors = chunk.exemplars(0, int(chunk.segments[-1]))
            square = np.einsum("ij,ij->i", vectors, vectors)
            for part in blocks((len(tests), len(vectors))):
                each = tests[part] @ vectors.T
                if self.distance:
                    each -= 0.5 * square
                best[part, chunk.columns] = (
                    each if chunk.single else np.maximum.reduceat(each, chunk.starts[:-1], axis=1)
                )
        if not self.distance:
            return best
        best *= -2.0
        best += np.einsum("ij,ij->i", tests, tests)[:, None]
        np.maximum(best, 0.0, out=best)
        if self.similarity == "euclidean":
            np.sqrt(best, out=best)
        return np.negative(best, out=best)

    def own_scores(self, label: IntArray) -> FloatArray:
        """The exact score of each probe with its own class."""
        return true_scores(self.gallery, label, self.probes, self.distance, self.plan.piece)

    def outcomes(self, rows: slice, label: IntArray) -> tuple[BoolArray, BoolArray]:
        """Compare the truth with every class."""
        part = replace(self, probes=self.probes.take(rows))
        tests, own = part.probes.float64(slice(None)), part.own_scores(label)
        wins, level = np.zeros((2, len(tests), len(self.gallery)), bool)
        shift = middle(self.gallery)
        for first, last in self.plan.chunks(self.gallery):
            chunk = self.gallery.chunk(first, last)
            work = Work.build(chunk, shift, self.distance, self.plan.dtype, self.plan.piece)
            step = self.plan.columns(self.gallery)
            for start in range(0, len(tests), step):
                stop = min(start + step, len(tests))
                extended = work.extend(tests[start:stop], own[start:stop])
                for classes, product in work.products(extended):
                    x = product[:, : stop - start]
                    wins[start:stop, chunk.classes[classes]] = (x < -1.0).T
                    place, row = np.nonzero(~(np.abs(x) > 1.0))
                    column, row = chunk.classes[classes.start + place], row + start
                    theirs = exact_scores(chunk, classes.start + place, tests, row, self.distance, self.plan.piece)
                    wins[row, column] = own[row] > theirs
                    level[row, column] = own[row] == theirs
        np.put_along_axis(level, label[:, None], False, axis=1)
        return wins, level

    def count(self, label: IntArray) -> tuple[IntArray, IntArray]:
        """Rivals beaten by, and tied with, the truth of each example."""
        beaten, tied = self.count_against(self.own_scores(label), None)
        return beaten, tied - 1  # a class ties with itself

    def count_against(self, own: FloatArray, checkpoint: Path | None) -> tuple[IntArray, IntArray]:
        """Classes of the gallery that score below ``own`` and level with it, for each probe."""
        saved = None if checkpoint is None else Checkpoint(checkpoint, self._key(own))
        return count_all(self.gallery, self.probes, own, self.distance, self.plan, saved)

    def _key(self, own: FloatArray) -> str:
        """What the work is: the true scores, which depend on every probe, the classes, and both ends of the gallery."""
        digest = hashlib.sha256(f"{self.similarity} {self.gallery.mean} {self.shape}".encode())
        digest.update(np.ascontiguousarray(own).tobytes())
        digest.update(np.ascontiguousarray(self.gallery.column, "<i8").tobytes())
        for ends in (slice(0, 32), slice(max(0, len(self.gallery.vectors) - 32), None)):
            digest.update(self.gallery.vectors.float64(ends).tobytes())
        return digest.hexdigest()

    def take(self, rows: IntArray, columns: IntArray | None) -> "Embeddings":
        """Only some examples and classes."""
        gallery = self.gallery if columns is None else self.gallery.take(columns)
        return replace(self, gallery=gallery, probes=self.probes.take(rows))

    def joined(self, parts: Sequence[Scores]) -> "Embeddings | None":
        """All examples of several parts that share one gallery."""
        same = [part for part in parts if isinstance(part, Embeddings) and self._shares_gallery(part)]
        stores = [part.probes for part in same]
        if len(same) < len(parts) or any(s.scale is not None or not s.in_memory for s in stores):
            return None
        store = np.concatenate([np.asarray(part.store[:]) for part in stores])
        return replace(self, probes=replace(self.probes, store=store))

    def _shares_gallery(self, other: "Embeddings") -> bool:
        mine, theirs = self.gallery, other.gallery
        if self.similarity != other.similarity or mine.mean != theirs.mean:
            return False
        if not np.array_equal(mine.column, theirs.column) or mine.vectors.scale is not theirs.vectors.scale:
            return False
        one, two = mine.vectors.store, theirs.vectors.store
        return one is two or (
            isinstance(one, np.ndarray) and isinstance(two, np.ndarray) and bool(np.array_equal(one, two))
        )


def check_choices(similarity: str, exemplars: str) -> None:
    """Refuse names that are not known."""
    if similarity not in SIMILARITIES:
        raise InputError(f"similarity must be one of {', '.join(SIMILARITIES)}, not {similarity!r}")
    if exemplars not in ("nearest", "mean"):
        raise InputError(f"exemplars must be 'nearest' or 'mean', not {exemplars!r}")
