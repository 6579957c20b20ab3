"""What users pass in: arrays of many libraries, labels of many kinds, turned into checked numpy arrays."""

from typing import Any

import numpy as np

from ._typing import Array, IntArray
from .errors import InputError


def to_numpy(data: Any, what: str) -> Array:
    """A numeric numpy array, without a copy where possible; torch tensors and frames are converted."""
    if hasattr(data, "detach"):  # a torch tensor, on whatever device
        data = data.detach().cpu().numpy()
    elif hasattr(data, "to_numpy") and not isinstance(data, np.ndarray):  # pandas, polars, pyarrow
        data = data.to_numpy()
    try:
        array = np.asanyarray(data)
    except ValueError as error:
        raise InputError(f"{what} is not a rectangular table of numbers: {error}") from error
    if array.dtype.kind == "O":  # e.g. columns of nullable numbers
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{what} must be numbers, found other values or missing ones") from None
    if array.dtype.kind not in "fiu":
        raise InputError(f"{what} must be numbers, found type {array.dtype}")
    if isinstance(array, np.ma.MaskedArray):
        raise InputError(f"{what} is a masked array: drop what is masked and pass a plain one")
    return np.asanyarray(array)


def names_of(data: Any) -> Array | None:
    """Column names of a frame, or None for anything without them."""
    columns = getattr(data, "columns", None)
    return None if columns is None else plain(list(columns), "columns")


def whole_numbers(data: Any, what: str) -> IntArray:
    """An array of integers; floats are accepted if they are whole."""
    array = to_numpy(data, what)
    if not np.all(np.isfinite(array)) or np.any(array != np.floor(array)) or np.any(np.abs(array) > 2.0**62):
        raise InputError(f"{what} must be whole numbers")
    return array.astype(np.int64)


def plain(data: Any, what: str) -> Array:
    """Numbers or strings as an array of that type, whatever they came in."""
    if hasattr(data, "detach"):
        data = data.detach().cpu().numpy()
    array = np.asarray(data)
    if array.dtype.kind == "O":
        values = array.ravel().tolist()
        if any(value is None or value != value for value in values):
            raise InputError(f"{what} holds missing values: drop those examples or name them")
        if not all(isinstance(value, int | np.integer) for value in values):
            values = [str(value) for value in values]
        array = np.asarray(values).reshape(array.shape)
    return array


def check_labels(labels: Any, rows: int, shape: tuple[int, ...], what: str = "labels", of: str = "scores") -> Array:
    """A flat array of labels, one for each row."""
    array = plain(labels, what)
    if array.ndim != 1:
        raise InputError(f"{what} must be a flat list, found {array.ndim} dimensions")
    if len(array) != rows:
        hint = ""
        if len(shape) == 2 and len(array) == shape[1]:
            hint = f": {of} may be transposed (rows are {'examples' if of == 'scores' else 'vectors'})"
        raise InputError(f"{what} has {len(array)} entries for {rows} rows of {of}{hint}")
    if rows == 0:
        raise InputError(f"{of} has no rows")
    return array


def encode_labels(labels: Array, names: Array | None, columns: int, *, strict: bool, what: str = "labels") -> IntArray:
    """Turn labels into column numbers.

    With names, labels are looked up among them; column numbers are accepted in their place unless ``strict``.
    """
    if names is not None:
        order = np.argsort(names, kind="stable")
        if len(np.unique(names)) != len(names):
            raise InputError("class names are not unique")
        ordered = names[order]
        comparable = (labels.dtype.kind in "US") == (names.dtype.kind in "US")
        if comparable:
            place = np.minimum(np.searchsorted(ordered, labels), len(names) - 1)
            unknown = ordered[place] != labels
            if not unknown.any():
                return order[place].astype(np.int64)
            if strict or labels.dtype.kind not in "iu":
                missing = np.unique(labels[unknown])
                raise InputError(
                    f"{what} holds {len(missing)} values that are not among the {len(names)} classes, "
                    f"e.g. {missing[0]!s}"
                )
        elif strict or labels.dtype.kind not in "iu":
            raise InputError(f"{what} are of type {labels.dtype}, the classes of type {names.dtype}: use the same kind")
    if labels.dtype.kind in "US":
        raise InputError(f"{what} are strings: name the columns of scores with classes=")
    index = whole_numbers(labels, what)
    if index.min() < 0 or index.max() >= columns:
        bad = int(index.min()) if index.min() < 0 else int(index.max())
        raise InputError(f"{what} must be column numbers 0 to {columns - 1}, found {bad}")
    return index
