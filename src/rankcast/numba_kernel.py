"""The kernel with its tally compiled: one pass over each tile, where numpy takes several."""

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np

from ._typing import Array, IntArray
from .extras import need
from .kernel import TILE_ROWS, Work

numba: Any = need("numba", "numba")


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile at the first call, and keep what was compiled for the next process, if there is a place for it."""
    try:
        made = numba.njit(function, nogil=True, error_model="numpy", cache=True)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written to
        made = numba.njit(function, nogil=True, error_model="numpy")
    return cast(Callable[..., Any], made)


@_compiled
def _tally(product: Array, wins: IntArray, unsure: IntArray) -> int:  # pragma: no cover: it runs compiled
    """Add the certain wins of each column to ``wins``, write where the unsure pairs are, and return their number."""
    width = product.shape[1]
    found = 0
    for i in range(len(product)):
        certain = True
        for j in range(width):
            won = product[i, j] < -1.0
            wins[j] += won
            certain &= won | (product[i, j] > 1.0)  # NaN is not certain either
        if not certain:
            for j in range(width):
                if not (product[i, j] < -1.0 or product[i, j] > 1.0):
                    unsure[found] = i * width + j
                    found += 1
    return found


class NumbaWork(Work):
    """A chunk of the gallery, extended and rounded for the product."""

    def tallies(self, extended: Array) -> Iterator[tuple[slice, IntArray, IntArray]]:
        """For each tile its classes, the certain wins of each probe, and the places of the unsure pairs."""
        width = len(extended)
        unsure = np.empty(TILE_ROWS * width, np.int64)
        for classes, product in self.products(extended):
            wins = np.zeros(width, np.int32)
            found = _tally(product, wins, unsure)
            yield classes, wins.astype(np.int64), unsure[:found].copy()
