"""Errors and warnings that rankcast raises on purpose; each says what was found and what to do."""

import sys
import warnings
from pathlib import Path
from typing import ClassVar

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
    """Base of every statistical warning; ``section`` is where docs/diagnose.md explains it."""

    section: ClassVar[str] = ""


def warn(warning: RankcastWarning) -> None:
    """Issue a warning that points at the first caller outside this package."""
    level = 1
    while (frame := sys._getframe(level)).f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level += 1
    warnings.warn(warning, stacklevel=level + 1)


class FewClassesWarning(RankcastWarning):
    """Too few classes were measured to say much about many more."""

    section = "few-classes"


class BelowChanceWarning(RankcastWarning):
    """The truth loses to a random rival more often than not: the scores may point the other way."""

    section = "below-chance"


class FarExtrapolationWarning(RankcastWarning):
    """The forecast reaches very far beyond the number of classes measured."""

    section = "far-extrapolation"


class SoftmaxWarning(RankcastWarning):
    """The scores of an example are probabilities that sum to one, so classes depend on each other."""

    section = "softmax"


class HardNegativesWarning(RankcastWarning):
    """The rivals are nearer to the truth than rivals drawn at random would be."""

    section = "hard-negatives"


class TiesWarning(RankcastWarning):
    """Many rivals are level with the truth."""

    section = "ties"


class FewExamplesWarning(RankcastWarning):
    """The averages rest on few test examples."""

    section = "few-examples"


class FewErrorsWarning(RankcastWarning):
    """Next to no example was outranked, so there is little to extrapolate from."""

    section = "few-errors"


class DominanceWarning(RankcastWarning):
    """One class carries a large part of the average or of the errors."""

    section = "dominance"


class DisagreementWarning(RankcastWarning):
    """Methods that see the same evidence forecast different things."""

    section = "disagreement"


class LookAlikesWarning(RankcastWarning):
    """A few pairs of classes make most of the errors."""

    section = "look-alikes"


class NotExchangeableWarning(RankcastWarning):
    """Some classes are harder than others in a way that their order or group predicts."""

    section = "not-exchangeable"


class NotMarginalWarning(RankcastWarning):
    """The classifier scores a class by comparison with others, so that more classes make another classifier."""

    section = "not-marginal"
