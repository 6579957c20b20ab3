"""Compare sets of networks on data that a choice may be based on: misspelt words, Hangul, and normal vectors.

    python -m training.develop --out cache/development --nets package cache/nets cache/newest

describes the evidence once, and prints root mean square errors and biases of each set: ``package`` is what ships,
others are folders. None of it is what `auto` is tested on: normal vectors are of other dimensions than the paper's.
"""

import argparse
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq

from benchmarks._development import hangul, words
from rankcast import Evidence, curve
from rankcast.datasets import gaussian
from rankcast.pretrained.network import Network, averaged, networks, opinions

from .calibrate import evidence_of, read_networks, seen_of
from .features import RATIOS, described
from .generate import read, write
from .record import fine_ladder
from .sampling import Array
from .train import load

DRAWS = 20
SIZES = (100, 500, 2000)
TESTED = 4000  # examples that the truth of real data is averaged over
REAL = {
    "words, 2 edits": (words, 2),
    "words, 3 edits": (words, 3),
    "Hangul, same typeface": (hangul, False),
    "Hangul, another typeface": (hangul, True),
}
DIMENSIONS, ACCURACIES = (5, 16, 30, 60), (0.5, 0.85)  # of normal vectors; accuracy among 500 of them
SHOWN = [0, 1, 2, 4, 6]  # of the ladder: once, twice, 5, 20 and 100 times the classes measured


@dataclass(frozen=True)
class Job:
    """One piece of evidence: its group, the number of classes, and which draw."""

    group: str
    k1: int
    draw: int


def groups() -> list[str]:
    """Real data by name, and normal vectors by their dimension."""
    return [*REAL, *(f"normal, {p}" for p in DIMENSIONS)]


def _truth(k: Array, gallery: Array, probes: Array) -> Array:
    rows = np.random.default_rng(0).permutation(len(gallery))[:TESTED]
    return np.asarray(curve(Evidence.from_embeddings(gallery, np.arange(len(gallery)), probes[rows], rows), k))


def _noise(accuracy: float, p: int) -> float:
    return float(np.exp(brentq(lambda log: gaussian.aga(500, np.exp(log), p) - accuracy, -6, 2, xtol=1e-3)))


def prepare(group: str, out: Path) -> None:
    """The truth of a group on a fine ladder of k."""
    path = out / f"truth {group}.npz"
    if path.exists():
        return
    if group in REAL:
        make, setting = REAL[group]
        gallery, probes = make(setting)
        k = fine_ladder(len(gallery))
        write(path, {"k": k, "truth": _truth(k, gallery, probes)})
        return
    p, k = int(group.split()[-1]), fine_ladder(500_000)
    noise = np.array([_noise(each, p) for each in ACCURACIES])
    write(path, {"k": k, "truth": np.stack([gaussian.aga(k, each, p) for each in noise]), "noise": noise})


def _evidence(job: Job, noise: Array | None) -> Evidence:
    rng = np.random.default_rng([job.k1, job.draw])
    if noise is not None:
        return gaussian.simulate(job.k1, noise[job.draw % len(noise)], int(job.group.split()[-1]), rng)
    make, setting = REAL[job.group]
    gallery, probes = make(setting)
    rows = rng.permutation(len(gallery))[: job.k1]
    return Evidence.from_embeddings(gallery[rows], np.arange(job.k1), probes[rows], np.arange(job.k1))


def describe(job: Job, out: Path) -> None:
    """Write features of one piece of evidence, as ``features`` does."""
    path = out / f"{groups().index(job.group)}{job.k1:05d}{job.draw:03d}.npz"
    if path.exists():
        return
    known = read(out / f"truth {job.group}.npz")
    noise = known.get("noise")
    truth = known["truth"] if noise is None else known["truth"][job.draw % len(noise)]
    evidence = _evidence(job, noise)
    about = {"k": known["k"], "truth": truth, "error": np.zeros(len(truth))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = described(evidence, about, np.random.default_rng(job.draw))
    columns = {f"all_{name}": value for name, value in found.items()}
    origin = {"family": np.array(job.group), "score": np.array("distance"), "seed": np.array(job.draw)}
    write(path, columns | origin, compressed=False)


def forecast(task: dict[str, Any], nets: list[Network]) -> Array:
    """What the networks, and what counts beside them, make of a described task at each rung."""
    evidence, seen = evidence_of(task), seen_of(task, "scores")
    fit = averaged(opinions(nets, seen, evidence.weight, evidence.k1), evidence.weight)
    return np.asarray(fit.value(evidence.k1 * RATIOS))


def nets_of(name: str) -> list[Network]:
    """The networks of the package, or those of a folder that are for scores."""
    if name == "package":
        return list(networks("scores"))
    return read_networks(Path(name), "scores", "*")


def lines(tasks: list[dict[str, Any]], found: dict[str, Array]) -> list[str]:
    """Root mean square errors and biases of each set: by group and size, and their means over groups."""
    truth = np.stack([task["truth"] for task in tasks])
    rungs = [int(RATIOS[rung]) for rung in SHOWN]
    made = ["| evidence | networks | " + " | ".join(f"{each}×" for each in rungs) + " |", "|---|---" + "|---" * 5 + "|"]
    for k1 in SIZES:
        means: dict[str, list[Array]] = {name: [] for name in found}
        for group in groups():
            mine = np.array([task["family"] == group and task["k1"] == k1 for task in tasks])
            if not mine.any():
                continue
            for name, forecasts in found.items():
                off = (forecasts[mine] - truth[mine])[:, SHOWN]
                rmse, bias = np.sqrt((off**2).mean(axis=0)), off.mean(axis=0)
                means[name].append(rmse)
                cells = ["–" if np.isnan(r) else f"{r:.4f} ({b:+.3f})" for r, b in zip(rmse, bias, strict=True)]
                made.append(f"| {group}, {k1:,} | {name} | " + " | ".join(cells) + " |")
        for name, each in means.items():
            if each:
                mean = np.ma.masked_invalid(each).mean(axis=0).filled(np.nan)
                cells = ["–" if np.isnan(value) else f"{value:.4f}" for value in mean]
                made.append(f"| mean, {k1:,} | {name} | " + " | ".join(cells) + " |")
    return made


def main(argv: list[str] | None = None) -> None:
    """Read the command line, describe what is not described yet, and compare."""
    parser = argparse.ArgumentParser(description="Compare sets of networks on data to develop on.")
    parser.add_argument("--out", required=True, type=Path, help="folder of described evidence")
    parser.add_argument("--nets", required=True, nargs="+", help="'package', or folders of networks")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args(argv)
    given.out.mkdir(parents=True, exist_ok=True)
    jobs = [Job(group, k1, draw) for group in groups() for k1 in SIZES for draw in range(DRAWS)]
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
        list(pool.map(prepare, groups(), repeat(given.out)))
        list(pool.map(describe, jobs, repeat(given.out), chunksize=DRAWS))
        tasks = load(given.out)
        found = {
            name: np.stack(list(pool.map(forecast, tasks, repeat(nets_of(name)), chunksize=40))) for name in given.nets
        }
    print("\n".join(lines(tasks, found)))


if __name__ == "__main__":
    main()
