"""From recorded tasks to what the network is trained on.

    python -m training.features --tasks cache/raw --out cache/features --jobs 2

Each task gives a few examples of training: its evidence as it is, and random parts of its classes, for which the
truth is known as well. One npz file a task; those already there are skipped.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from rankcast import Evidence
from rankcast.pretrained.describe import describe

from .generate import read, write
from .sampling import Array, Ints, Reals, Rng, log_integer
from .workers import failures

RATIOS = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
MOST_ROWS = 1024
FEWEST_CLASSES = 20
PARTS = 3  # of a task: two of any size, and a large one
KINDS = ("all", *(f"part{number}" for number in range(PARTS)))


def truth_at(file: dict[str, Array], k: Ints) -> tuple[Reals, Reals]:
    """The truth among k classes and its standard error, read off the fine ladder; NaN beyond it."""
    known = np.log(file["k"])
    at = np.log(k)
    edge = 1e-6
    probit = np.interp(at, known, ndtri(np.clip(file["truth"], edge, 1 - edge)), right=np.nan)
    return ndtr(probit), np.interp(at, known, file["error"], right=np.nan)


def measured(file: dict[str, Array], k: int, rng: Rng) -> Evidence:
    """Evidence on k random classes, at least one of which has a test example, with some of their examples at most."""
    label = file["label"]
    own = label[rng.integers(len(label))]
    others = rng.permutation(np.delete(np.arange(file["scores"].shape[1]), own))[: k - 1]
    classes = np.sort(np.append(others, own))
    rows = rng.permutation(np.nonzero(np.isin(label, classes))[0])[:MOST_ROWS]
    return Evidence.from_scores(file["scores"][np.ix_(rows, classes)], np.searchsorted(classes, label[rows]))


def described(evidence: Evidence, file: dict[str, Array], rng: Rng) -> dict[str, Array]:
    """Features of evidence, and the truth about it."""
    found = describe(evidence, rng)
    truth, error = truth_at(file, evidence.k1 * RATIOS)
    return {
        "example": found.example.astype(np.float32),
        "z": found.z.astype(np.float32),
        "spread": found.spread.astype(np.float32),
        "context": found.context.astype(np.float32),
        "weight": evidence.weight.astype(np.float32),
        "label": evidence.label.astype(np.int32),
        "k1": np.array(evidence.k1),
        "truth": truth,
        "error": error,
    }


def extract(path: Path, out: Path) -> None:
    """Describe one recorded task, and parts of its classes."""
    file = read(path)
    rng = np.random.default_rng([int(file["seed"]), 10])
    k1 = file["scores"].shape[1]
    sizes = {"all": k1}
    if k1 >= 2 * FEWEST_CLASSES:
        smallest = (FEWEST_CLASSES, FEWEST_CLASSES, max(FEWEST_CLASSES, k1 // 5))
        sizes |= {kind: log_integer(rng, low, int(k1 / 1.5)) for kind, low in zip(KINDS[1:], smallest, strict=True)}
    columns: dict[str, Array] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, k in sizes.items():
            found = described(measured(file, k, rng), file, rng)
            columns |= {f"{kind}_{name}": value for name, value in found.items()}
    origin = {name: file[name] for name in ("family", "held_out", "score", "seed")}
    write(out, columns | origin, compressed=False)


def _work(job: tuple[Path, Path]) -> str:
    try:
        extract(*job)
    except Exception as problem:  # one odd task should not end a long run
        return f"{job[0].name}: {problem!r}"
    return ""


def main(argv: list[str] | None = None) -> int:
    """Read the command line and describe all tasks that are not described yet."""
    parser = argparse.ArgumentParser(description="Describe recorded tasks.")
    parser.add_argument("--tasks", required=True, type=Path, help="folder of recorded tasks")
    parser.add_argument("--out", required=True, type=Path, help="folder of features")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args(argv)
    given.out.mkdir(parents=True, exist_ok=True)
    jobs = [(path, given.out / path.name) for path in sorted(given.tasks.glob("[0-9]*.npz"))]
    jobs = [job for job in jobs if not job[1].exists()]
    return int(failures(_work, jobs, given.jobs, renewed=500) > 0)


if __name__ == "__main__":
    sys.exit(main())
