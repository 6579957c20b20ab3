"""Counting rivals beaten and tied: chunks of the gallery × tiles of probes, within a memory budget."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from ._typing import FloatArray, IntArray
from .checkpoint import Checkpoint, Position
from .errors import InputError
from .gallery import Gallery
from .kernel import TILE_COLUMNS, TILE_ROWS, Work, exact_scores
from .progress import track
from .tensors import TensorStore
from .vectors import Vectors

_MOST_UNSURE = 2**17
WORTH_COMPILING = 3 * 10**9  # pairs: for fewer, loading numba takes longer than it saves
ROOM_TO_COMPILE = 5 * 10**8  # bytes of the budget: numba itself takes a hundred million


@dataclass(frozen=True)
class Plan:
    """How the work is cut: bytes at hand, and the type in which products are added up."""

    memory: int = 10**9
    dtype: str = "float32"

    def __post_init__(self) -> None:
        if self.dtype not in ("float32", "float64"):
            raise InputError(f"precision must be 'float32' or 'float64', not {self.dtype!r}")

    @property
    def piece(self) -> int:
        """Bytes of the float64 vectors converted or compared pair by pair at once."""
        return min(2**23, self.memory // 16)

    def chunk_rows(self, gallery: Gallery) -> int:
        """Vectors of the gallery to hold at once: extended for the product, and as stored if that is a copy."""
        vectors = gallery.vectors
        size = (vectors.dimension + 2) * (4 if self.dtype == "float32" else 8)
        if not (vectors.in_memory and gallery.in_order):
            size += vectors.dimension * vectors.store.dtype.itemsize
        return max(1, self.memory // 2 // size)

    def columns(self, gallery: Gallery) -> int:
        """Probes of a tile: fewer if some class has very many exemplars."""
        return max(8, min(TILE_COLUMNS, self.memory // 8 // (8 * max(gallery.largest, TILE_ROWS)) // 8 * 8))

    def chunks(self, gallery: Gallery, first: int = 0) -> Iterator[tuple[int, int]]:
        """Classes of each chunk, from ``first`` on."""
        rows = self.chunk_rows(gallery)
        while first < len(gallery):
            last = gallery.next_stop(first, rows)
            yield first, last
            first = last


def middle(gallery: Gallery) -> FloatArray:
    """Mean of some vectors of the gallery: measured from there, products are small and so is their rounding.

    It is rounded to float32, so that vectors in float32 can be measured from it as they are.
    """
    stop = gallery.next_stop(0, 2**20 // gallery.vectors.dimension)
    chunk = gallery.chunk(0, min(stop, 4096))
    mean = chunk.exemplars(0, min(int(chunk.segments[-1]), 4096)).mean(axis=0)
    with np.errstate(over="ignore"):
        rounded = mean.astype(np.float32).astype(np.float64)
    return np.asarray(np.where(np.isfinite(rounded), rounded, mean))


def true_scores(gallery: Gallery, label: IntArray, probes: Vectors, distance: bool, piece: int) -> FloatArray:
    """The exact score of each probe with its own class."""
    scores = np.empty(len(probes))
    order = np.argsort(gallery.first_row(label), kind="stable")  # so that files are read from front to back
    step = max(1, piece // (8 * probes.dimension * gallery.largest))
    for start in range(0, len(order), step):
        rows = order[start : start + step]
        classes, place = np.unique(label[rows], return_inverse=True)
        tests = probes.float64(rows)
        scores[rows] = exact_scores(gallery.of(classes), place, tests, np.arange(len(rows)), distance, piece)
    return scores


def count_all(
    gallery: Gallery, probes: Vectors, own: FloatArray, distance: bool, plan: Plan, checkpoint: Checkpoint | None = None
) -> tuple[IntArray, IntArray]:
    """Classes of the gallery that each probe, whose truth scores ``own``, beats and ties with, its own included."""
    at = Position.start(len(probes))
    if checkpoint is not None:
        at = checkpoint.load(at)
        checkpoint.save(at)  # a file that cannot be written is known before the work
    shift, kernel, work = middle(gallery), _kernel(gallery, len(probes), plan.memory), None
    columns = plan.columns(gallery)
    steps = list(_steps(gallery, at, plan, columns))
    try:
        for first, last, start in track(steps, len(steps), "ranking"):
            if (first, last) != (at.first, at.last):
                at, work = at.next_chunk(first, last), None  # the old chunk goes before the new one comes
            if work is None:
                work = kernel.build(gallery.chunk(first, last), shift, distance, plan.dtype, plan.piece)
            rows = slice(start, min(start + columns, len(probes)))
            beaten, tied = _count_tile(work, probes.float64(rows), own[rows], plan.piece)
            at.set(rows, beaten, tied)
            if checkpoint is not None and checkpoint.due:
                checkpoint.save(at)
    finally:
        if checkpoint is not None:
            checkpoint.save(at)
    beaten, tied = at.done + at.chunk
    return beaten, tied


def _kernel(gallery: Gallery, probes: int, memory: int) -> type[Work]:
    """Where products are made and counted: on the device of a torch gallery, else on the CPU, if need be by numba."""
    store = gallery.vectors.store
    if isinstance(store, TensorStore) and store.on_device:
        from .torch_kernel import TorchWork

        return TorchWork
    large = len(gallery.vectors) * probes >= WORTH_COMPILING and memory >= ROOM_TO_COMPILE
    if large and find_spec("numba"):
        from .numba_kernel import NumbaWork

        return NumbaWork
    return Work


def _steps(gallery: Gallery, at: Position, plan: Plan, columns: int) -> Iterator[tuple[int, int, int]]:
    """Classes of the chunk, and first probe, of each step that is left to do."""
    for start in range(at.probes, at.done.shape[1], columns):
        if at.last:
            yield at.first, at.last, start
    for first, last in plan.chunks(gallery, at.last):
        for start in range(0, at.done.shape[1], columns):
            yield first, last, start


def _count_tile(work: Work, tests: FloatArray, own: FloatArray, piece: int) -> tuple[IntArray, IntArray]:
    extended = work.extend(tests, own)
    width = len(extended)
    beaten, tied = np.zeros(width, np.int64), np.zeros(width, np.int64)
    index: list[IntArray] = []
    row: list[IntArray] = []
    held = 0

    def settle() -> None:
        nonlocal held
        place, probe = np.concatenate(index), np.concatenate(row)
        theirs = exact_scores(work.chunk, place, tests, probe, work.distance, piece)
        beaten[:] += np.bincount(probe[theirs < own[probe]], minlength=width)
        tied[:] += np.bincount(probe[theirs == own[probe]], minlength=width)
        index.clear()
        row.clear()
        held = 0

    for classes, wins, unsure in work.tallies(extended):
        beaten += wins
        if len(unsure):
            index.append(classes.start + unsure // width)
            row.append(unsure % width)
            held += len(unsure)
            if held > _MOST_UNSURE:
                settle()
    if held:
        settle()
    return beaten[: len(tests)], tied[: len(tests)]
