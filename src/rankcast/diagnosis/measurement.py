"""Checks of how the scores were made: softmax, direction, ties and hard negatives."""

import numpy as np

from ..errors import BelowChanceWarning, HardNegativesWarning, SoftmaxWarning, TiesWarning
from ..ranking import ScoreTable
from .findings import Case, Finding, NotCheckedError

_ROUNDING = 2e-3  # of a row's sum: what float16 leaves
_MOST_ROWS = 500
_RECIPROCAL = 2 / 3  # share of random points on a line that are nearest to their own nearest; less in other spaces
_TIED = 0.05
_SWING = 0.01


def softmax(case: Case) -> Finding | None:
    """Rows of probabilities, or of their logarithms."""
    if not isinstance(case.scores, ScoreTable):
        raise NotCheckedError("the scores come from embeddings")
    rows = np.sort(case.rng.choice(len(case.evidence), min(len(case.evidence), _MOST_ROWS), replace=False))
    block = case.sample(rows)
    if block.min() >= 0:
        total, what, whole = block.sum(axis=1), "probabilities", 100.0 if block.max() > 1.5 else 1.0
    elif block.max() <= 0:
        top = block.max(axis=1, keepdims=True)
        total = np.exp(top[:, 0]) * np.exp(block - top).sum(axis=1)
        what, whole = "log-probabilities", 1.0
    else:
        return None
    if np.abs(total / whole - 1).max() > _ROUNDING:
        return None
    cure = "Give the methods that read scores (kde-*, pooled, cleanex) logits or log-probabilities; "
    return Finding(
        SoftmaxWarning,
        f"The scores of each example are {what}: they sum to {'one' if whole == 1 else 'a hundred'}"
        + (" after exp" if what == "log-probabilities" else ""),
        "A softmax ties the classes to each other: the ranks are those of its logits, but a network trained on more "
        "classes is another network, and the forecast is for this one with more outputs like those it has",
        (cure if what == "probabilities" else "")
        + "ranks are not affected. Trust the forecast as far as a back-test on your own retrained models bears it out",
    )


def below_chance(case: Case) -> Finding | None:
    """The truth loses more often than a coin would."""
    if case.odds >= 0.5 - 2.0 / np.sqrt(len(case.evidence)):
        return None
    return Finding(
        BelowChanceWarning,
        f"The truth beats a random rival in only {case.odds:.0%} of pairs",
        "Guessing would do better, so the forecast is of a system that is used the wrong way round, or of wrong labels",
        "If the scores are distances, pass higher_is_better=False (--distances); else check that labels and rows "
        "belong together, and that ranks count from the best",
    )


def ties(case: Case) -> Finding | None:
    """Rivals level with the truth, if they are many or decide accuracy."""
    evidence = case.evidence
    share = float(evidence.weight @ (evidence.tied > 0))
    worst = float(evidence.weight @ (evidence.beaten == evidence.rivals))
    best = float(evidence.weight @ (evidence.beaten + evidence.tied == evidence.rivals))
    if share < _TIED and best - worst < _SWING:
        return None
    return Finding(
        TiesWarning,
        f"{share:.1%} of examples tie with a rival; accuracy is {worst:.4f} if every tie is lost and {best:.4f} if "
        "every tie is won",
        "Ties are counted as broken at random. That is right if the system does so; rounded or saturated scores tie "
        "more often the more classes there are, so the forecast falls with them",
        "Keep more digits of the scores (no rounding, no float16, no clipping); merge classes that are truly identical",
    )


def hard_negatives(case: Case) -> Finding | None:
    """Rivals that were picked for being near to the truth.

    Two traces of it can be seen. Where the truth was added to a list that a search returned, it often comes last of
    all, which random rivals bring about no more often than chance. And where classes were collected together with
    their look-alikes, most classes are the nearest of their own nearest, which holds for at most 2/3 of the points of
    a random sample (on a line; less in more dimensions).
    """
    found = _comes_last(case) or (_in_pairs(case) if case.evidence.scores is not None else None)
    if found is None:
        return None
    return Finding(
        HardNegativesWarning,
        found,
        "Rivals like these are harder than classes drawn at random, so the forecast is for a world in which every new "
        "class is as near as these: it is too low for a larger random catalogue",
        "Rank the truth among rivals drawn at random (or among all), or read the forecast as a lower bound",
    )


def _comes_last(case: Case) -> str | None:
    evidence = case.evidence
    last = evidence.beaten + evidence.tied == 0
    chance = 1.0 / (evidence.rivals + 1.0)
    expected, number = float(chance.sum()), int(last.sum())
    if evidence.accuracy < 2 * chance.mean():  # it does not do well at all: another check tells
        return None
    if number < 3 * expected + 3 or number - expected < 4 * np.sqrt(expected + 1):
        return None
    return (
        f"In {number:,} of {len(evidence):,} examples the truth comes last of all candidates, "
        f"{number / expected:.0f} times as often as by pure guessing, though it does well in others: "
        "the rivals seem to be picked by a ranking"
    )


def _in_pairs(case: Case) -> str | None:
    tested, first = np.unique(case.evidence.label, return_index=True)
    if len(tested) < 20:
        return None
    asked = np.sort(case.rng.choice(len(tested), min(len(tested), _MOST_ROWS), replace=False))
    nearest = case.nearest_rivals(first[asked])
    known = np.isin(nearest, tested)
    if known.sum() < 20:
        return None
    back = case.nearest_rivals(first[np.searchsorted(tested, nearest[known])])
    share = float(np.mean(back == tested[asked][known]))
    error = np.sqrt(2 * _RECIPROCAL * (1 - _RECIPROCAL) / known.sum())  # both of a pair are counted
    if share < 0.75 or share - _RECIPROCAL < 3.1 * error:
        return None
    return (
        f"{share:.0%} of the classes are the nearest rival of their own nearest rival, where a random sample of "
        "classes has at most 67%: the classes come in pairs of look-alikes"
    )
