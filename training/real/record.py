"""Record tasks of real populations: evidence on some of their classes, and the truth about them all.

    python -m training.real.record --material cache/material --out cache/raw3 --kinds emoji verses --seeds 0:60

One npz file a task, as ``training.record`` writes them. Those already there are skipped.
"""

import argparse
import sys
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from rankcast import Evidence
from rankcast.curve import example_values
from rankcast.metrics import TOP1

from ..generate import write
from ..ingredients import ANY_SCORE
from ..matching import DISTANCES, Report
from ..record import MOST_ROWS, fine_ladder
from ..sampling import Array, Reals, Rng, Vectors, log_integer, pick
from ..workers import failures
from .kinds import KINDS

SIZES = (40, 4000)  # classes measured
TESTED = 4000  # examples that the truth is averaged over
DRAWS = 2  # tasks of a population
ACCURACIES = (0.015, 0.9995)  # among the classes measured
TRIES = 6
LINEAR = ("classifiers", "clozes", "hands", "readers", "taught")  # kinds whose scores are inner products
POINTS = ("positions",)  # kinds where nothing but distance makes sense


def truth_of(gallery: Vectors, tests: Vectors, similarity: str, rng: Rng) -> tuple[Array, Reals, Reals]:
    """A fine ladder of k, accuracy among k classes of the population, and its standard error."""
    each, n, _ = tests.shape
    tested = rng.permutation(n)[: TESTED // each]
    probes, owner = tests[:, tested].reshape(each * len(tested), -1), np.tile(tested, each)
    exact = Evidence.from_embeddings(gallery, np.arange(n), probes, owner, similarity=similarity)
    k = fine_ladder(n)
    chance = example_values(exact, k, TOP1).reshape(each, len(tested), -1).mean(axis=0)
    error = chance.std(axis=0) * np.sqrt((1 - len(tested) / n) / len(tested))
    return k, chance.mean(axis=0), error


def reported(scores: Array, kind: str, similarity: str, rng: Rng) -> tuple[Array, str]:
    """Scores as a system may report them: with the same ranks, in other units; classifiers often as probabilities."""
    softmax = 0.5 if kind in LINEAR else 0.1
    report = Report.draw(rng, similarity in DISTANCES, softmax)
    while report.kind == "rounded":  # its ties would need another truth
        report = Report.draw(rng, similarity in DISTANCES, softmax)
    return report.fitted(scores[:100]).apply(scores.astype(float)), report.kind


def tasks(kind: str, seed: int, material: Path) -> list[dict[str, Array]]:
    """Evidence on random classes of a random population of this kind, and the truth."""
    number = zlib.crc32(kind.encode()) % 9000
    rng = np.random.default_rng([seed, 12, *kind.encode()])
    gallery, tests = KINDS[kind](rng, material)
    tests = tests.reshape(-1, *gallery.shape)  # examples × classes × features
    choice = dict.fromkeys(DISTANCES, 1.0) if kind in POINTS else ANY_SCORE
    similarity = "dot" if kind in LINEAR else pick(rng, choice)
    n = len(gallery)
    k, truth, error = truth_of(gallery, tests, similarity, rng)
    found: list[dict[str, Array]] = []
    for _ in range(TRIES):
        k1 = log_integer(rng, SIZES[0], min(SIZES[1], n // 4))
        if len(found) == DRAWS or not ACCURACIES[0] < np.interp(np.log(k1), np.log(k), truth) < ACCURACIES[1]:
            continue
        chosen = rng.permutation(n)[:k1]
        each = log_integer(rng, 1, len(tests))
        views = rng.permuted(np.tile(np.arange(len(tests))[:, None], k1), axis=0)[:each]  # other ones of each class
        probes = tests[views, chosen].reshape(each * k1, -1)
        rows = np.sort(rng.permutation(len(probes))[:MOST_ROWS])
        evidence = Evidence.from_embeddings(
            gallery[chosen], np.arange(k1), probes[rows], rows % k1, similarity=similarity
        )
        assert evidence.scores is not None
        scores, report = reported(evidence.scores.block(slice(0, len(rows))), kind, similarity, rng)
        found.append(
            {
                "scores": scores.astype(np.float32),
                "label": (rows % k1).astype(np.int32),
                "k": k,
                "truth": truth,
                "error": error,
                "family": np.array(kind),
                "held_out": np.array(False),
                "score": np.array(f"{similarity}, {report}"),
                "seed": np.array(1_000_000 + 10_000 * number + 10 * seed + len(found)),
            }
        )
    return found


def _work(job: tuple[str, Callable[[], list[dict[str, Array]]], Path]) -> str:
    name, make, out = job
    done = out / f"{name}.done"
    if done.exists():
        return ""
    try:
        for task in make():
            write(out / f"{int(task['seed']):08d}.npz", task, compressed=False)
        done.touch()
    except Exception as problem:  # one odd population should not end a long run
        return f"{name}: {problem!r}"
    return ""


def record(makers: dict[str, Callable[[], list[dict[str, Array]]]], out: Path, processes: int) -> int:
    """Write the tasks of each population, by its name; 1 if any failed."""
    out.mkdir(parents=True, exist_ok=True)
    return int(failures(_work, [(name, make, out) for name, make in makers.items()], processes) > 0)


def arguments(description: str, seeds: str) -> argparse.ArgumentParser:
    """What to record, from what and where to."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--material", required=True, type=Path, help="folder of what populations are made of")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--seeds", type=_seeds, default=seeds, help="first:last of the populations of each kind")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    return parser


def _seeds(given: str) -> range:
    return range(*map(int, given.split(":")))


def main(argv: list[str] | None = None) -> int:
    """Read the command line and record."""
    parser = arguments("Record tasks of real populations.", "0:40")
    parser.add_argument("--kinds", nargs="+", default=sorted(KINDS), choices=sorted(KINDS))
    given = parser.parse_args(argv)
    makers = {
        f"{kind}-{seed}": partial(tasks, kind, seed, given.material) for seed in given.seeds for kind in given.kinds
    }
    return record(makers, given.out, given.jobs)


if __name__ == "__main__":
    sys.exit(main())
