"""`auto` and simpler methods on many populations of real things, of kinds that networks learnt from."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._real import missing, population
from benchmarks._versus import forecasts, score, table
from benchmarks._workers import workers
from rankcast import Evidence, curve
from training.real.letters import prepare_letters
from training.sampling import log_integer

__all__ = ["missing", "page", "run"]

POPULATIONS, DRAWS = 120, 2
SIZES = (60, 2000)
RATIOS = (2, 5, 20, 100)
TESTED = 8000  # examples that the truth is averaged over
ACCURACIES = (0.02, 0.998)  # among k₁ classes: beyond these there is little to forecast


def _forecasts(seed: int, folder: Path) -> list[dict[str, object]]:
    """One row for each draw and ratio."""
    made, rng = population(seed, folder), np.random.default_rng(seed)
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
        for each, value, found in zip(k, truth, forecasts(evidence, k, draw), strict=True):
            rows.append({"family": made.family, "k1": k1, "ratio": each // k1, "truth": value, "found": found})
    return rows


def run() -> list[dict[str, object]]:
    with TemporaryDirectory() as folder, workers() as pool:
        prepare_letters(Path(folder))
        found = pool.map(partial(_forecasts, folder=Path(folder)), range(POPULATIONS))
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
            scored = score([row["truth"] for row in mine], [row["found"] for row in mine])
            found.append({"populations": name, "ratio": ratio, "samples": len(mine), **scored})
    return found


def page(rows: list[dict]) -> str:
    lines = [
        "# `auto` on many real populations",
        "",
        f"{POPULATIONS} populations of real things, {DRAWS} random samples of {SIZES[0]} to {SIZES[1]:,} classes",
        "from each: words of ten languages, misspelt (letter n-grams in a random projection); letters of the scripts",
        "that Noto has typefaces for, turned and moved or in another cut (principal components of pixels, gradients or",
        "a random layer); linear classifiers of these letters. Networks and intervals learnt from other populations of",
        "the same kinds, drawn with other seeds: this page tells of more of the same, not of new kinds. Root mean",
        "square errors, and the 90% interval of `auto`.",
        "",
    ]
    named = [([f"{row['populations']}, {row['ratio']}×", str(row["samples"])], row) for row in rows]
    return "\n".join(lines + table(["populations, k₂/k₁", "samples"], named))
