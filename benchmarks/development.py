"""`auto` beside simpler methods on two real data sets that settings may be chosen by: misspelt words, and Hangul."""

import os
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks._development import hangul, missing, words
from rankcast import Evidence, curve, forecast
from rankcast.methods import REGISTRY

__all__ = ["missing", "page", "run"]

DRAWS = 20
METHODS = ("auto", "gaussian", "kde-bcv", "kde-ucv", "pooled")
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


def _draw(job: tuple[str, int, int]) -> dict[str, list[list[float]]]:
    """Forecasts of each method, and the ends of the interval of ``auto``."""
    name, k1, draw = job
    make, setting, k2 = SETS[name]
    gallery, probes = make(setting)
    rows = np.random.default_rng([k1, draw]).permutation(len(gallery))[:k1]
    evidence = Evidence.from_embeddings(gallery[rows], np.arange(k1), probes[rows], np.arange(k1))
    found: dict[str, list[list[float]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = forecast(evidence, list(k2), method="auto", rng=draw)
        for method in METHODS[1:]:
            fit = REGISTRY[method]().fit(evidence, np.random.default_rng(draw))
            found[method] = [np.clip(fit.value(list(k2)), 0, 1).tolist()]
    return found | {"auto": [made.estimate.tolist(), made.low.tolist(), made.high.tolist()]}


def run() -> list[dict[str, object]]:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    rows: list[dict[str, object]] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        truths = dict(zip(SETS, pool.map(_truth, SETS), strict=True))
        for name, (_, _, k2) in SETS.items():
            for k1 in SIZES:
                draws = list(pool.map(_draw, [(name, k1, draw) for draw in range(DRAWS)]))
                truth = np.array(truths[name])
                errors = {m: np.array([each[m][0] for each in draws]) - truth for m in METHODS}
                low, high = (np.array([each["auto"][i] for each in draws]) for i in (1, 2))
                for j, k in enumerate(k2):
                    rows.append(
                        {
                            "data": name,
                            "k1": k1,
                            "k2": k,
                            "truth": truth[j],
                            "rmse": {m: float(np.sqrt(np.mean(errors[m][:, j] ** 2))) for m in METHODS},
                            "coverage": float(np.mean((low[:, j] <= truth[j]) & (truth[j] <= high[:, j]))),
                            "width": float(np.mean(high[:, j] - low[:, j])),
                        }
                    )
    return rows


def page(rows: list[dict]) -> str:
    lines = [
        "# Data to develop on",
        "",
        f"RMSE over {DRAWS} random draws of k₁ classes. Unlike the test sets, these are data that a choice between",
        "networks or settings may be based on: misspelt English words (distance of letter n-grams), and Hangul",
        "syllables turned and moved (distance of principal components). The last two columns: 90% interval of `auto`.",
        "",
        "| data, k₁ → k₂ | truth | " + " | ".join(METHODS) + " | coverage | width |",
        "|---|---|" + "---|" * (len(METHODS) + 2),
    ]
    for row in rows:
        best = min(row["rmse"].values())
        cells = [f"**{each:.3f}**" if each == best else f"{each:.3f}" for each in row["rmse"].values()]
        lines.append(
            f"| {row['data']} {row['k1']} → {row['k2']:,} | {row['truth']:.3f} | {' | '.join(cells)} "
            f"| {row['coverage']:.0%} | {row['width']:.3f} |"
        )
    return "\n".join(lines)
