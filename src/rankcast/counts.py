"""Counts of rivals: their weights and their histogram."""

from typing import Literal

import numpy as np

from ._typing import Array, FloatArray, IntArray
from .errors import InputError

Weighting = Literal["class", "example"]


def example_weights(label: Array, weighting: Weighting) -> FloatArray:
    """Share of each example when classes, or examples, count equally."""
    if weighting not in ("class", "example"):
        raise InputError(f"weighting must be 'class' or 'example', not {weighting!r}")
    if weighting == "example":
        return np.full(len(label), 1.0 / len(label))
    per_class = np.bincount(label)
    return np.asarray(1.0 / (per_class[label] * np.count_nonzero(per_class)))


def tally(
    above: IntArray, tied: IntArray, rivals: IntArray, weight: FloatArray, ties: str
) -> tuple[IntArray, IntArray, FloatArray]:
    """Weight of each (rivals that outrank the truth, rivals), with ties broken at random, for or against it."""
    if ties not in ("random", "for", "against"):
        raise InputError(f"ties must be 'random', 'for' or 'against', not {ties!r}")
    if ties == "for" or not tied.any():
        return _distinct(above, rivals, weight)
    if ties == "against":
        return _distinct(above + tied, rivals, weight)
    parts = []
    for m in np.unique(rivals):
        mine = rivals == m
        share = weight[mine] / (1 + tied[mine])
        change = np.bincount(above[mine], share, minlength=m + 2)
        change -= np.bincount(above[mine] + tied[mine] + 1, share, minlength=m + 2)
        mass = np.cumsum(change)[:-1]
        mass[mass < 1e-13 * share.max()] = 0.0  # what rounding leaves behind
        lost = np.nonzero(mass)[0]
        parts.append((lost, np.full(len(lost), m), mass[lost]))
    lost, total, mass = (np.concatenate(column) for column in zip(*parts, strict=True))
    return lost, total, np.asarray(mass, float)


def _distinct(lost: IntArray, rivals: IntArray, weight: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    width = int(lost.max()) + 1
    kept, where = np.unique(rivals * width + lost, return_inverse=True)
    return kept % width, kept // width, np.asarray(np.bincount(where, weight), float)


def span(counts: IntArray) -> str:
    """How a range of counts reads."""
    low, high = int(counts.min()), int(counts.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
