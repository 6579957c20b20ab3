"""What the answers to questions have in common: they print themselves, and turn into JSON or a data frame."""

import json
from abc import ABC, abstractmethod
from typing import Any

from ._typing import Array


class Result(ABC):
    """An answer that a person reads and a program takes apart."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""

    @abstractmethod
    def columns(self) -> dict[str, Array]:
        """The table as arrays by name."""

    def to_json(self, indent: int | None = 2) -> str:
        """:meth:`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent)

    def to_frame(self, backend: str | None = None) -> Any:
        """The table as a data frame; pandas or polars, whichever is installed."""
        from .frames import make_frame

        return make_frame(self.columns(), backend)
