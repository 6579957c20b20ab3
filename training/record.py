"""Keep tasks as they are, so that features can be changed without making the tasks again.

    RANKCAST_TASKS=cache/raw python -m training.generate --features training.record:record --out cache/index ...

One npz file a task: scores of at most 2048 test examples, their labels, and the truth on a fine ladder of k.
"""

import os
from pathlib import Path

import numpy as np

from .generate import write
from .sampling import Array, Ints
from .tasks import Task

MOST_ROWS = 2048
RUNGS = 40
FOLDER = "RANKCAST_TASKS"


def fine_ladder(most: int) -> Ints:
    """Numbers of classes from 2 to ``most``, evenly spaced on a logarithmic scale."""
    return np.unique(np.rint(np.geomspace(2, most, RUNGS)).astype(np.int64))


def record(task: Task) -> dict[str, Array]:
    """Write the task to the folder named by ``RANKCAST_TASKS``; no features."""
    folder = Path(os.environ[FOLDER])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([task.seed, 9])
    n = len(task.evidence)
    rows = np.sort(rng.permutation(n)[:MOST_ROWS])
    k = fine_ladder(int(task.tally.rivals[-1]) + 1)
    truth, error = task.tally.accuracy(k)
    assert task.evidence.scores is not None
    scores = task.evidence.scores.take(rows, np.arange(task.evidence.k1)).block(slice(0, len(rows)))
    columns = {
        "scores": scores.astype(np.float32),
        "label": task.evidence.label[rows].astype(np.int32),
        "k": k,
        "truth": truth,
        "error": error,
        "oracle": task.oracle_tally.accuracy(k, task.evidence.weight[task.oracle_rows])[0],
        "oracle_examples": np.array(len(task.oracle_rows)),
        "family": np.array(task.family),
        "held_out": np.array(task.held_out),
        "score": np.array(task.facts["score"]),
        "seed": np.array(task.seed),
    }
    write(folder / f"{task.seed:08d}.npz", columns, compressed=False)
    return {}
