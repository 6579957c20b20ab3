"""What a study has measured so far, one small file for each cell, so that an interrupted run continues."""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files import write_whole

_FORMAT = 1


@dataclass(frozen=True)
class Cells:
    """A folder of finished cells.

    A cell is what one column (a method, the oracle or the truth) made of some repetitions of one row of a study.
    Its file is named by a digest of everything that it depends on, so that other settings are other cells, and
    a file that is damaged, or answers another question, counts as none.
    """

    folder: Path

    def get(self, column: str, key: dict[str, Any]) -> dict[str, Any] | None:
        """The values of a cell, if it is finished."""
        try:
            stored = json.loads(self.path(column, key).read_bytes())
            return dict(stored["values"]) if stored["key"] == _plain(key) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, column: str, key: dict[str, Any], values: dict[str, Any]) -> None:
        """Store a cell, whole or not at all."""
        path = self.path(column, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"key": key, "values": values}, ensure_ascii=False)
        write_whole(path, lambda file: file.write(text.encode()))

    def path(self, column: str, key: dict[str, Any]) -> Path:
        """Where a cell lies: a folder for each study and column."""
        text = json.dumps([_FORMAT, column, key], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:20]
        return self.folder / _slug(str(key["study"])) / _slug(column) / f"{digest}.json"

    def forget(self, column: str) -> int:
        """Delete the cells of a column in every study; how many there were."""
        found = list(self.folder.glob(f"*/{_slug(column)}/*.json"))
        for path in found:
            path.unlink()
        return len(found)


def _plain(key: dict[str, Any]) -> Any:
    """As it comes back from a file."""
    return json.loads(json.dumps(key))


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
