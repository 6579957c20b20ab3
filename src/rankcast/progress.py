"""Progress of long work, shown only if asked for, on a terminal, and after the first second."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
_shown: ContextVar[bool] = ContextVar("rankcast_progress", default=False)


@contextmanager
def show_progress(shown: bool = True) -> Iterator[None]:
    """Show progress bars on standard error for the work done inside."""
    token = _shown.set(shown and sys.stderr.isatty())
    try:
        yield
    finally:
        _shown.reset(token)


def track(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Pass items through, with a bar that shows the time left."""
    if not _shown.get():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    started = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total)
    running = False
    inner = _shown.set(False)  # one bar at a time
    try:
        for item in items:
            yield item
            bar.advance(task)
            if not running and time.monotonic() - started > 1:
                bar.start()
                running = True
    finally:
        _shown.reset(inner)
        if running:
            bar.stop()
