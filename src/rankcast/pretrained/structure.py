"""What the table of scores shows as a whole: in how many directions classes differ, and whether some win often."""

import numpy as np

from .._typing import FloatArray, IntArray
from ..evidence import Evidence

LOOKED_AT = 512  # examples, and of classes four times as many, at most
STRUCTURE = ("directions", "steepness", "popularity")
_LEAST = 1e-12


def structure(evidence: Evidence, rng: np.random.Generator) -> FloatArray:
    """The numbers named in ``STRUCTURE``, from the scores of some examples against some classes.

    With A the table less the means of its rows and columns, the truths left out, and B = AAᵀ/tr AAᵀ, the first is the
    logarithm of the participation ratio 1/tr B², the second that of tr B³/(tr B²)², zero if all directions count alike.
    The third compares two halves of the examples: how alike the classes are that outrank many of either.
    """
    table = evidence.scores
    if table is None:
        raise ValueError("there are no scores")
    columns = np.sort(rng.permutation(table.shape[1])[: 4 * LOOKED_AT])
    inside = np.nonzero(np.isin(evidence.label, columns))[0]
    rows = np.sort(rng.permutation(inside)[:LOOKED_AT])
    if len(rows) < 2:
        return np.zeros(len(STRUCTURE))
    part = table.take(rows, columns).block(slice(0, len(rows)))
    label = np.searchsorted(columns, evidence.label[rows])
    return np.array([*_spectrum(part, label), _popularity(part, label)])


def _spectrum(part: FloatArray, label: IntArray) -> tuple[float, float]:
    """Logarithms of the participation ratio, and of how much the largest directions stand out."""
    known = np.ones(part.shape, bool)
    known[np.arange(len(label)), label] = False
    a = part / (np.abs(part).max() or 1.0)
    a = np.where(known, a - a.mean(axis=1, keepdims=True, where=known), 0.0)
    a /= np.maximum(np.sqrt((a * a).mean(axis=1, keepdims=True)), _LEAST)
    a = np.where(known, a - a.sum(axis=0) / np.maximum(known.sum(axis=0), 1), 0.0)
    b = a @ a.T
    total = float(np.trace(b))
    if total < _LEAST:
        return 0.0, 0.0
    b /= total
    second = float((b * b).sum())
    third = float(((b @ b) * b).sum())
    return -np.log(second), np.log(third / second**2)


def _popularity(part: FloatArray, label: IntArray) -> float:
    """Correlation between two halves of the examples of how often each class is among those that outrank the truth."""
    above = part >= np.take_along_axis(part, label[:, None], axis=1)
    above[np.arange(len(label)), label] = False
    share = above / np.maximum(above.sum(axis=1, keepdims=True), 1)
    halves = [share[start::2].sum(axis=0) for start in (0, 1)]
    spread = [float(half.std()) for half in halves]
    if min(spread) < _LEAST:
        return 0.0
    return float(np.mean((halves[0] - halves[0].mean()) * (halves[1] - halves[1].mean())) / (spread[0] * spread[1]))
