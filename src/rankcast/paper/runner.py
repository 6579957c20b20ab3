"""From the name of a study to its files: a page, every number, and the figures."""

import csv
import io
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..errors import InputError, RankcastError
from ..extras import need
from ..files import write_whole
from . import engine
from .beyond import Beyond
from .cells import Cells
from .study import ORACLE, Findings, Study
from .table1 import Table1
from .table2 import Table2
from .table3 import Table3
from .toy import Toy

STUDIES: dict[str, type[Toy] | type[Study]] = {each.name: each for each in (Toy, Table1, Table2, Table3, Beyond)}


def run(
    names: Sequence[str],
    out: Path,
    *,
    quick: bool = False,
    jobs: int = 1,
    data: str | None = None,
    cells: Path | None = None,
    methods: Sequence[str] = (),
    fresh: Sequence[str] = (),
) -> list[Path]:
    """Run studies and write their files to ``out``; the pages.

    Parameters
    ----------
    names : sequence of str
        Of ``STUDIES``.
    quick, data
        See :class:`Study`.
    jobs : int
        Processes to measure in.
    cells : Path, optional
        Where finished cells are kept; ``out/cells`` if left out.
    methods : sequence of str
        Measure these columns only; others are shown as far as they are finished.
    fresh : sequence of str
        Forget what these columns made of anything.
    """
    need("matplotlib.figure", "plot")
    store = Cells(cells or out / "cells")
    known = _columns()
    for column in [*methods, *fresh]:
        if column not in known:
            raise InputError(f"unknown column {column!r}: choose from {', '.join(known)}")
    for column in fresh:
        store.forget(column)
    out.mkdir(parents=True, exist_ok=True)
    pages, failed = [], []
    for name in names:
        try:
            pages.append(write(out, name, _findings(name, store, quick, jobs, data, methods)))
        except RankcastError as error:
            if len(names) == 1:
                raise
            failed.append(f"{name}: {error}")
    if failed:
        raise InputError(f"{len(pages)} of {len(names)} studies are in {out}; left out: " + "; ".join(failed))
    return pages


def _findings(name: str, store: Cells, quick: bool, jobs: int, data: str | None, methods: Sequence[str]) -> Findings:
    if name not in STUDIES:
        raise InputError(f"unknown study {name!r}: choose from {', '.join(STUDIES)}")
    kind = STUDIES[name]
    if issubclass(kind, Toy):
        return kind(quick).findings()
    study = kind(quick, data)
    engine.measure(study, store, jobs, methods or None)
    return study.findings(engine.gather(study, store))


def _columns() -> list[str]:
    """Every column of every study."""
    found = [column for kind in STUDIES.values() if issubclass(kind, Study) for column in kind().columns()]
    return list(dict.fromkeys([*found, ORACLE]))


def write(out: Path, name: str, findings: Findings) -> Path:
    """Write the files of a study, each whole or not at all."""
    # no date and no random names, so that the same numbers give the same file
    with need("matplotlib", "plot").rc_context({"svg.hashsalt": name}):
        for title, figure in findings.figures.items():
            write_whole(out / f"{title}.png", partial(figure.savefig, format="png", dpi=110))
            write_whole(out / f"{title}.svg", partial(figure.savefig, format="svg", metadata={"Date": None}))
    _text(out / f"{name}.csv", _csv(findings))
    _text(out / f"{name}.json", json.dumps(findings.numbers, ensure_ascii=False, indent=0))
    source = f"Every number: [CSV]({name}.csv), [JSON]({name}.json). Made by `rankcast paper {name}`."
    _text(out / f"{name}.md", f"{findings.page.rstrip()}\n\n{source}\n")
    return out / f"{name}.md"


def _csv(findings: Findings) -> str:
    text = io.StringIO()
    heads = list(dict.fromkeys(head for row in findings.numbers for head in row))
    writer = csv.DictWriter(text, heads, lineterminator="\n")
    writer.writeheader()
    writer.writerows(findings.numbers)
    return text.getvalue()


def _text(path: Path, text: str) -> None:
    write_whole(path, lambda file: file.write(text.encode()))
