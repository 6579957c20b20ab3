"""Work in pieces that do not depend on each other: one after the other, or on the cluster that is in use."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from .progress import track

T = TypeVar("T")
R = TypeVar("R")


class Pool(Protocol):
    """Where pieces of work can go."""

    def stream(self, function: Callable[..., R], items: Iterable[T], *shared: Any) -> Iterator[R]:
        """``function(item, *shared)`` of each item, in order, as they are finished."""


_pool: ContextVar[Pool | None] = ContextVar("rankcast_pool", default=None)


@contextmanager
def working_on(pool: Pool | None) -> Iterator[None]:
    """Send the pieces of the work done inside to a pool, or to none."""
    token = _pool.set(pool)
    try:
        yield
    finally:
        _pool.reset(token)


def spread(function: Callable[..., R], items: Sequence[T], *shared: Any, what: str) -> list[R]:
    """``function(item, *shared)`` of each item, in order; a single item is not sent anywhere.

    Examples
    --------
    >>> spread(pow, [2, 3], 2, what="powers")
    [4, 9]
    """
    pool = in_use()
    if pool is None or len(items) < 2:
        return [function(item, *shared) for item in track(items, len(items), what)]
    return list(track(pool.stream(function, items, *shared), len(items), what))


def in_use() -> Pool | None:
    """The pool that pieces of work go to, if any."""
    return _pool.get()
