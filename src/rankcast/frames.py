"""Data frames for those who use them: pandas, polars or anything else that narwhals knows."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ._typing import Array
from .errors import InputError
from .extras import need


def make_frame(columns: dict[str, Array], backend: str | None = None) -> Any:
    """A frame with these columns; the first of pandas, polars and pyarrow that is installed, unless named."""
    nw = need("narwhals", "frames")
    known = [name for name in ("pandas", "polars", "pyarrow") if find_spec(name)]
    chosen = backend or next(iter(known), None)
    if chosen is None:
        raise InputError("no data frame library is installed: install pandas or polars")
    if chosen not in known:
        raise InputError(f"the data frame library {chosen!r} is not installed: use one of {known}")
    return nw.from_dict(columns, backend=import_module(chosen)).to_native()
