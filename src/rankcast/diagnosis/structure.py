"""Checks of what the forecast assumes: methods that agree, errors from many pairs, exchangeable classes."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .._typing import FloatArray, IntArray
from ..errors import DisagreementWarning, LookAlikesWarning, NotExchangeableWarning
from ..evidence import Evidence
from ..methods import REGISTRY
from .findings import Case, Finding, NotCheckedError

FAST = ("classexreg", "gaussian", "mixture")
_APART = 0.1
_FEWEST = 20
_PAIRS = 3
_HALF = 0.5
_PERMUTATIONS = 499
_RARE = 0.01
_CELLS = 2**23  # permuted values held at once
_MOST = 20_000


def disagreement(case: Case) -> Finding | None:
    """Forecasts of the fast rank methods that lie apart."""
    evidence = _ranks(case)
    k = case.k if case.k is not None and case.k > evidence.k1 else min(10 * evidence.k1, 10**9)
    values = {name: float(REGISTRY[name]().fit(evidence, case.rng).value(k)) for name in FAST}
    low, high = min(values, key=lambda name: values[name]), max(values, key=lambda name: values[name])
    doubt = 2.0 * np.sqrt(evidence.accuracy * (1 - evidence.accuracy) / case.effective)
    if np.clip(values[high], 0, 1) - np.clip(values[low], 0, 1) <= _APART + doubt:
        return None
    return Finding(
        DisagreementWarning,
        f"At {k:,} classes {high} forecasts {values[high]:.2f} and {low} {values[low]:.2f}",
        "The ranks measured do not settle the answer: it depends on what a method assumes of the unseen tail, and the "
        "interval of a single method does not show this",
        "Run rankcast backtest to see which method serves your data, report the range, or measure more classes",
    )


def _ranks(case: Case) -> Evidence:
    """The evidence without scores, which is much faster; a random 20,000 examples of it if there are more."""
    whole = case.evidence
    if len(whole) <= _MOST:
        return replace(whole, scores=None)
    rows = np.sort(case.rng.choice(len(whole), _MOST, replace=False))
    return Evidence(
        whole.beaten[rows],
        whole.tied[rows],
        whole.rivals[rows],
        whole.label[rows],
        whole.classes,
        whole.weight[rows] / whole.weight[rows].sum(),
    )


def look_alikes(case: Case) -> Finding | None:
    """Half of the errors made by a few pairs of classes."""
    rows, winner = case.confusions
    if len(rows) < _FEWEST:
        raise NotCheckedError(f"there are fewer than {_FEWEST} errors")
    truth, width = case.evidence.label[rows], case.scores.shape[1]
    pair = np.minimum(truth, winner) * width + np.maximum(truth, winner)
    pairs, where, number = np.unique(pair, return_inverse=True, return_counts=True)
    weight = np.bincount(where, case.evidence.weight[rows])
    top = np.argsort(-weight, kind="stable")[:_PAIRS]
    top = top[number[top] > 1]
    share = float(weight[top].sum() / weight.sum())
    if share < _HALF:
        return None
    names = ", ".join(f"{case.name(int(p // width))} and {case.name(int(p % width))}" for p in pairs[top])
    return Finding(
        LookAlikesWarning,
        f"{share:.0%} of the errors come from {len(top)} pair{'s' * (len(top) > 1)} of classes: {names}",
        "So much rests on so few pairs that another draw of classes, with one pair more or less, would give another "
        "forecast; the interval is wide for this reason, and may still be too narrow",
        "Look at these pairs: if they are one class under two names, merge them; if not, measure more classes, to "
        "know how often such pairs occur",
    )


def order(case: Case) -> Finding | None:
    """Accuracy that drifts with the order of the classes, by a permutation test on its cumulative sums."""
    _, level, accuracy = _class_levels(case)
    chance = _permuted(case, level, lambda rows: np.abs(np.cumsum(rows, axis=1)[:, :-1]).max(axis=1))
    if chance > _RARE:
        return None
    half = len(level) // 2
    return Finding(
        NotExchangeableWarning,
        f"Accuracy drifts with the order of the classes: {accuracy[:half].mean():.2f} in the first half, "
        f"{accuracy[half:].mean():.2f} in the second (p = {chance:.3f} by permutation)",
        "Classes drawn at random from one population have no order. If the order is by time, source or frequency, new "
        "classes will be like the last ones, and the forecast is for a mixture of all",
        "Find out what the order stands for; forecast from the part that is like the classes to come "
        "(Evidence.subset), or draw the classes at random",
    )


def group(case: Case) -> Finding | None:
    """Accuracy that differs between groups of classes, by a permutation test on the variance between them."""
    if case.groups is None:
        raise NotCheckedError("no groups were given")
    tested, level, accuracy = _class_levels(case)
    names, code = np.unique(case.groups[tested], return_inverse=True)
    if len(names) < 2:
        raise NotCheckedError("all classes with test examples are in one group")
    sizes, members = np.bincount(code), np.argsort(code, kind="stable")
    starts = np.cumsum(sizes) - sizes
    chance = _permuted(
        case, level, lambda rows: (np.add.reduceat(rows[:, members], starts, axis=1) ** 2 / sizes).sum(axis=1)
    )
    if chance > _RARE:
        return None
    means = np.bincount(code, accuracy) / sizes
    low, high = int(np.argmin(means)), int(np.argmax(means))
    return Finding(
        NotExchangeableWarning,
        f"Accuracy differs between groups: {means[high]:.2f} in {names[high]}, {means[low]:.2f} in {names[low]} "
        f"(p = {chance:.3f} by permutation)",
        "The forecast is for new classes with the same mixture of groups as those measured",
        "If the classes to come are mixed otherwise, forecast from each group (Evidence.subset) or measure it",
    )


def _class_levels(case: Case) -> tuple[IntArray, FloatArray, FloatArray]:
    """Tested classes in order (a random 20,000 if there are more), their mean ranks among all examples, accuracies."""
    evidence = case.evidence
    if len(evidence.weight) < _FEWEST:
        raise NotCheckedError(f"there are fewer than {_FEWEST} examples")
    won = (evidence.beaten + evidence.tied / 2) / evidence.rivals
    _, place, number = np.unique(won, return_inverse=True, return_counts=True)
    midrank = np.cumsum(number) - (number - 1) / 2  # all that are level share the mean of their ranks
    best = (evidence.beaten + evidence.tied == evidence.rivals) / (1.0 + evidence.tied)
    tested, code = np.unique(evidence.label, return_inverse=True)
    if len(tested) < _FEWEST:
        raise NotCheckedError(f"fewer than {_FEWEST} classes have test examples")
    sizes = np.bincount(code)
    kept = np.arange(len(tested))
    if len(tested) > _MOST:
        kept = np.sort(case.rng.choice(len(tested), _MOST, replace=False))
    level = (np.bincount(code, midrank[place]) / sizes)[kept]
    return tested[kept], level - level.mean(), (np.bincount(code, best) / sizes)[kept]


def _permuted(case: Case, level: FloatArray, statistic: Callable[[FloatArray], FloatArray]) -> float:
    """p-value of a statistic of the classes in their order, exact under exchangeability."""
    seen = float(statistic(level[None])[0])
    if not np.ptp(level):
        return 1.0
    more, done = 0, 0
    while done < _PERMUTATIONS:
        many = min(_PERMUTATIONS - done, max(1, _CELLS // len(level)))
        rows = case.rng.permuted(np.broadcast_to(level, (many, len(level))), axis=1)
        more += int(np.sum(statistic(rows) >= seen * (1 - 1e-9)))
        done += many
    return (1 + more) / (1 + _PERMUTATIONS)
