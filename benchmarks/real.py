"""`auto` and simpler methods on many populations of real things that nothing in it was made with."""

import os
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._real import draw_letters, missing, population
from benchmarks.development import METHODS
from rankcast import Evidence, curve, forecast
from rankcast.methods import REGISTRY
from training.sampling import log_integer

__all__ = ["missing", "page", "run"]

POPULATIONS, DRAWS = 120, 2
SIZES = (60, 2000)
RATIOS = (2, 5, 20, 100)
TESTED = 8000  # examples that the truth is averaged over
ACCURACIES = (0.02, 0.998)  # among k₁ classes: beyond these there is little to forecast


def _forecasts(seed: int, pictures: Path) -> list[dict[str, object]]:
    """One row for each draw and ratio."""
    made, rng = population(seed, pictures), np.random.default_rng(seed)
    n = len(made.gallery)
    rank = partial(Evidence.from_embeddings, similarity=made.similarity)
    tested = rng.permutation(n)[:TESTED]
    exact = rank(made.gallery, np.arange(n), made.tests[tested], tested)
    rows: list[dict[str, object]] = []
    for draw in range(DRAWS):
        k1 = log_integer(rng, SIZES[0], min(SIZES[1], n // 4))
        k = [ratio * k1 for ratio in RATIOS if ratio * k1 <= n]
        at_k1, *truth = curve(exact, [k1, *k]).tolist()
        if not ACCURACIES[0] < at_k1 < ACCURACIES[1]:
            continue
        chosen = rng.permutation(n)[:k1]
        evidence = rank(made.gallery[chosen], np.arange(k1), made.tests[chosen], np.arange(k1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = forecast(evidence, k, method="auto", rng=draw)
            fits = {name: REGISTRY[name]().fit(evidence, np.random.default_rng(draw)) for name in METHODS[1:]}
        for j, (each, value) in enumerate(zip(k, truth, strict=True)):
            estimates = {"auto": float(found.estimate[j])} | {
                name: float(np.clip(fit.value(each), 0, 1)) for name, fit in fits.items()
            }
            rows.append(
                {
                    "family": made.family,
                    "k1": k1,
                    "ratio": each // k1,
                    "truth": value,
                    "error": {name: estimate - value for name, estimate in estimates.items()},
                    "inside": bool(found.low[j] <= value <= found.high[j]),
                    "width": float(found.high[j] - found.low[j]),
                }
            )
    return rows


def run() -> list[dict[str, object]]:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with TemporaryDirectory() as folder, ProcessPoolExecutor(os.cpu_count()) as pool:
        pictures = Path(folder) / "letters.npz"
        draw_letters(pictures)
        found = pool.map(partial(_forecasts, pictures=pictures), range(POPULATIONS))
        return _summary([row for rows in found for row in rows])


def _summary(rows: list[dict]) -> list[dict[str, object]]:
    """Errors, coverage and width, of all rows and of some groups of them."""
    groups = {"all": rows}
    for name in sorted({row["family"] for row in rows}):
        groups[name] = [row for row in rows if row["family"] == name]
    groups["k₁ below 200"] = [row for row in rows if row["k1"] < 200]
    groups["k₁ from 200"] = [row for row in rows if row["k1"] >= 200]
    found = []
    for name, group in groups.items():
        for ratio in RATIOS:
            mine = [row for row in group if row["ratio"] == ratio]
            found.append(
                {
                    "populations": name,
                    "ratio": ratio,
                    "samples": len(mine),
                    "rmse": {m: float(np.sqrt(np.mean([row["error"][m] ** 2 for row in mine]))) for m in METHODS},
                    "coverage": float(np.mean([row["inside"] for row in mine])),
                    "width": float(np.mean([row["width"] for row in mine])),
                }
            )
    return found


def page(rows: list[dict]) -> str:
    lines = [
        "# `auto` on many real populations",
        "",
        f"{POPULATIONS} populations of real things, {DRAWS} random samples of {SIZES[0]} to {SIZES[1]:,} classes",
        "from each: words of ten languages, misspelt (letter n-grams in a random projection); letters of the scripts",
        "that Noto has typefaces for, turned and moved or in another cut (principal components of pixels, gradients or",
        "a random layer); linear classifiers of these letters. No network and no interval was made with them. Root",
        "mean square errors, and the 90% interval of `auto`.",
        "",
        "| populations, k₂/k₁ | samples | " + " | ".join(METHODS) + " | coverage | width |",
        "|---|---|" + "---|" * (len(METHODS) + 2),
    ]
    for row in rows:
        best = min(row["rmse"].values())
        cells = [f"**{value:.3f}**" if value == best else f"{value:.3f}" for value in row["rmse"].values()]
        lines.append(
            f"| {row['populations']}, {row['ratio']}× | {row['samples']} | {' | '.join(cells)} "
            f"| {row['coverage']:.0%} | {row['width']:.3f} |"
        )
    return "\n".join(lines)
