"""Every method on every real data set, and on the paper's simulation: RMSE, bias and seconds."""

import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks._data import Problem, problems, simulated, telugu
from rankcast.errors import MissingExtraError
from rankcast.methods import REGISTRY

CACHE = Path(__file__).resolve().parents[1] / ".cache" / "methods_on_data"  # delete it to measure anew
DRAWS = 20
SEEDS = 5  # for Telugu, where only the seed of the method varies
SIGMA2 = (0.05, 0.1, 0.2, 0.3, 0.5)


@cache
def _all() -> list[Problem]:
    return [*problems(), *simulated(SIGMA2, 500, (1000, 2000, 5000, 10_000)), *telugu()]


def _draw(job: tuple[int, int]) -> dict[str, tuple[list[float], float]]:
    """Forecast and CPU seconds of every method on one draw of one problem; what was measured before is kept."""
    index, draw = job
    problem = _all()[index]
    store = CACHE / f"{problem.name}-{problem.k1}-{draw}.json".replace(" ", "_")
    found = json.loads(store.read_text()) if store.exists() else {}
    missing = [name for name in REGISTRY if name not in found]
    evidence = problem.draw(np.random.default_rng([index, draw])) if missing else None
    for name in missing:
        started = time.process_time()
        try:
            fit = REGISTRY[name]().fit(evidence, np.random.default_rng([index, draw, 1]))
        except MissingExtraError:
            continue
        taken = time.process_time() - started
        found[name] = (np.clip(fit.value(list(problem.k2)), 0, 1).tolist(), taken)
        store.write_text(json.dumps(found))
    return found


def _draws(problem: Problem) -> int:
    return SEEDS if problem.name.startswith("Telugu") else DRAWS


def _one_thread() -> None:
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)


def run() -> list[dict[str, object]]:
    jobs = [(index, draw) for index, problem in enumerate(_all()) for draw in range(_draws(problem))]
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    CACHE.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(os.cpu_count(), initializer=_one_thread) as pool:
        results = dict(zip(jobs, pool.map(_draw, jobs), strict=True))
    rows = []
    for index, problem in enumerate(_all()):
        draws = [results[index, draw] for draw in range(_draws(problem))]
        for name in draws[0]:
            errors = np.array([draw[name][0] for draw in draws]) - problem.truth
            rows.append(
                {
                    "data": problem.name,
                    "k1": problem.k1,
                    "k2": list(problem.k2),
                    "truth": list(problem.truth),
                    "method": name,
                    "rmse": np.sqrt((errors**2).mean(axis=0)).tolist(),
                    "bias": errors.mean(axis=0).tolist(),
                    "cpu_seconds": float(np.mean([draw[name][1] for draw in draws])),
                }
            )
    return rows


def page(rows: list[dict]) -> str:
    names = list(dict.fromkeys(row["method"] for row in rows))
    lines = [
        "# Every method on every data set",
        "",
        f"RMSE (and, below it, bias) over {DRAWS} random draws of k₁ classes, one test example of each unless the data",
        "set has more. The truth of the real data is the exact accuracy on all classes; the Gaussian rows are the",
        "paper's simulation with exact truth; for Telugu there is one measurement, and only the seed varies (five).",
        "The smallest RMSE is bold.",
        "",
        "| data, k₁ → k₂ | truth | " + " | ".join(names) + " |",
        "|---|---|" + "---|" * len(names),
    ]
    seconds = ["| CPU seconds per fit |  |"]
    for data, k1 in dict.fromkeys((row["data"], row["k1"]) for row in rows):
        mine = {row["method"]: row for row in rows if (row["data"], row["k1"]) == (data, k1)}
        first = next(iter(mine.values()))
        for column, (k2, truth) in enumerate(zip(first["k2"], first["truth"], strict=True)):
            best = min(row["rmse"][column] for row in mine.values())
            cells = []
            for name in names:
                rmse, bias = mine[name]["rmse"][column], mine[name]["bias"][column]
                value = f"**{rmse:.3f}**" if rmse == best else f"{rmse:.3f}"
                cells.append(f"{value}<br>{bias:+.3f}")
            lines.append(f"| {data} {k1} → {k2:,} | {truth:.3f} | " + " | ".join(cells) + " |")
    for name in names:
        seconds.append(f" {np.mean([row['cpu_seconds'] for row in rows if row['method'] == name]):.2f} |")
    return "\n".join([*lines, "".join(seconds)])
