"""`auto` beside simpler methods: their forecasts from the same evidence, how these did, and a table of that."""

import warnings
from collections.abc import Sequence

import numpy as np

from rankcast import Evidence, forecast
from rankcast.methods import REGISTRY

METHODS = ("auto", "gaussian", "kde-bcv", "kde-ucv", "pooled")


def forecasts(evidence: Evidence, k: Sequence[int], seed: int) -> list[dict[str, float]]:
    """For each k the forecast of each method, and the ends of the interval of ``auto``, ``low`` and ``high``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        auto = forecast(evidence, list(k), method="auto", rng=seed)
        found = {"auto": auto.estimate, "low": auto.low, "high": auto.high}
        for name in METHODS[1:]:
            fit = REGISTRY[name]().fit(evidence, np.random.default_rng(seed))
            found[name] = np.clip(fit.value(list(k)), 0, 1)
    return [{name: float(values[j]) for name, values in found.items()} for j in range(len(k))]


def score(truth: Sequence[float], found: Sequence[dict[str, float]]) -> dict[str, object]:
    """Error of each method over some forecasts, and coverage and width of the interval."""
    column = {name: np.array([each[name] for each in found]) for name in (*METHODS, "low", "high")}
    return {
        "rmse": {name: float(np.sqrt(np.mean((column[name] - truth) ** 2))) for name in METHODS},
        "coverage": float(np.mean((column["low"] <= truth) & (truth <= column["high"]))),
        "width": float(np.mean(column["high"] - column["low"])),
    }


def table(first: Sequence[str], rows: Sequence[tuple[Sequence[str], dict]]) -> list[str]:
    """Lines of a table with these first columns, and a score for each row; the smallest error is bold."""
    heads = [*first, *METHODS, "coverage", "width"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for cells, row in rows:
        best = min(row["rmse"].values())
        errors = [f"**{each:.3f}**" if each == best else f"{each:.3f}" for each in row["rmse"].values()]
        lines.append("| " + " | ".join([*cells, *errors, f"{row['coverage']:.0%}", f"{row['width']:.3f}"]) + " |")
    return lines
