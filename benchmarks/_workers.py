"""Processes side by side, each with a thread of its own."""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def workers() -> ProcessPoolExecutor:
    """As many processes as processors, started afresh: how many threads there are is settled when numpy is loaded."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    return ProcessPoolExecutor(os.cpu_count(), get_context("spawn"))
