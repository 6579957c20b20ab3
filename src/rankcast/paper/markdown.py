"""Pieces of the pages."""

from collections.abc import Sequence

from .summaries import Summary


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table.

    Examples
    --------
    >>> print(*table(["k", "value"], [["2", "0.5"]]), sep="\\n")
    | k | value |
    |---|---|
    | 2 | 0.5 |
    """
    return [_line(heads), "|" + "---|" * len(heads), *map(_line, lines)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def shown(summary: Summary | None, *, bold: bool = False) -> str:
    """An error with its standard error; a dash for what was not measured."""
    if summary is None:
        return "–"
    return f"**{summary.value:.3f}** ({summary.se:.3f})" if bold else str(summary)


def note(quick: bool) -> list[str]:
    """A warning on the pages of a quick run."""
    return ["*A quick run: few repetitions, so that errors are rough.*", ""] if quick else []
