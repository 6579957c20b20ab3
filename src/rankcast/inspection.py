"""inspect(): what a file holds, whether it can be used, and what to do next."""

import shlex
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._typing import Array
from .errors import InputError, RankcastWarning
from .evidence import Evidence
from .files import read_array, read_arrays
from .readers import LAYOUTS, read_evidence
from .results import Result
from .tabular import NEEDED, is_table, layout_of, read_columns

_SHOWN = 12
_LAYOUTS = {
    "scores": "scores: one row for each test example, one column for each class",
    "embeddings": "embeddings: a gallery of labelled vectors, and probes to match against it",
    "ranks": "ranks of the truth among candidates",
    "long scores": "scores in long form: one row for each pair of probe and candidate",
    "wide scores": "scores in wide form: one row for each probe, one column for each class",
    "evidence": "evidence saved by rankcast",
}


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Result):
    """What was found in a file.

    Attributes
    ----------
    path : str
        The file.
    form : str
        What kind of file it is.
    contents : dict of str to str
        Its arrays or columns, with type, size and range.
    layout : str or None
        What they are together, if that is known.
    evidence : Evidence or None
        The evidence, if it can be read.
    problem : str or None
        Why it cannot.
    notes : tuple of str
        What reading it warned of.
    advice : tuple of str
        What to do next.
    """

    path: str
    form: str
    contents: dict[str, str]
    layout: str | None
    evidence: Evidence | None
    problem: str | None
    notes: tuple[str, ...]
    advice: tuple[str, ...]

    def __repr__(self) -> str:
        wide = max(map(len, self.contents), default=0)
        lines = [f"{self.path}: {self.form}"]
        lines += [f"  {name:<{wide}}   {what}" for name, what in list(self.contents.items())[:_SHOWN]]
        if len(self.contents) > _SHOWN:
            lines.append(f"  … and {len(self.contents) - _SHOWN:,} more")
        if self.layout is not None:
            lines.append(f"recognised as {_LAYOUTS[self.layout]}")
        if self.evidence is not None:
            lines.append(str(self.evidence))
        if self.problem is not None:
            lines.append(f"cannot be used as it is: {self.problem}")
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join([*lines, "next:", *(f"  {step}" for step in self.advice)])

    def columns(self) -> dict[str, Array]:
        """One row for each array or column of the file."""
        return {"name": np.array(list(self.contents), str), "holds": np.array(list(self.contents.values()), str)}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        found = self.evidence
        return {
            "file": self.path,
            "form": self.form,
            "contents": self.contents,
            "layout": self.layout,
            "evidence": found
            and {"k1": found.k1, "examples": len(found), "top1": found.accuracy, "scores": found.scores is not None},
            "problem": self.problem,
            "notes": list(self.notes),
            "next": list(self.advice),
        }


def inspect(path: str | Path) -> Inspection:
    r"""Tell what a file holds (.npz, .npy, .csv, .tsv, .parquet or saved evidence) and what to do with it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "ranks.csv"
    ...     _ = file.write_text("rank,candidates\n1,100\n3,100\n")
    ...     inspect(file).layout
    'ranks'
    """
    path = Path(path)
    if path.suffix.lower() == ".npy":
        return _single(path)
    if is_table(path):
        arrays = read_columns(path)
        rows = len(next(iter(arrays.values())))
        kind = "Parquet" if path.suffix.lower() in (".parquet", ".pq") else "text"
        form, layout = f"a {kind} table of {rows:,} rows and {len(arrays):,} columns", layout_of(arrays)
    else:
        arrays = read_arrays(path)
        form, layout = f"an .npz archive with {len(arrays)} arrays", _archive_layout(arrays)
    evidence, problem = None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RankcastWarning)
        try:
            evidence = read_evidence(path)
        except InputError as error:
            problem = str(error).removeprefix(f"{path}: ")
        notes = tuple(str(each.message) for each in caught)
    contents = {name: _describe(array) for name, array in arrays.items()}
    return Inspection(str(path), form, contents, layout, evidence, problem, notes, _advice(path, evidence))


def _archive_layout(arrays: dict[str, Array]) -> str | None:
    if "rankcast_evidence" in arrays:
        return "evidence"
    whole = [layout for layout, names in LAYOUTS.items() if set(names) <= set(arrays)]
    return whole[0] if len(whole) == 1 else None


def _describe(array: Array) -> str:
    size = " × ".join(f"{length:,}" for length in array.shape) or "a single value"
    what = f"{'text' if array.dtype.kind in 'US' else array.dtype.name}, {size}"
    if array.size == 0:
        return what
    if array.dtype.kind in "iuf":
        return f"{what}, from {array.min():.6g} to {array.max():.6g}"
    return f"{what}, e.g. {array.flat[0]!s}"


def _advice(path: Path, evidence: Evidence | None) -> tuple[str, ...]:
    if evidence is None:
        return (
            "an .npz needs " + "; or ".join(", ".join(names) for names in LAYOUTS.values()),
            f"a table needs {NEEDED}",
        )
    name = shlex.quote(str(path))
    far = min(10 * evidence.k1, 10**9)
    return (
        f"rankcast diagnose {name} --k {far}",
        f"rankcast backtest {name}" if evidence.k1 >= 16 else f"measure 20 classes or more, there are {evidence.k1}",
        f"rankcast forecast {name} --k {far}",
    )


def _single(path: Path) -> Inspection:
    """An array by itself may be any part of a measurement: its shape tells which."""
    array, name = read_array(path), shlex.quote(str(path))
    advice: tuple[str, ...]
    partner = "--array {0}=" + name + " --array {1}=FILE.npy --k 1000"
    if array.ndim == 2 and array.dtype.kind in "fiu":
        advice = (
            "if these are scores (examples × classes), name it and its labels:",
            "  rankcast forecast " + partner.format("scores", "labels"),
            "if these are vectors, it is gallery or probes of gallery, gallery_labels, probes, probe_labels",
        )
    elif array.ndim == 1:
        advice = (
            "if these are ranks of the truth, name it and the numbers of candidates:",
            "  rankcast forecast " + partner.format("rank", "candidates"),
            "if these are true classes, it is the labels of scores:",
            "  rankcast forecast " + partner.format("labels", "scores"),
        )
    else:
        advice = ("save scores with two dimensions (examples × classes), and their labels with one",)
    problem = "a single array does not say what it is, name it with --array"
    return Inspection(str(path), "a single array", {"array": _describe(array)}, None, None, problem, (), advice)
