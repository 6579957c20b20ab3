"""Recommenders measured on 100 sampled negatives: recall@10 and nDCG@10 on the full catalogue, forecast and true.

In a factor model with normal items the score of a user's true item, in units of the spread of all items' scores, is
Φ⁻¹(U*): its distribution over users is what the populations below set. Each user's rank in the full catalogue is drawn
from U*, and the sampled rank from that one, so the truth is what the same users would have measured.
"""

import warnings

import numpy as np
from scipy.special import ndtr

from rankcast import Evidence, curve, forecast
from rankcast.methods import DEFAULT

USERS, NEGATIVES, DRAWS, LEVEL = 3000, 100, 4, 0.9
CATALOGUES = (10_000, 1_000_000)
METRICS = ("recall@10", "ndcg@10")
METHODS = tuple(dict.fromkeys((DEFAULT, "gaussian", "mixture")))


def _one_kind(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(2.5, 1.0, USERS)


def _two_kinds(rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(USERS) < 0.7, rng.normal(1.2, 0.8, USERS), rng.normal(3.5, 0.6, USERS))


def _skewed(rng: np.random.Generator) -> np.ndarray:
    return 0.5 + rng.gamma(3.0, 0.7, USERS)


POPULATIONS = {"one kind of user": _one_kind, "two kinds": _two_kinds, "skewed": _skewed}


def run() -> list[dict[str, object]]:
    warnings.simplefilter("ignore", UserWarning)  # far extrapolation is the point
    rows = []
    for index, (population, favour) in enumerate(POPULATIONS.items()):
        for catalogue in CATALOGUES:
            found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
            for draw in range(DRAWS):
                rng = np.random.default_rng([index, catalogue, draw])
                above = rng.binomial(catalogue - 1, ndtr(-favour(rng)))
                full = Evidence.from_ranks(above + 1, catalogue)
                sampled = rng.hypergeometric(above, catalogue - 1 - above, NEGATIVES)
                evidence = Evidence.from_ranks(sampled + 1, NEGATIVES + 1)
                for metric in METRICS:
                    truth, naive = (float(curve(each, each.k1, metric)) for each in (full, evidence))
                    found.setdefault(("as sampled", metric), []).append((truth, naive, naive, naive))
                    for method in METHODS:
                        made = forecast(evidence, catalogue, metric, method, LEVEL, draw, replicates=100)
                        ends = (float(made.estimate[0]), float(made.low[0]), float(made.high[0]))
                        found.setdefault((method, metric), []).append((truth, *ends))
            for (method, metric), values in found.items():
                truth, estimate, low, high = np.array(values).T
                rows.append(
                    {
                        "population": population,
                        "catalogue": catalogue,
                        "metric": metric,
                        "method": method,
                        "truth": float(truth.mean()),
                        "rmse": float(np.sqrt(np.mean((estimate - truth) ** 2))),
                        "covered": int(np.sum((low <= truth) & (truth <= high))),
                        "draws": DRAWS,
                    }
                )
    return rows


def page(rows: list[dict]) -> str:
    names = list(dict.fromkeys(row["method"] for row in rows))
    lines = [
        "# Recommenders measured on 100 sampled negatives",
        "",
        f"RMSE of the forecast for the full catalogue over {DRAWS} simulated sets of {USERS:,} users, and in how many",
        f"of them the {LEVEL:.0%} interval holds the truth. *As sampled* is the usual practice of reporting the metric",
        "among the 101 items.",
        "",
        "| users | items | metric | truth | " + " | ".join(names) + " |",
        "|---|---|---|---|" + "---|" * len(names),
    ]
    for key in dict.fromkeys((row["population"], row["catalogue"], row["metric"]) for row in rows):
        mine = {row["method"]: row for row in rows if (row["population"], row["catalogue"], row["metric"]) == key}
        cells = [
            f"{row['rmse']:.3f}" + ("" if name == "as sampled" else f" ({row['covered']} of {row['draws']})")
            for name, row in mine.items()
        ]
        truth = next(iter(mine.values()))["truth"]
        lines.append(f"| {key[0]} | {key[1]:,} | {key[2]} | {truth:.3f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
