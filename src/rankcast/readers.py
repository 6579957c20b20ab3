"""Files → evidence, recognised by the names of their arrays."""

from pathlib import Path
from typing import Any

from ._typing import Array
from .errors import InputError
from .evidence import Evidence
from .files import load_evidence, read_array, read_arrays
from .tabular import is_table, read_columns, table_evidence

LAYOUTS = {
    "scores": ("scores", "labels"),
    "embeddings": ("gallery", "gallery_labels", "probes", "probe_labels"),
    "ranks": ("rank", "candidates"),
}


def read_evidence(
    path: Path | None,
    parts: dict[str, Path] | None = None,
    *,
    similarity: str = "euclidean",
    exemplars: str = "nearest",
    higher_is_better: bool = True,
    weighting: Any = "class",
) -> Evidence:
    """Read evidence from an ``.npz`` file, from separate ``.npy`` files by their arrays' names, or both; or a table.

    The arrays are ``scores`` and ``labels``; or ``gallery``, ``gallery_labels``, ``probes`` and ``probe_labels``; or
    ``rank`` and ``candidates``, with ``labels`` and ``tied`` if there are any; or those of a saved evidence file.
    For tables (.csv, .tsv, .parquet) see :mod:`rankcast.tabular`.
    """
    if path is not None and is_table(path):
        if parts:
            raise InputError(f"{path}: arrays from other files cannot be added to a table")
        columns = read_columns(path)
        try:
            return table_evidence(columns, higher_is_better, weighting)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    arrays = {} if path is None else read_arrays(path)
    if path is not None and "rankcast_evidence" in arrays:
        if parts:
            raise InputError(f"{path}: is evidence already, other arrays cannot be added to it")
        return load_evidence(path)
    arrays |= {name: read_array(part) for name, part in (parts or {}).items()}
    where = str(path) if path is not None else "the files given"
    layout = _layout(arrays, where)
    try:
        if layout == "scores":
            return Evidence.from_scores(
                arrays["scores"],
                arrays["labels"],
                classes=arrays.get("classes"),
                higher_is_better=higher_is_better,
                weighting=weighting,
            )
        if layout == "embeddings":
            vectors = [arrays[name] for name in LAYOUTS["embeddings"]]
            return Evidence.from_embeddings(*vectors, similarity=similarity, exemplars=exemplars, weighting=weighting)
        return Evidence.from_ranks(
            arrays["rank"],
            arrays["candidates"],
            arrays.get("labels"),
            tied=arrays.get("tied"),
            weighting=weighting,
        )
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _layout(arrays: dict[str, Array], where: str) -> str:
    whole = [layout for layout, names in LAYOUTS.items() if set(names) <= set(arrays)]
    if len(whole) == 1:
        return whole[0]
    found = ", ".join(sorted(arrays)) or "no arrays"
    if whole:
        raise InputError(f"{where}: holds {found}, which is both {' and '.join(whole)}: keep one of them")
    wanted = "; or ".join(", ".join(names) for names in LAYOUTS.values())
    raise InputError(f"{where}: found {found}; needed are {wanted}")
