"""Make training tasks in parallel, and keep what a feature function makes of each.

    python -m training.generate --features package.module:function --out cache --seeds 0:20000 --jobs 2

The feature function takes a :class:`~training.tasks.Task` and returns a dict of arrays whose shapes are the
same for every task. Shards of 100 tasks are written to ``out`` as npz files, each whole or not at all; those
already there are skipped, so an interrupted run goes on where it stopped. Besides the features, a shard holds
what every training needs: see :func:`summary`.
"""

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .families import FAMILIES
from .sampling import Array
from .tasks import LISTS, Task, make_task
from .workers import workers

Features = Callable[[Task], dict[str, Array]]
SHARD = 100


@dataclass(frozen=True)
class Settings:
    """What all shards of one directory have in common."""

    features: str
    families: str = "plain"
    effort: float = 1.0


@dataclass(frozen=True)
class Shard:
    """A hundred tasks, and where they go."""

    first: int
    folder: Path
    settings: Settings

    @property
    def path(self) -> Path:
        """The file of this shard."""
        return self.folder / f"tasks-{self.first:08d}.npz"


def summary(task: Task) -> dict[str, Array]:
    """What is kept of every task: its origin, the truth with its error, and the oracle's forecast."""
    return {
        "seed": np.array(task.seed),
        "family": np.array(task.family, "U16"),
        "held_out": np.array(task.held_out),
        "score": np.array(task.facts["score"], "U16"),
        "report": np.array(task.facts["report"], "U16"),
        "dim": np.array(task.facts["dim"], float),
        "k1": np.array(task.evidence.k1),
        "examples": np.array(len(task.evidence)),
        "accuracy": np.array(task.evidence.accuracy),
        "tied": np.array(float(task.evidence.weight @ (task.evidence.tied > 0))),
        "k": task.k,
        "truth": task.truth,
        "truth_error": task.error,
        "oracle": task.oracle,
        "oracle_examples": np.array(len(task.oracle_rows)),
    }


def nothing(task: Task) -> dict[str, Array]:
    """No features: the summary alone."""
    return {}


def load_function(spec: str) -> Features:
    """The function named ``module:function``."""
    module, _, name = spec.partition(":")
    if not name:
        raise SystemExit(f"--features must be module:function, not {spec!r}")
    found: Features = getattr(import_module(module), name)
    return found


def make_shard(shard: Shard) -> tuple[Shard, float, list[str]]:
    """Make and write the tasks of a shard; also the seconds it took and the traces of tasks that failed."""
    start = time.perf_counter()
    extract = load_function(shard.settings.features)
    rows: list[dict[str, Array]] = []
    failures: list[str] = []
    for seed in range(shard.first, shard.first + SHARD):
        try:
            begun = time.process_time()
            task = make_task(seed, shard.settings.families, shard.settings.effort)
            made = time.process_time()
            row = summary(task) | {name: np.asarray(value) for name, value in extract(task).items()}
            row["seconds"] = np.array([made - begun, time.process_time() - made])
            rows.append(row)
        except Exception:
            failures.append(f"task {seed} failed:\n{traceback.format_exc()}")
    if rows:
        write(shard.path, {name: np.stack([row[name] for row in rows]) for name in rows[0]})
    return shard, time.perf_counter() - start, failures


def write(path: Path, columns: dict[str, Any], compressed: bool = True) -> None:
    """Write an npz file, whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    with partial.open("wb") as file:
        (np.savez_compressed if compressed else np.savez)(file, **columns)
    partial.replace(path)


def read(path: Path) -> dict[str, Array]:
    """All arrays of an npz file."""
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def load(folder: str | Path) -> dict[str, Array]:
    """All finished tasks of a directory, in order of their seeds."""
    files = sorted(Path(folder).glob("tasks-*.npz"))
    if not files:
        raise FileNotFoundError(f"no shards in {folder}")
    parts = [read(path) for path in files]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def pending(folder: Path, first: int, last: int, settings: Settings) -> list[Shard]:
    """Shards of the seeds ``first`` to ``last`` (excluded) that are still to be made."""
    if first % SHARD or last % SHARD or not 0 <= first < last:
        raise SystemExit(f"--seeds must be a:b with a < b, multiples of {SHARD}, not {first}:{last}")
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / "settings.json"
    if note.exists() and json.loads(note.read_text()) != asdict(settings):
        raise SystemExit(f"{folder} holds shards made with other settings: {note.read_text()}")
    note.write_text(json.dumps(asdict(settings)))
    shards = [Shard(seed, folder, settings) for seed in range(first, last, SHARD)]
    return [shard for shard in shards if not shard.path.exists()]


def run(shards: list[Shard], jobs: int) -> Iterator[tuple[Shard, float, list[str]]]:
    """Make shards in parallel, in whatever order they finish."""
    with workers(jobs, renewed=5) as pool:
        yield from pool.imap_unordered(make_shard, shards)


def main(argv: list[str] | None = None) -> int:
    """Read the command line and make the tasks; 1 if any failed."""
    parser = argparse.ArgumentParser(description="Make training tasks and their features.")
    parser.add_argument("--features", required=True, metavar="MODULE:FUNCTION", help="from Task to a dict of arrays")
    parser.add_argument("--out", required=True, type=Path, help="directory of the shards")
    parser.add_argument("--seeds", required=True, metavar="A:B", help=f"multiples of {SHARD}; B is excluded")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--families", choices=[*LISTS, *FAMILIES], default="plain", help="those to choose from")
    parser.add_argument("--effort", type=float, default=1.0, help="multiplies the examples behind the truth")
    given = parser.parse_args(argv)
    first, _, last = given.seeds.partition(":")
    if not (first.isdigit() and last.isdigit()):
        parser.error(f"--seeds must be A:B, not {given.seeds!r}")
    load_function(given.features)  # a misspelt name should fail here, not in every worker
    settings = Settings(given.features, given.families, given.effort)
    shards = pending(given.out, int(first), int(last), settings)
    failed = 0
    for number, (shard, seconds, failures) in enumerate(run(shards, given.jobs), 1):
        failed += len(failures)
        for trace in failures:
            print(trace, file=sys.stderr, flush=True)
        print(f"{number}/{len(shards)}  {shard.path.name}  {seconds:.0f} s", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
