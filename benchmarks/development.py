"""`auto` beside simpler methods on two real data sets that settings may be chosen by: misspelt words, and Hangul."""

import numpy as np

from benchmarks._development import hangul, missing, words
from benchmarks._versus import forecasts, score, table
from benchmarks._workers import workers
from rankcast import Evidence, curve

__all__ = ["missing", "page", "run"]

DRAWS = 20
SETS = {
    "words, 2 edits": (words, 2, (5000, 40_000)),
    "words, 3 edits": (words, 3, (5000, 40_000)),
    "Hangul, same typeface": (hangul, False, (1000, 11_172)),
    "Hangul, another typeface": (hangul, True, (1000, 11_172)),
}
SIZES = (100, 500)
TESTED = 4000  # examples that the truth is averaged over


def _truth(name: str) -> list[float]:
    make, setting, k2 = SETS[name]
    gallery, probes = make(setting)
    rows = np.random.default_rng(0).permutation(len(gallery))[:TESTED]
    found = Evidence.from_embeddings(gallery, np.arange(len(gallery)), probes[rows], rows)
    return curve(found, list(k2)).tolist()


def _draw(job: tuple[str, int, int]) -> list[dict[str, float]]:
    name, k1, draw = job
    make, setting, k2 = SETS[name]
    gallery, probes = make(setting)
    rows = np.random.default_rng([k1, draw]).permutation(len(gallery))[:k1]
    evidence = Evidence.from_embeddings(gallery[rows], np.arange(k1), probes[rows], np.arange(k1))
    return forecasts(evidence, k2, draw)


def run() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    with workers() as pool:
        truths = dict(zip(SETS, pool.map(_truth, SETS), strict=True))
        for name, (_, _, k2) in SETS.items():
            for k1 in SIZES:
                draws = list(pool.map(_draw, [(name, k1, draw) for draw in range(DRAWS)]))
                for k, truth, found in zip(k2, truths[name], zip(*draws, strict=True), strict=True):
                    rows.append({"data": name, "k1": k1, "k2": k, "truth": truth, **score([truth] * DRAWS, found)})
    return rows


def page(rows: list[dict]) -> str:
    lines = [
        "# Data to develop on",
        "",
        f"RMSE over {DRAWS} random draws of k₁ classes. Unlike the test sets, these are data that a choice between",
        "networks or settings may be based on: misspelt English words (distance of letter n-grams), and Hangul",
        "syllables turned and moved (distance of principal components). The last two columns: 90% interval of `auto`.",
        "",
    ]
    named = [([f"{row['data']} {row['k1']} → {row['k2']:,}", f"{row['truth']:.3f}"], row) for row in rows]
    return "\n".join(lines + table(["data, k₁ → k₂", "truth"], named))
