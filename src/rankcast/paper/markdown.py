"""Pieces of the pages."""

from collections.abc import Sequence
from importlib.resources import files
from string import Template

from .summaries import Summary


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table.

    Examples
    --------
    >>> print(table(["k", "value"], [["2", "0.5"]]))
    | k | value |
    |---|---|
    | 2 | 0.5 |
    """
    return "\n".join([_line(heads), "|" + "---|" * len(heads), *map(_line, lines)])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def shown(summary: Summary | None, *, bold: bool = False) -> str:
    """An error with its standard error; a dash for what was not measured."""
    if summary is None:
        return "–"
    return f"**{summary.value:.3f}** ({summary.se:.3f})" if bold else str(summary)


def page(name: str, *, quick: bool = False, **parts: str) -> str:
    """The prose of a study with its tables put in."""
    text = files("rankcast.paper").joinpath("pages", f"{name}.md").read_text(encoding="utf-8")
    note = "*A quick run: few repetitions, so that errors are rough.*\n\n" if quick else ""
    return Template(text).substitute(parts, note=note)
