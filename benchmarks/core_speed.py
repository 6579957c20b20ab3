"""Speed of the exact curve and of ClassExReg, beside the authors' R package."""

import resource
import subprocess
import sys
import time

import numpy as np

from rankcast import Evidence, curve
from rankcast.datasets import gaussian
from rankcast.methods.classexreg import ClassExReg

R_CLASSEXREG = 6.4  # CPU seconds of the R package at k₁ = 5000: basis 4.4, ranks and 20 resamples 2.0


def _curve() -> tuple[float, float]:
    """Seconds and peak GB for all k ≤ 100,000 with 1,000,000 test examples."""
    rng = np.random.default_rng(0)
    classes = 100_000
    beaten = rng.binomial(classes - 1, rng.beta(20, 0.5, 1_000_000))
    evidence = Evidence.from_ranks(classes - beaten, classes)
    started = time.perf_counter()
    curve(evidence, np.arange(1, classes + 1))
    return time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _classexreg() -> float:
    """CPU seconds of a fit with selection at k₁ = 5000 from a matrix of scores."""
    train, test = gaussian.draw(5000, 0.1, rng=0)
    square = (test**2).sum(axis=1)[:, None] + (train**2).sum(axis=1) - 2 * test @ train.T
    evidence = Evidence.from_scores(-square, np.arange(5000))
    ClassExReg(resamples=1).fit(evidence, np.random.default_rng(0))  # imports and caches
    times = []
    for seed in range(5):
        started = time.process_time()
        ClassExReg().fit(evidence, np.random.default_rng(seed))
        times.append(time.process_time() - started)
    return float(np.median(times))


def run() -> dict[str, float]:
    # a process of its own, so that the peak memory is that of the curve alone
    code = "import benchmarks.core_speed as b; print(*b._curve())"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    seconds, memory = map(float, out.split())
    fit = _classexreg()
    return {
        "curve_seconds": seconds,
        "curve_peak_gb": memory,
        "classexreg_cpu_seconds": fit,
        "r_cpu_seconds": R_CLASSEXREG,
        "times_faster_than_r": R_CLASSEXREG / fit,
    }


def page(result: dict[str, float]) -> str:
    return f"""# Speed of the core

| task | measured | goal |
|---|---|---|
| exact curve, all k ≤ 100,000, a million test examples | {result["curve_seconds"]:.2f} s | under 2 s |
| … its peak memory, the examples included | {result["curve_peak_gb"]:.2f} GB | under 1 GB |
| ClassExReg with selection at k₁ = 5000, basis included | {result["classexreg_cpu_seconds"]:.2f} CPU-s | |
| … the authors' R package: {result["r_cpu_seconds"]} CPU-s | {result["times_faster_than_r"]:.0f}× faster | 10× |
"""
