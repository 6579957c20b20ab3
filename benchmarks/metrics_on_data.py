"""Forecasts of top-5, MRR and recall@10 at ten times the classes measured, on Han, WordNet and LFW, by every method."""

import os
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import numpy as np

from benchmarks._data import ALL_RANKS, Problem, han, lfw, wordnet
from rankcast import curve
from rankcast.methods import REGISTRY
from rankcast.metrics import get_metric

DRAWS = 20
METRICS = ("top1", "top5", "mrr", "recall@10")
METHODS = tuple(name for name in REGISTRY if name != "cleanex")  # it trains a network for each of the draws


@cache
def _all() -> list[Problem]:
    """The smallest measurement of each data set, so that ten times as many classes are there."""
    return [han()[0], wordnet()[0], lfw()[0]]


@cache
def _truth(index: int) -> list[float]:
    problem = _all()[index]
    return [float(curve(ALL_RANKS[problem.name], 10 * problem.k1, metric)) for metric in METRICS]


def _draw(job: tuple[int, int]) -> dict[str, list[float]]:
    """Forecast of each metric by each method from one draw of classes: one fit gives all metrics."""
    index, draw = job
    problem = _all()[index]
    evidence = problem.draw(np.random.default_rng([index, draw]))
    found = {}
    for name in METHODS:
        fit = REGISTRY[name]().fit(evidence, np.random.default_rng([index, draw, 1]))
        found[name] = [_value(fit, 10 * problem.k1, metric) for metric in METRICS]
    return found


def _value(fit: object, k: int, metric: str) -> float:
    gain = get_metric(metric)
    return float(np.clip(fit.value(k, gain), *gain.bounds(np.array(k))))


def run() -> list[dict[str, object]]:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    jobs = [(index, draw) for index in range(len(_all())) for draw in range(DRAWS)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:  # after _all(), which the workers inherit
        results = dict(zip(jobs, pool.map(_draw, jobs), strict=True))
    return [row for index in range(len(_all())) for row in _rows(index, results)]


def _rows(index: int, results: dict[tuple[int, int], dict[str, list[float]]]) -> list[dict[str, object]]:
    """One row for each metric: RMSE and bias of each method, and which are level with the best."""
    problem, rows = _all()[index], []
    for column, (metric, truth) in enumerate(zip(METRICS, _truth(index), strict=True)):
        errors = {
            name: np.array([results[index, draw][name][column] for draw in range(DRAWS)]) - truth for name in METHODS
        }
        rmse = {name: float(np.sqrt(np.mean(error**2))) for name, error in errors.items()}
        best = min(rmse, key=lambda name: rmse[name])
        rows.append(
            {
                "data": problem.name,
                "k1": problem.k1,
                "k2": 10 * problem.k1,
                "metric": metric,
                "truth": truth,
                "rmse": rmse,
                "bias": {name: float(error.mean()) for name, error in errors.items()},
                "level": [name for name in METHODS if _level(errors[name], errors[best])],
            }
        )
    return rows


def _level(error: np.ndarray, best: np.ndarray) -> bool:
    """Whether squared errors on the same draws are within two standard errors of the best method's."""
    more = error**2 - best**2
    return bool(more.mean() <= 2 * more.std(ddof=1) / np.sqrt(len(more)))


def page(rows: list[dict]) -> str:
    lines = [
        "# Metrics at ten times the classes measured",
        "",
        f"RMSE (and, below it, bias) over {DRAWS} random draws of k₁ classes with one test example of each; one",
        "fit of the distribution of U\\* gives all metrics. The truth is the exact metric on random subsets of all",
        "classes. Bold: the smallest RMSE, and those level with it (squared errors on the same draws within two",
        "standard errors).",
        "",
        "| data, k₁ → k₂ | metric | truth | " + " | ".join(METHODS) + " |",
        "|---|---|---|" + "---|" * len(METHODS),
    ]
    for row in rows:
        cells = []
        for name in METHODS:
            value = f"{row['rmse'][name]:.3f}"
            cells.append(f"{f'**{value}**' if name in row['level'] else value}<br>{row['bias'][name]:+.3f}")
        head = f"| {row['data']} {row['k1']} → {row['k2']:,} | {row['metric']} | {row['truth']:.3f} | "
        lines.append(head + " | ".join(cells) + " |")
    return "\n".join(lines)
