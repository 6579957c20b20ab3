"""Runs studies: measures the cells that are missing, here, in other processes or on a cluster, and gathers all."""

import os
import signal
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np

from ..errors import InputError, RankcastWarning
from ..parallel import in_use
from ..progress import track
from .cells import Cells
from .study import TRUTH, Results, Row, Study

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """Cells of several columns that share their evidence."""

    study: Study
    row: Row
    block: range
    columns: tuple[str, ...]
    cells: Cells

    def run(self) -> None:
        """Measure and store."""
        self.store(self.measured())

    def measured(self) -> dict[str, list[Any]]:
        """The values of each column."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankcastWarning)
            if self.columns == (TRUTH,):
                return {TRUTH: [np.asarray(self.study.truth(self.row), float).tolist()]}
            return dict(self.study.measure(self.row, self.block, list(self.columns)))

    def store(self, found: dict[str, list[Any]]) -> None:
        """Keep what was measured."""
        for column, values in found.items():
            self.cells.put(column, self.study.key(self.row, column, self.block), {"values": values})


def measure(study: Study, cells: Cells, jobs: int = 1, only: Iterable[str] | None = None) -> int:
    """Measure every cell that is missing, of some columns only if asked; how many jobs that took.

    Each cell is stored when it is finished, so that an interrupted run loses what was under way and no more.
    """
    todo = list(missing(study, cells, only))
    for _ in track(_done(todo, jobs), len(todo), study.name):
        pass
    return len(todo)


def missing(study: Study, cells: Cells, only: Iterable[str] | None = None) -> Iterator[Job]:
    """The jobs that are left."""
    wanted = None if only is None else set(only)
    for row in study.rows():
        if cells.get(TRUTH, study.key(row, TRUTH, range(0))) is None:
            yield Job(study, row, range(0), (TRUTH,), cells)
        for block in row.blocks:
            columns = [column for column in study.columns_of(row) if wanted is None or column in wanted]
            left = tuple(column for column in columns if cells.get(column, study.key(row, column, block)) is None)
            if left:
                yield Job(study, row, block, left, cells)


def gather(study: Study, cells: Cells) -> Results:
    """All that is finished."""
    results = Results()
    for row in study.rows():
        truth = cells.get(TRUTH, study.key(row, TRUTH, range(0)))
        if truth is None:
            raise InputError(f"{study.name}: nothing is known of the row {row.name!r} yet: run it first")
        results[row, TRUTH] = np.array(truth["values"])
        for column in study.columns_of(row):
            parts = [cells.get(column, study.key(row, column, block)) for block in row.blocks]
            whole = [np.array(part["values"]) for part in parts if part is not None]
            if len(whole) == len(parts):
                results[row, column] = np.concatenate(whole)
    return results


def _done(todo: list[Job], jobs: int) -> Iterator[Job]:
    """Run jobs; each is passed on when it is finished."""
    cluster = in_use()
    if cluster is not None:
        for job, found in zip(todo, cluster.stream(Job.measured, todo), strict=True):
            job.store(found)
            yield job
        return
    if jobs <= 1 or len(todo) <= 1:
        for job in todo:
            job.run()
            yield job
        return
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # one thread in each process
    pool = ProcessPoolExecutor(min(jobs, len(todo)), get_context("spawn"), _leave_interrupts)
    try:
        under_way = {pool.submit(job.run): job for job in todo}
        for future in as_completed(under_way):
            future.result()
            yield under_way[future]
    finally:  # what is being measured is finished and stored
        pool.shutdown(wait=True, cancel_futures=True)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _leave_interrupts() -> None:
    """An interrupt is the business of the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
