"""The rank likelihoods on populations with known truth: accuracy, recovery of D, and speed.

Three questions. How far off are ``gaussian`` and ``mixture`` in the paper's Gaussian simulation, where
Φ⁻¹(U*) is nearly normal, and on distributions where it is not? How near does ``mixture`` come to the
distribution D of the toy model? How many CPU seconds do a fit and 200 bootstrap replicates take?
"""

import time

import numpy as np

from rankcast import Evidence, Favourability
from rankcast.datasets import gaussian, toy
from rankcast.intervals import bootstrap_weights
from rankcast.methods import Method
from rankcast.methods.classexreg import ClassExReg
from rankcast.methods.gaussian import Gaussian
from rankcast.methods.loglinear import LogLinear
from rankcast.methods.mixture import Mixture
from rankcast.metrics import get_metric

METHODS: dict[str, Method] = {
    "classexreg": ClassExReg(),
    "gaussian": Gaussian(),
    "mixture": Mixture(),
    "mixture, smooth=0": Mixture(smooth=0),
    "loglinear": LogLinear(),
}
FACTORS = (2, 4, 10, 20)
SIGMA2 = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
SHAPES = {
    "15% lapses": Favourability([3.6, 0.0], [0.85, 0.15], [0.7, 1.0]),
    "two kinds of class": Favourability([1.5, 4.5], [0.4, 0.6], [0.5, 0.6]),
    "look-alikes": Favourability([2.2, 4.2], [0.3, 0.7], [0.6, 0.5]),
    "flat": Favourability(np.linspace(1, 5, 80), np.full(80, 1 / 80), 0.1),
    "easy with outliers": Favourability([4.8, 1.0], [0.96, 0.04], [0.9, 1.0]),
}


def draw_counts(population: Favourability, k1: int, rng: np.random.Generator) -> Evidence:
    """One test example of each of ``k1`` classes, with independent rivals."""
    log_u = population.sample(k1, rng, log=True)
    return Evidence.from_ranks(1 + rng.binomial(k1 - 1, -np.expm1(log_u)), k1)


def errors(evidences: list[Evidence], truth: Favourability, k2: list[int]) -> dict[str, np.ndarray]:
    """Forecast less truth of each method: draws × k2."""
    exact = truth.value(k2)
    return {
        name: np.array([np.clip(method.fit(ev, np.random.default_rng(0)).value(k2), 0, 1) - exact for ev in evidences])
        for name, method in METHODS.items()
    }


def simulation(k1: int = 500, draws: int = 20) -> list[dict[str, object]]:
    """The paper's simulation: RMSE of each method at each σ²."""
    k2 = [k1 * factor for factor in FACTORS]
    rows: list[dict[str, object]] = []
    for sigma2 in SIGMA2:
        seeds = [[int(1000 * sigma2), draw] for draw in range(draws)]
        evidences = [gaussian.simulate(k1, sigma2, rng=np.random.default_rng(seed)) for seed in seeds]
        for name, error in errors(evidences, gaussian.favourability(sigma2), k2).items():
            rmse = np.sqrt((error**2).mean(axis=0))
            rows.append({"sigma2": sigma2, "method": name, "rmse": rmse.round(4).tolist()})
    return rows


def shapes(k1: int = 500, draws: int = 20) -> list[dict[str, object]]:
    """Populations far from the Gaussian family, counts without scores: RMSE of each method."""
    k2 = [k1 * factor for factor in FACTORS]
    rows: list[dict[str, object]] = []
    for number, (shape, population) in enumerate(SHAPES.items()):
        evidences = [draw_counts(population, k1, np.random.default_rng([number, draw])) for draw in range(draws)]
        for name, error in errors(evidences, population, k2).items():
            rmse = np.sqrt((error**2).mean(axis=0))
            rows.append({"shape": shape, "method": name, "rmse": rmse.round(4).tolist()})
    return rows


def toy_distance(k1: int, rho: float, seeds: range, method: Method | None = None) -> list[float]:
    """Largest |D̂(u) − D(u)| over u in the toy model, for each seed."""
    u = np.linspace(0, 1, 1001)
    exact = toy.cdf(u, rho)
    estimator = Mixture() if method is None else method
    fits = (estimator.fit(toy.simulate(k1, rho, rng=seed), np.random.default_rng(seed)) for seed in seeds)
    return [float(np.abs(fit.cdf(u) - exact).max()) for fit in fits]


def recovery(seeds: range = range(20)) -> list[dict[str, object]]:
    """Distances of ``mixture`` and ``gaussian`` from the D of the toy model."""
    rows: list[dict[str, object]] = []
    for k1 in (500, 5000):
        for rho in (0.7, 0.9, 0.99):
            for name in ("gaussian", "mixture", "mixture, smooth=0"):
                found = toy_distance(k1, rho, seeds, METHODS[name])
                rows.append(
                    {
                        "k1": k1,
                        "rho": rho,
                        "method": name,
                        "mean": round(float(np.mean(found)), 4),
                        "largest": round(max(found), 4),
                    }
                )
    return rows


def speed(k1: int = 5000) -> list[dict[str, object]]:
    """CPU seconds of a fit and of 200 replicates; the best of three."""
    rows: list[dict[str, object]] = []
    for sigma2 in (0.05, 0.2, 0.5):
        evidence = gaussian.simulate(k1, sigma2, rng=0)
        weights = bootstrap_weights(evidence, 200, np.random.default_rng(0))
        k2 = np.array([2 * k1, 20 * k1])
        for name in ("gaussian", "mixture", "mixture, smooth=0", "loglinear"):
            method, rng = METHODS[name], np.random.default_rng(0)
            fit, replicates = [], []
            for _ in range(3):
                started = time.process_time()
                method.fit(evidence, rng)
                fit.append(time.process_time() - started)
                started = time.process_time()
                method.replicate(evidence, weights, k2, get_metric("top1"), rng)
                replicates.append(time.process_time() - started)
            rows.append(
                {
                    "sigma2": sigma2,
                    "method": name,
                    "fit": round(min(fit), 3),
                    "replicates": round(min(replicates), 2),
                }
            )
    return rows


def run() -> dict[str, list[dict[str, object]]]:
    """Everything on the page."""
    return {"simulation": simulation(), "shapes": shapes(), "recovery": recovery(), "speed": speed()}


def _summary(rows: list[dict[str, object]], k1: int = 500) -> list[str]:
    lines = [
        "| method | " + " | ".join(f"{k1 * factor:,}" for factor in FACTORS) + " |",
        "|---|" + "---|" * len(FACTORS),
    ]
    for name in METHODS:
        table = np.array([row["rmse"] for row in rows if row["method"] == name])
        cells = (f"{mean:.4f} ({most:.4f})" for mean, most in zip(table.mean(axis=0), table.max(axis=0), strict=True))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def page(result: dict[str, list[dict[str, object]]]) -> str:
    """The results as Markdown."""
    lines = ["# Rank likelihoods", "", "## The paper's Gaussian simulation, k₁ = 500", ""]
    lines += [f"Mean (largest) RMSE over σ² = {SIGMA2[0]} … {SIGMA2[-1]} against the exact accuracy at k₂.", ""]
    lines += _summary(result["simulation"])
    lines += ["", "## Populations where Φ⁻¹(U*) is not normal, k₁ = 500", ""]
    lines += [f"Mean (largest) RMSE over {len(SHAPES)} shapes: {', '.join(SHAPES)}.", ""]
    lines += _summary(result["shapes"])
    lines += ["", "## Distance from the D of the toy model, 20 seeds", ""]
    lines += ["| k₁ | ρ | method | mean sup-distance | largest |", "|---|---|---|---|---|"]
    lines += [
        f"| {row['k1']} | {row['rho']} | {row['method']} | {row['mean']} | {row['largest']} |"
        for row in result["recovery"]
    ]
    lines += ["", "## CPU seconds at k₁ = 5000", ""]
    lines += ["| σ² | method | fit | 200 replicates |", "|---|---|---|---|"]
    lines += [f"| {row['sigma2']} | {row['method']} | {row['fit']} | {row['replicates']} |" for row in result["speed"]]
    return "\n".join(lines)
