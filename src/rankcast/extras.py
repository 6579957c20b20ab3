"""Optional packages, imported where they are used."""

import importlib
from typing import Any

from .errors import MissingExtraError


def need(module: str, extra: str) -> Any:
    """The module, or an error that names the extra which brings it.

    Examples
    --------
    >>> need("json", "io").dumps([1])
    '[1]'
    >>> need("nosuch.part", "io")
    Traceback (most recent call last):
    ...
    rankcast.errors.MissingExtraError: this needs the package 'nosuch': install it with  pip install 'rankcast[io]'
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(module.partition(".")[0], extra) from None
