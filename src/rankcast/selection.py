"""Evidence on random subsets of the classes, by which bases and methods are chosen and tested."""

from collections.abc import Iterator

import numpy as np

from ._typing import IntArray
from .errors import InputError
from .evidence import Evidence


def subsamples(evidence: Evidence, size: int, times: int, rng: np.random.Generator) -> Iterator[Evidence]:
    """Evidence (ranks only) within random subsets of ``size`` classes, drawn without replacement.

    With scores the ranks within all subsets come from one pass over the outcomes of every pair. With ranks alone
    the rivals are thinned at random, which is the same in law for each example by itself.
    """
    if not 2 <= size <= evidence.k1:
        raise InputError(f"subsets need 2 to {evidence.k1} classes, asked for {size}")
    if evidence.scores is None:
        for _ in range(times):
            yield _thinned(evidence, size, rng)
        return
    classes = evidence.scores.shape[1]
    masks = np.zeros((classes, times), bool)
    for column in range(times):
        masks[rng.choice(classes, size, replace=False), column] = True
    beaten, tied = evidence.within(masks)
    for column in range(times):
        rows = np.nonzero(masks[evidence.label, column])[0]
        if len(rows):
            yield _part(evidence, rows, beaten[rows, column], tied[rows, column], np.full(len(rows), size - 1))


def class_subsets(evidence: Evidence, size: int, times: int, rng: np.random.Generator) -> Iterator[Evidence]:
    """Like :func:`subsamples`, one at a time and with their scores if there are any, so that every method can run."""
    if evidence.scores is None or evidence.classes is None:
        yield from subsamples(evidence, size, times, rng)
        return
    tested = np.isin(np.arange(len(evidence.classes)), evidence.label)
    for _ in range(times):
        while True:  # a gallery may hold many classes without test examples
            chosen = rng.choice(len(tested), size, replace=False)
            if tested[chosen].any():
                break
        yield evidence.subset(evidence.classes[chosen])


def _thinned(evidence: Evidence, size: int, rng: np.random.Generator) -> Evidence:
    share = (size - 1) / (evidence.k1 - 1)
    present = np.unique(evidence.label)
    keep = max(1, round(len(present) * size / evidence.k1))
    rows = np.nonzero(np.isin(evidence.label, rng.choice(present, keep, replace=False)))[0]
    total = evidence.rivals[rows]
    left = np.maximum(np.rint(total * share).astype(np.int64), 1)
    tied = _drawn(evidence.tied[rows], total - evidence.tied[rows], left, rng)
    lost = total - evidence.beaten[rows] - evidence.tied[rows]
    beaten = _drawn(evidence.beaten[rows], lost, left - tied, rng)
    return _part(evidence, rows, beaten, tied, left)


def _drawn(good: IntArray, bad: IntArray, number: IntArray, rng: np.random.Generator) -> IntArray:
    """How many of ``number`` drawn without replacement are good; with it, where numpy's limit makes no difference."""
    if int((good + bad).max()) < 10**9:
        return rng.hypergeometric(good, bad, number)
    return rng.binomial(number, good / np.maximum(good + bad, 1))


def _part(evidence: Evidence, rows: IntArray, beaten: IntArray, tied: IntArray, rivals: IntArray) -> Evidence:
    weight = evidence.weight[rows]
    return Evidence(beaten, tied, rivals, evidence.label[rows], evidence.classes, weight / weight.sum())
