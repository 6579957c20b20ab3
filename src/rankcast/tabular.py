"""Tables in files: columns of a CSV or Parquet file, and the evidence that they hold.

Three layouts are known by the names of their columns, in any order and case:

- ranks: ``rank``, ``candidates`` and, if there are any, ``label`` and ``tied``;
- long scores: ``probe``, ``candidate``, ``score`` and ``label``, the probe's class (its own name if left out);
- wide scores: ``label``, and a column of scores for each class; a column ``probe`` is passed over.
"""

import csv
from pathlib import Path
from typing import Any

import numpy as np

from ._typing import Array
from .counts import Weighting
from .errors import InputError
from .evidence import Evidence
from .extras import need
from .files import there
from .tables import plain

SUFFIXES = {".csv": ",", ".tsv": "\t", ".parquet": "", ".pq": ""}
NEEDED = (
    "columns rank, candidates [, label]; or probe, candidate, score [, label]; "
    "or label and a column of scores for each class"
)


def is_table(path: Path) -> bool:
    """Whether a file is a table, by the end of its name."""
    return path.suffix.lower() in SUFFIXES


def read_columns(path: Path) -> dict[str, Array]:
    """The columns of a CSV (.csv, .tsv) or Parquet file, as numbers where all cells are numbers."""
    there(path)
    return _read_csv(path) if path.suffix.lower() in (".csv", ".tsv") else _read_parquet(path)


def _read_csv(path: Path) -> dict[str, Array]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            mark = SUFFIXES[path.suffix.lower()]
            rows = csv.reader(file, delimiter=";" if mark not in first and ";" in first else mark)
            header = [name.strip() for name in next(rows, [])]
            cells = []
            for row in rows:
                if len(row) == len(header):
                    cells.append(row)
                elif row:
                    raise InputError(f"{path}: line {rows.line_num} has {len(row)} cells, the header {len(header)}")
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: is not a text table in UTF-8 ({error})") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if not cells:
        raise InputError(f"{path}: holds no rows below its header")
    return {name: _typed(column) for name, column in zip(_distinct(header, path), np.array(cells).T, strict=True)}


def _typed(cells: Array) -> Array:
    """Whole numbers, numbers or, if any cell is neither, text; a name such as 007 stays text."""
    cells = np.strings.strip(cells)
    try:
        whole = cells.astype(np.int64)
        return whole if np.array_equal(whole.astype(cells.dtype), cells) else cells
    except (ValueError, OverflowError):
        pass
    try:
        return cells.astype(np.float64)
    except ValueError:
        return cells


def _read_parquet(path: Path) -> dict[str, Array]:
    pa, pq = need("pyarrow", "io"), need("pyarrow.parquet", "io")
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: is not a Parquet file, or is damaged") from error
    if table.num_rows == 0:
        raise InputError(f"{path}: holds no rows")
    names = _distinct(table.column_names, path)
    for name, column in zip(names, table.columns, strict=True):
        if column.null_count:
            raise InputError(f"{path}: column {name} lacks {column.null_count} values: drop or fill those rows")
    return {name: plain(column.to_numpy(), name) for name, column in zip(names, table.columns, strict=True)}


def _distinct(names: list[str], path: Path) -> list[str]:
    twice = [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
    if twice:
        raise InputError(f"{path}: has two columns of the name {twice[0]!r}")
    return names


def layout_of(columns: dict[str, Array]) -> str | None:
    """Which of the layouts these columns have: ranks, long scores, wide scores, or none."""
    names = {name.lower() for name in columns}
    if {"rank", "candidates"} <= names:
        return "ranks"
    if {"probe", "candidate", "score"} <= names:
        return "long scores"
    if names & {"label", "labels"} and len(names - {"label", "labels", "probe"}) >= 2 and "rank" not in names:
        return "wide scores"
    return None


def table_evidence(
    columns: dict[str, Array], higher_is_better: bool = True, weighting: Weighting = "class"
) -> Evidence:
    """Evidence from the columns of a table."""
    layout = layout_of(columns)
    if layout is None:
        raise InputError(f"found columns {_some(list(columns))}; needed are {NEEDED}")
    known = {name.lower(): values for name, values in columns.items()}
    label = known.get("label", known.get("labels"))
    if layout == "ranks":
        return Evidence.from_ranks(
            known["rank"], known["candidates"], label, tied=known.get("tied"), weighting=weighting
        )
    options: dict[str, Any] = {"higher_is_better": higher_is_better, "weighting": weighting}
    if layout == "long scores":
        return _long(known["probe"], known["candidate"], known["score"], label, **options)
    names = [name for name in columns if name.lower() not in ("label", "labels", "probe")]
    for name in names:
        if columns[name].dtype.kind not in "iuf":
            raise InputError(
                f"column {name} should hold scores of the class {name}, found text, e.g. {str(columns[name][0])!r}"
            )
    assert label is not None
    text = label.astype(str)
    if np.isin(text, names).all():  # else they are the numbers of columns, or wrong
        return Evidence.from_scores(np.column_stack([columns[name] for name in names]), text, classes=names, **options)
    if label.dtype.kind not in "iu":
        wrong = text[~np.isin(text, names)][0]
        raise InputError(f"label {str(wrong)!r} is not among the {len(names)} columns of scores, {_some(names)}")
    return Evidence.from_scores(np.column_stack([columns[name] for name in names]), label, **options)


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" … ({len(names)} in all)" if len(names) > 8 else "")


def _long(
    probe: Array, candidate: Array, score: Array, label: Array | None, higher_is_better: bool, weighting: Weighting
) -> Evidence:
    """One row for each pair: a matrix if every probe was scored against every candidate, else ranks."""
    if score.dtype.kind not in "iuf" or not np.isfinite(score).all():
        raise InputError("the column score must hold finite numbers")
    probes, first, row = np.unique(probe, return_index=True, return_inverse=True)
    classes, column = np.unique(candidate, return_inverse=True)
    own = probes if label is None else label[first]
    if label is not None and np.any(label != own[row]):
        torn = probes[row[np.argmax(label != own[row])]]
        raise InputError(f"probe {torn} has two labels: label is the true class of the probe, the same in all its rows")
    if own.dtype.kind != classes.dtype.kind:
        own, classes = own.astype(str), classes.astype(str)
    order = np.argsort(row * len(classes) + column, kind="stable")
    pair = (row * len(classes) + column)[order]
    if np.any(pair[1:] == pair[:-1]):
        again = pair[1:][pair[1:] == pair[:-1]][0]
        raise InputError(
            f"probe {probes[again // len(classes)]} is scored twice against candidate {classes[again % len(classes)]}"
        )
    if len(score) == len(probes) * len(classes):
        sorter = np.argsort(classes)
        matrix = score[order].reshape(len(probes), len(classes))[:, sorter]
        return Evidence.from_scores(
            matrix, own, classes=classes[sorter], higher_is_better=higher_is_better, weighting=weighting
        )
    true = classes[column] == own[row]
    has = np.bincount(row, true, minlength=len(probes))
    if not has.all():
        without = int(np.argmin(has))
        hint = "" if label is not None else " (without a column label, a probe's own name is its class)"
        raise InputError(
            f"probe {probes[without]} was not scored against its true class {own[without]}{hint}: add that row, or its "
            "rank is unknown"
        )
    truth = np.empty(len(probes), score.dtype)
    truth[row[true]] = score[true]
    above = score > truth[row] if higher_is_better else score < truth[row]
    rank = 1 + np.bincount(row, above, minlength=len(probes)).astype(np.int64)
    tied = np.bincount(row, score == truth[row], minlength=len(probes)).astype(np.int64) - 1
    return Evidence.from_ranks(rank, np.bincount(row), own, tied=tied, weighting=weighting)


def read_groups(path: Path) -> Array | dict[Any, Any]:
    """Group of each class: an ``.npy`` with one entry for each, or a table with the columns class and group."""
    if not is_table(path):
        from .files import read_array

        return read_array(path)
    columns = {name.lower(): values for name, values in read_columns(path).items()}
    if not {"class", "group"} <= set(columns):
        raise InputError(f"{path}: found columns {_some(list(columns))}; needed are class, group")
    return dict(zip(columns["class"].tolist(), columns["group"].tolist(), strict=True))
