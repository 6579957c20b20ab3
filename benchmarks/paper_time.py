"""How long Table 1 of the paper takes: every tenth noise level of both halves, all columns, on all cores."""

import os
import tempfile
import time
from pathlib import Path

from rankcast.paper import engine
from rankcast.paper.cells import Cells
from rankcast.paper.study import Row
from rankcast.paper.table1 import Table1

FIRST, STEP = 4, 10


class Tenth(Table1):
    """A tenth of the table."""

    def half(self, k1: int) -> list[Row]:
        """Some of the noise levels."""
        return super().half(k1)[FIRST::STEP]


def run() -> dict[str, object]:
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        engine.measure(Tenth(), Cells(Path(folder)), cores)
        taken = time.perf_counter() - started
    return {"cores": cores, "seconds": taken, "minutes_for_all": taken * STEP / 60}


def page(result: dict) -> str:
    return "\n".join(
        [
            "# The time of Table 1",
            "",
            "Every tenth noise level of both halves, with all columns and all repetitions, measured anew.",
            "",
            "| cores | seconds | the whole table, minutes | goal |",
            "|---|---|---|---|",
            f"| {result['cores']} | {result['seconds']:.0f} | {result['minutes_for_all']:.0f} | 45 |",
        ]
    )
