"""Processes that share the cores."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from multiprocessing.pool import Pool
from typing import TypeVar

T = TypeVar("T")


def workers(processes: int, renewed: int | None = None) -> Pool:
    """Fresh interpreters: a forked BLAS may hang. With ``renewed``, anew after so many jobs each, so that memory stays.

    Each has one thread: processes share the cores, threads would fight.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # read by the workers
    return multiprocessing.get_context("spawn").Pool(processes, maxtasksperchild=renewed)


def failures(work: Callable[[T], str], jobs: Sequence[T], processes: int, renewed: int | None = None) -> int:
    """How many jobs failed; ``work`` says what went wrong, or nothing."""
    failed = 0
    with workers(processes, renewed) as pool:
        for number, problem in enumerate(pool.imap_unordered(work, jobs), 1):
            if problem:
                failed += 1
                print(problem, file=sys.stderr, flush=True)
            if number % 100 == 0:
                print(f"{number}/{len(jobs)}", flush=True)
    return failed
