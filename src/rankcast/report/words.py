"""Plain words: what a metric is called, how its values read, what a forecast and a back-test say."""

import re
from html import escape

import numpy as np

from ..backtest import Backtest
from ..forecast import Forecast
from ..metrics import show

_NAMES = {
    "mrr": ("Mean reciprocal rank", "a mean reciprocal rank of"),
    "ndcg": ("nDCG", "an nDCG of"),
    "mean_rank": ("Mean rank", "a mean rank of"),
}
_CUT = {
    "top": ("Top-{} accuracy", "top-{} accuracy of"),
    "recall@": ("Recall at {}", "a recall at {} of"),
    "mrr@": ("Mean reciprocal rank at {}", "a mean reciprocal rank at {} of"),
    "ndcg@": ("nDCG at {}", "an nDCG at {} of"),
}


def name_of(metric: str) -> str:
    """What a metric is called.

    Examples
    --------
    >>> name_of("top5"), name_of("recall@10"), name_of("minutes")
    ('Top-5 accuracy', 'Recall at 10', 'minutes')
    """
    return _words(metric)[0]


def phrase_of(metric: str) -> str:
    """What stands before its value in a sentence.

    Examples
    --------
    >>> phrase_of("top1"), phrase_of("mrr")
    ('top-1 accuracy of', 'a mean reciprocal rank of')
    """
    return _words(metric)[1]


def _words(metric: str) -> tuple[str, str]:
    if metric in _NAMES:
        return _NAMES[metric]
    found = re.fullmatch(r"(top|recall@|mrr@|ndcg@)(\d+)", metric)
    if found is None:
        return metric, f"{metric} of"
    name, phrase = _CUT[found[1]]
    return name.format(found[2]), phrase.format(found[2])


def is_share(made: Forecast) -> bool:
    """Whether a value is a share of the test examples, and reads best as a percentage."""
    gains = made.gain.gains
    return not callable(gains) and set(gains) == {1.0}


def sentence(text: str) -> str:
    """With a capital, unless a symbol comes first, and a full stop.

    Examples
    --------
    >>> sentence("only 5 classes"), sentence("k = 5")
    ('Only 5 classes.', 'k = 5.')
    """
    return f"{text[:1].upper() if text[1:2].isalpha() else text[:1]}{text[1:]}."


def value_words(value: float, share: bool) -> str:
    """A value as people read it.

    Examples
    --------
    >>> value_words(0.9123, True), value_words(0.99876, True), value_words(1e-9, True), value_words(0.71234, False)
    ('91.2%', '99.88%', '<0.01%', '0.712')
    """
    if share:
        if 0 < value < 0.5e-4 or 1 - 0.5e-4 < value < 1:
            return "<0.01%" if value < 0.5 else ">99.99%"
        return f"{value:.1%}" if 0.01 <= value <= 0.99 or value in (0.0, 1.0) else f"{value:.2%}"
    return f"{value:.3f}" if abs(value) < 10 else show(value)


def count_words(number: float, most: int) -> str:
    """A number of classes, or that it is beyond the last one looked at.

    Examples
    --------
    >>> count_words(1234, 9000), count_words(np.inf, 9000)
    ('1,234', '>9,000')
    """
    return f"{int(number):,}" if np.isfinite(number) else f">{most:,}"


def headline(asked: Forecast, focus: int) -> str:
    """The answer in a sentence."""
    answer, value, interval = _answer(asked, focus)
    return f"{answer} {value}" + (f" ({interval})." if interval else ".")


def headline_parts(asked: Forecast, focus: int) -> tuple[str, str]:
    """The answer as markup: large, and the line under it."""
    answer, value, interval = (escape(part) for part in _answer(asked, focus))
    ratio = focus / asked.k1
    far = f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}"
    under = f"{interval}, at {far} times the {asked.k1:,} classes measured." if interval else ""
    return f"{answer} <strong>{value}</strong>.", under[:1].upper() + under[1:]


def _answer(asked: Forecast, focus: int) -> tuple[str, str, str]:
    at = int(np.nonzero(asked.k == focus)[0][0])
    share = is_share(asked)
    value, low, high = (value_words(float(each[at]), share) for each in (asked.estimate, asked.low, asked.high))
    if focus <= asked.k1:
        return f"On {focus:,} of the {asked.k1:,} classes measured: {phrase_of(asked.metric)}", value, ""
    interval = f"{asked.level:.0%} interval: {low} to {high}"
    return f"On {focus:,} classes, expect {phrase_of(asked.metric)}", value, interval


def tested_words(result: Backtest, share: bool) -> str:
    """What the back-test says of its nearest and its farthest forecasts."""
    rows = result.summary()
    near, far = rows[0], rows[-1]
    inside = sum(round(row["coverage"] * row["forecasts"]) for row in rows)
    total = sum(int(row["forecasts"]) for row in rows)

    def miss(row: dict[str, float]) -> str:
        return f"{100 * row['rmse']:.1f} points" if share else value_words(row["rmse"], False)

    text = f"Made from {near['classes']:,} of the {result.k1:,} classes, it missed by {miss(near)}"
    if far is not near:
        text += f"; from {far['classes']:,}, by {miss(far)}"
    return f"{text}. {inside} of {total} intervals held; {result.level:.0%} should."
