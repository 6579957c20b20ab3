"""Ranking at scale: beside the bare matrix product, what a user would write, exact faiss search, and the authors' R.

It takes nine minutes of a quiet core, and leaves faiss out if it is not installed. ``RANKCAST_SHORT=1`` makes do with a
fifth of that; the page says the sizes.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks._scale_page import page
from rankcast import Evidence, forecast
from rankcast.datasets import gaussian
from rankcast.kernel import TILE_COLUMNS, TILE_ROWS

__all__ = ["page", "run"]

PROBES, GALLERY = 20_000, 200_000
R_RANKS = 0.25  # CPU seconds of the authors' R routine on 5000 × 5000 when the scores are given: part of its work
R_EMBEDDINGS = 4.6  # … from embeddings at d = 128
HERE = Path(__file__).resolve()


def _vectors(probes: int, gallery: int, d: int, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A gallery of unit vectors, float32, and probes near one of them each."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((gallery, d), np.float32) / np.float32(np.sqrt(d))
    label = rng.integers(gallery, size=probes)
    tests = vectors[label] + np.float32(noise / np.sqrt(d)) * rng.standard_normal((probes, d), np.float32)
    return vectors, tests, label


def _timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _bare(gallery: np.ndarray, probes: np.ndarray) -> None:
    """The products of the same tiles, and nothing else."""
    out = np.empty((TILE_ROWS, TILE_COLUMNS), np.float32)
    for p in range(0, len(probes), TILE_COLUMNS):
        tests = probes[p : p + TILE_COLUMNS]
        for g in range(0, len(gallery), TILE_ROWS):
            tile = gallery[g : g + TILE_ROWS]
            np.matmul(tile, tests.T, out=out[: len(tile), : len(tests)])


def _plain(gallery: np.ndarray, probes: np.ndarray, label: np.ndarray) -> np.ndarray:
    """What a user would write: chunks of probes against the whole gallery. It miscounts near-ties."""
    beaten = []
    for start in range(0, len(probes), 256):
        scores = probes[start : start + 256] @ gallery.T
        truth = np.take_along_axis(scores, label[start : start + 256, None], axis=1)
        beaten.append((scores < truth).sum(axis=1))
    return np.concatenate(beaten)


def product(d: int, probes: int, gallery: int, rounds: int) -> dict[str, object]:
    """CPU seconds of the fused kernel, the bare product and the plain numpy way, in one thread.

    All three are measured in turn, round after round, so that a busy machine disturbs them alike.
    """
    vectors, tests, label = _vectors(probes, gallery, d, noise=2.5)
    names = np.arange(gallery)
    _bare(vectors[:5000], tests[:1024])
    Evidence.from_embeddings(vectors[:5000], names[:5000], tests[:1024], names[:1024], similarity="dot")  # imports
    times: dict[str, list[float]] = {"fused": [], "bare": [], "plain": []}
    wrong = []
    rank = partial(Evidence.from_embeddings, vectors, names, tests, label, similarity="dot", weighting="example")
    few = probes // 4
    for _ in range(rounds):
        made: list[Evidence] = []
        times["bare"].append(_timed(lambda: _bare(vectors, tests)))
        times["fused"].append(_timed(lambda: made.append(rank())))  # noqa: B023
        found: list[np.ndarray] = []
        times["plain"].append(4 * _timed(lambda: found.append(_plain(vectors, tests[:few], label[:few]))))  # noqa: B023
        wrong.append(float(np.mean(found[0] != made[0].beaten[:few])))
    return {"d": d, "pairs": probes * gallery, "times": times, "plain_wrong": float(np.mean(wrong))}


def search(probes: int, gallery: int, d: int = 128) -> dict[str, float]:
    """CPU seconds for the ranks of some probes, by us and by exact faiss search as deep as the worst rank."""
    import faiss

    faiss.omp_set_num_threads(1)
    vectors, tests, label = _vectors(20 * probes, gallery, d, noise=4.0)
    names = np.arange(gallery)
    made: list[Evidence] = []
    ours = _timed(lambda: made.append(Evidence.from_embeddings(vectors, names, tests, label, similarity="dot"))) / 20
    depth = int((made[0].rivals - made[0].beaten)[:probes].max()) + 1
    index = faiss.IndexFlatIP(d)
    index.add(vectors)
    found: list[np.ndarray] = []
    theirs = _timed(lambda: found.append(index.search(tests[:probes], depth)[1]))
    place = (found[0] == label[:probes, None]).argmax(axis=1)
    agree = float(np.mean(place == (made[0].rivals - made[0].beaten)[:probes]))
    return {"probes": probes, "gallery": gallery, "depth": depth, "ours": ours, "faiss": theirs, "agree": agree}


def small() -> dict[str, float]:
    """CPU seconds for 5000 × 5000 at d = 10 and 128, as in the figures of R, and of 2000 bootstrap replicates."""
    found = {}
    for d in (10, 128):
        vectors, tests, _ = _vectors(5000, 5000, d, noise=1.0)
        names = np.arange(5000)
        times = [_timed(lambda: Evidence.from_embeddings(vectors, names, tests, names)) for _ in range(5)]  # noqa: B023
        found[f"ours_{d}"] = min(times)
    evidence = gaussian.simulate(5000, 0.1, rng=0)
    found["bootstrap"] = _timed(lambda: forecast(evidence, [10**4, 10**5], method="classexreg", replicates=2000, rng=0))
    return found


def growth(power: int, d: int = 8) -> dict[str, float]:
    """CPU seconds and memory beside the inputs for 10^power pairs under a budget of 100 MB."""
    gallery = 10 ** (power // 2 + 1)
    probes = 10**power // gallery
    vectors, tests, label = _vectors(probes, gallery, d, noise=0.3)
    names = np.arange(gallery)
    Evidence.from_embeddings(vectors[:1000], names[:1000], tests[:9], np.arange(9))  # imports and buffers of BLAS
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = _timed(lambda: Evidence.from_embeddings(vectors, names, tests, label, memory="100MB"))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "pairs": probes * gallery,
        "probes": probes,
        "gallery": gallery,
        "seconds": seconds,
        "mb": (after - before) / 1000,
    }


def workers(probes: int, gallery: int, d: int = 128) -> dict[str, float]:
    """Wall seconds of one and of two Dask worker processes, turn about, from files."""
    from rankcast import cluster

    vectors, tests, label = _vectors(probes, gallery, d, noise=2.5)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    with TemporaryDirectory() as folder:
        np.save(f"{folder}/g.npy", vectors)
        np.save(f"{folder}/p.npy", tests)
        for number in 4 * (1, 2):
            with cluster.connect(workers=number) as pool:
                small = np.arange(2000)
                pool.from_embeddings(vectors[:2000], small, tests[:9], small[:9])  # imports in the workers
                started = time.perf_counter()
                pool.from_embeddings(f"{folder}/g.npy", np.arange(gallery), f"{folder}/p.npy", label)
                seconds[number].append(time.perf_counter() - started)
    load = os.getloadavg()[0]
    return {"one": min(seconds[1]), "two": min(seconds[2]), "load": load, "cores": float(os.cpu_count() or 1)}


def _alone(call: str) -> dict[str, Any]:
    """Run in a process of its own, with one thread."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    code = f"import json, benchmarks.scale as b\nif __name__ == '__main__':\n    print(json.dumps(b.{call}))"
    with TemporaryDirectory() as folder:
        script = Path(folder) / "measure.py"
        script.write_text(code)
        root = str(HERE.parents[1])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH")]))
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, check=True, env=environment
        )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def run() -> dict[str, object]:
    short = bool(os.environ.get("RANKCAST_SHORT"))
    size = "8192, 102000" if short else f"{PROBES}, {GALLERY}"
    powers = (8, 9, 10) if short else (8, 9, 10, 11)
    return {
        "short": short,
        "tile": [TILE_ROWS, TILE_COLUMNS],
        "load": os.getloadavg()[0],
        "numba": find_spec("numba") is not None,
        "products": [_alone(f"product({d}, {size}, {rounds})") for d, rounds in ((128, 4), (512, 2))],
        "search": _alone(f"search(48, {GALLERY})") if find_spec("faiss") else None,
        "small": _alone("small()") | {"r_ranks": R_RANKS, "r_embeddings": R_EMBEDDINGS},
        "growth": [_alone(f"growth({power})") for power in powers],
        "workers": _alone("workers(4000, 100000)" if short else f"workers({PROBES}, {GALLERY // 2})"),
    }
