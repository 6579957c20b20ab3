"""CleaneX on the Gaussian simulation, 500 → 10,000 classes: error and CPU time beside the reference."""

import time

import numpy as np

from rankcast.datasets import gaussian
from rankcast.favourability import Favourability
from rankcast.methods import get_method
from rankcast.methods.cleanex import CleaneX

K1, K2 = 500, 10_000
LEVELS = (0.05, 0.10, 0.20, 0.30, 0.40, 0.50)
BATCHES = 8
REFERENCE_RMSE = 0.034  # of the authors' network on six fits
REFERENCE_CPU = 50.0  # its CPU seconds for 3000 steps at k₁ = 500
# RMSE of other methods on the same six draws as the reference, and so how hard those draws were
REFERENCE_PEERS = {"classexreg": 0.054, "kde-bcv": 0.038, "kde-ucv": 0.035, "gaussian": 0.024}


def _fit(sigma2: float, seed: list[int]) -> tuple[float, ...]:
    """Error of the forecast, of an oracle that knows every U*, CPU seconds of the fit, and errors of the peers."""
    train, test = gaussian.draw(K1, sigma2, rng=np.random.default_rng(seed))
    evidence = gaussian.simulate(K1, sigma2, rng=np.random.default_rng(seed))
    truth = float(gaussian.aga(K2, sigma2))
    oracle = Favourability(gaussian.probit(train, test, sigma2), evidence.weight)
    started = time.process_time()
    fit = CleaneX().fit(evidence, np.random.default_rng(seed))
    seconds = time.process_time() - started
    peers = [get_method(name).fit(evidence, np.random.default_rng(seed)) for name in REFERENCE_PEERS]
    errors = [float(found.value(K2)) - truth for found in (fit, oracle, *peers)]
    return errors[0], errors[1], seconds, *errors[2:]


def run() -> dict[str, object]:
    _fit(LEVELS[0], [99, 0])  # imports torch
    rows = [[_fit(level, [batch, i]) for i, level in enumerate(LEVELS)] for batch in range(BATCHES)]
    error, oracle, seconds, *peers = np.moveaxis(np.array(rows), 2, 0)
    return {
        "levels": list(LEVELS),
        "rmse": float(np.sqrt(np.mean(error**2))),
        "rmse_by_batch": np.sqrt(np.mean(error**2, axis=1)).round(4).tolist(),
        "rmse_by_level": np.sqrt(np.mean(error**2, axis=0)).round(4).tolist(),
        "bias": float(error.mean()),
        "peers": {name: float(np.sqrt(np.mean(found**2))) for name, found in zip(REFERENCE_PEERS, peers, strict=True)},
        "oracle_rmse": float(np.sqrt(np.mean(oracle**2))),
        "cpu_seconds": float(seconds.mean()),
        "cpu_seconds_worst": float(seconds.max()),
        "reference_rmse": REFERENCE_RMSE,
        "reference_cpu_seconds": REFERENCE_CPU,
    }


def page(result: dict[str, object]) -> str:
    levels = " | ".join(f"{level:.2f}" for level in result["levels"])
    errors = " | ".join(f"{error:.3f}" for error in result["rmse_by_level"])
    batches = ", ".join(f"{error:.3f}" for error in result["rmse_by_batch"])
    peers = " | ".join(REFERENCE_PEERS)
    ours = " | ".join(f"{error:.3f}" for error in result["peers"].values())
    theirs = " | ".join(f"{error:.3f}" for error in REFERENCE_PEERS.values())
    cpu = f"{result['cpu_seconds']:.1f}, {result['cpu_seconds_worst']:.1f}"
    return f"""# CleaneX, Gaussian classes, {K1} → {K2:,}

| | ours | authors' network, 3000 steps |
|---|---|---|
| RMSE, {BATCHES} batches of six fits | {result["rmse"]:.3f} ({batches}) | {result["reference_rmse"]} (six fits) |
| bias | {result["bias"]:+.3f} | |
| CPU seconds for a fit, mean and worst | {cpu} | {result["reference_cpu_seconds"]:.0f} |

Other methods on the same draws, and on the six of the reference:

| RMSE | cleanex | {peers} |
|---|---|{"---|" * len(REFERENCE_PEERS)}
| these {BATCHES * len(LEVELS)} fits | {result["rmse"]:.3f} | {ours} |
| the reference's six fits | {REFERENCE_RMSE:.3f} | {theirs} |

An oracle that knows U* of each test example errs by {result["oracle_rmse"]:.3f} on the same draws.

| σ² | {levels} |
|---|{"---|" * len(LEVELS)}
| RMSE | {errors} |
"""
