"""Errors and warnings that rankcast raises on purpose; each says what was found and what to do."""

import sys
import warnings
from pathlib import Path

_HERE = str(Path(__file__).parent)


class RankcastError(Exception):
    """Base of every error that a caller may want to catch."""


class InputError(RankcastError, ValueError):
    """The data or an argument cannot be used as given."""


class MethodError(RankcastError, ValueError):
    """A method is unknown, or cannot work on this evidence."""


class MissingExtraError(RankcastError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs the package {package!r}: install it with  pip install 'rankcast[{extra}]'")


class RankcastWarning(UserWarning):
    """Base of every statistical warning."""


def warn(warning: RankcastWarning) -> None:
    """Issue a warning that points at the first caller outside this package."""
    level = 1
    while (frame := sys._getframe(level)).f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level += 1
    warnings.warn(warning, stacklevel=level + 1)


class FewClassesWarning(RankcastWarning):
    """Too few classes were measured to say much about many more."""


class BelowChanceWarning(RankcastWarning):
    """The truth loses to a random rival more often than not: the scores may point the other way."""


class FarExtrapolationWarning(RankcastWarning):
    """The forecast reaches very far beyond the number of classes measured."""
