"""Speed of the kernel methods, beside R, and how it grows with the number of rivals."""

import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np

from rankcast import Evidence, bandwidth, cross_validation
from rankcast.datasets import gaussian
from rankcast.methods.kde import Kde, KdeBcv, KdePlcv, KdeUcv

R_SECONDS = {"kde-bcv": 8.6, "kde-ucv": 8.4}  # CPU, k₁ = 5000, one test example per class
RIVALS = (500, 5_000, 50_000)
ROWS = 256


def _least(task: Callable[[], object], repeats: int) -> float:
    """CPU seconds of the fastest run: the others were slowed down by whatever else the machine did."""
    task()
    times = []
    for _ in range(repeats):
        started = time.process_time()
        task()
        times.append(time.process_time() - started)
    return min(times)


def _scores(classes: int, tests: int, noise: float) -> np.ndarray:
    train, test = gaussian.draw(classes, noise, rng=0)
    test = test[:tests]
    return 2 * test @ train.T - (train**2).sum(axis=1) - (test**2).sum(axis=1)[:, None]


def _fits(noise: float, methods: tuple[Kde, ...]) -> dict[str, dict[str, float]]:
    """CPU seconds and peak MB of a fit at k₁ = 5000, the scores themselves not counted."""
    evidence = Evidence.from_scores(_scores(5000, 5000, noise), np.arange(5000))
    rng = np.random.default_rng(0)
    found = {"accuracy": {"measured": evidence.accuracy}}
    for method in methods:
        seconds = _least(lambda method=method: method.fit(evidence, rng), 7 if method.name in R_SECONDS else 1)
        tracemalloc.start()
        method.fit(evidence, rng)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        found[method.name] = {"cpu_seconds": seconds, "peak_mb": peak / 1e6}
    return found


def _growth(rivals: int) -> dict[str, float]:
    """Microseconds for each example: all, and of that the criterion and its search, once scores are in bins."""
    evidence = Evidence.from_scores(_scores(rivals + 1, ROWS, 0.1), np.arange(ROWS))
    parts: list[float] = []

    def timed(function: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object) -> object:
            started = time.process_time()
            result = function(*arguments)
            parts[-1] += time.process_time() - started
            return result

        return run

    def fit() -> None:
        parts.append(0.0)
        KdeUcv().fit(evidence, np.random.default_rng(0))

    with (
        patch.object(cross_validation, "power_spectrum", timed(cross_validation.power_spectrum)),
        patch.object(cross_validation, "from_spectrum", timed(cross_validation.from_spectrum)),
        patch.object(bandwidth, "_lowest", timed(bandwidth._lowest)),
    ):
        total = _least(fit, 15)
    scale = 1e6 / ROWS
    return {"rivals": rivals, "all": total * scale, "criterion": min(parts) * scale}


def measure() -> dict[str, object]:
    return {
        "good": _fits(0.1, (KdeBcv(), KdeUcv(), KdePlcv())),
        "poor": _fits(0.5, (KdeBcv(), KdeUcv())),
        "growth": [_growth(rivals) for rivals in RIVALS],
        "r_cpu_seconds": R_SECONDS,
    }


def run() -> dict[str, object]:
    # a process of its own, because the number of threads is fixed when numpy is imported
    code = "import json; from benchmarks import kde_speed; print(json.dumps(kde_speed.measure()))"
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **one}
    )
    return dict(json.loads(out.stdout))


def page(result: dict[str, Any]) -> str:
    lines = [
        "# Speed of the kernel methods",
        "",
        "A fit at k₁ = 5000, one test example per class, one thread. Memory is what a fit adds to the scores.",
        "",
        "| method | accurate system | poor system | R | faster than R | memory |",
        "|---|---|---|---|---|---|",
    ]
    for name in ("kde-bcv", "kde-ucv", "kde-plcv"):
        good, rival = result["good"][name], result["r_cpu_seconds"].get(name)
        poor = f"{result['poor'][name]['cpu_seconds']:.2f} CPU-s" if name in result["poor"] else "–"
        against = f"{rival} CPU-s | {rival / good['cpu_seconds']:.0f}×" if rival else "– | –"
        lines.append(f"| `{name}` | {good['cpu_seconds']:.2f} CPU-s | {poor} | {against} | {good['peak_mb']:.0f} MB |")
    accuracy = [result[system]["accuracy"]["measured"] for system in ("good", "poor")]
    lines += [
        "",
        f"The accurate system has a top-1 accuracy of {accuracy[0]:.2f}, the poor one of {accuracy[1]:.2f}: "
        "the more rivals score near the truth, the more kernels have to be evaluated.",
        "",
        "How the cost of `kde-ucv` for one example grows with its rivals, in microseconds:",
        "",
        "| rivals | criterion and search, after binning | all the rest: reading, binning, the integral |",
        "|---|---|---|",
    ]
    for row in result["growth"]:
        lines.append(f"| {row['rivals']:,} | {row['criterion']:.0f} | {row['all'] - row['criterion']:.0f} |")
    return "\n".join(lines) + "\n"
