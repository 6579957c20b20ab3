"""Checks of how much was measured, and of what carries the averages."""

import numpy as np

from ..errors import DominanceWarning, FarExtrapolationWarning, FewClassesWarning, FewErrorsWarning, FewExamplesWarning
from .findings import Case, Finding, NotCheckedError

_FEWEST_CLASSES = 20
_FEWEST_EXAMPLES = 50
_FEWEST_ERRORS = 10
_UNEQUAL = 0.25
_FAR = 100
_LARGE_SHARE = 0.2


def few_classes(case: Case) -> Finding | None:
    """Fewer classes than it takes to know a tail."""
    if case.evidence.k1 >= _FEWEST_CLASSES:
        return None
    return Finding(
        FewClassesWarning,
        f"Only {case.evidence.k1} classes were measured",
        "So few rivals say next to nothing about the rare ones that decide accuracy among many",
        f"Measure {_FEWEST_CLASSES} classes or more; rankcast plan tells how many an interval takes",
    )


def few_examples(case: Case) -> Finding | None:
    """Too few test examples, or a few of them with most of the weight."""
    evidence, effective = case.evidence, case.effective
    total = len(evidence)
    doubt = 1.64 * np.sqrt(0.25 / effective)
    means = f"Measured accuracy itself is uncertain by about ±{doubt:.2f}, and a forecast by more"
    if effective < _FEWEST_EXAMPLES:
        like = "" if effective > 0.95 * total else f", which with their weights count for {effective:.0f}"
        found = f"There are {total} test examples{like}"
        return Finding(FewExamplesWarning, found, means, "Test more examples, of as many classes as you can")
    if effective >= _UNEQUAL * total:
        return None
    counts = np.bincount(evidence.label)
    counts = np.sort(counts[counts > 0])
    return Finding(
        FewExamplesWarning,
        f"Classes count equally, but have from {counts[0]:,} to {counts[-1]:,} test examples (half have "
        f"{int(np.median(counts)):,} or fewer): the {total:,} examples are worth {effective:,.0f} equal ones",
        means,
        "Test more examples of the classes that have few; or let examples count equally with weighting='example', "
        "which forecasts for a user who meets classes as often as they occur here",
    )


def few_errors(case: Case) -> Finding | None:
    """Too few examples with any rival above them."""
    number = len(case.outranked)
    if number >= _FEWEST_ERRORS:
        return None
    return Finding(
        FewErrorsWarning,
        f"Only {number} of {len(case.evidence):,} examples have a rival at or above the truth"
        if number
        else "There is no error at all",
        "The forecast extrapolates these few, and where there are none it is a guess, on which methods differ",
        "Measure on more classes, or on harder examples of the kind that you will meet",
    )


def dominance(case: Case) -> Finding | None:
    """A class with much of the weight, or a rival that wins many of the errors."""
    evidence = case.evidence
    share = np.bincount(evidence.label, evidence.weight)
    heavy, classes = int(np.argmax(share)), np.count_nonzero(share)
    if evidence.classes is not None and share[heavy] > max(_LARGE_SHARE, 5.0 / classes):
        return Finding(
            DominanceWarning,
            f"Class {case.name(heavy)} has {share[heavy]:.0%} of the weight among {classes:,} classes",
            "The forecast is mostly for this class, and its interval rests on resampling very unequal parts",
            "Let classes count equally (weighting='class'), or leave the class out and forecast for the others",
        )
    if evidence.scores is None or len(case.outranked) < 20:
        return None
    _, winner = case.confusions
    wins = np.bincount(winner)
    hub = int(np.argmax(wins))
    part, usual = wins[hub] / len(winner), 5.0 / evidence.scores.shape[1]
    if part < _LARGE_SHARE or part - usual < 4 * np.sqrt(usual / len(winner)):
        return None
    return Finding(
        DominanceWarning,
        f"Class {case.name(hub)} is the best-scoring rival in {part:.0%} of the errors",
        "Errors by one rival that attracts everything do not grow with the number of classes as the forecast supposes: "
        "it is too low unless new classes bring such rivals at the same rate",
        "Look at it: is it a catch-all, a mislabelled or an empty class? Forecast with and without it",
    )


def far(case: Case) -> Finding | None:
    """More classes than the evidence can speak of."""
    if case.k is None:
        raise NotCheckedError("no k was given")
    ratio = case.k / case.evidence.k1
    if ratio <= _FAR:
        return None
    return Finding(
        FarExtrapolationWarning,
        f"k = {case.k:,} is {ratio:,.0f} times the {case.evidence.k1:,} classes measured",
        "Forecasts are good at 2 to 10 times the classes measured; at 100 times the shape of a tail that nobody has "
        "seen decides, and an interval covers less than it promises",
        f"Measure {-(-case.k // _FAR):,} classes or more (a gallery of distractors without test examples will do), or "
        "read the forecast as a scenario",
    )
