"""Recommenders measured on 100 sampled negatives: recall@10 and nDCG@10 on the full catalogue, forecast and true.

In a factor model with normal items the score of a user's true item, in units of the spread of all items' scores, is
Φ⁻¹(U*): its distribution over users is what the populations below set. Each user's rank in the full catalogue is drawn
from U*, and the sampled rank from that one, so the truth is what the same users would have measured.

How far any method could be trusted is a linear programme: of all distributions of U* that give the same law of sampled
ranks, those with the lowest and the highest value of the metric.
"""

import warnings

import numpy as np
from scipy.optimize import linprog
from scipy.special import ndtr
from scipy.stats import binom

from rankcast import Evidence, curve, forecast
from rankcast.methods import DEFAULT
from rankcast.metrics import get_metric

USERS, NEGATIVES, DRAWS, LEVEL = 3000, 100, 4, 0.9
MORE_NEGATIVES = 1000
STEP = 0.025
GRID = np.arange(-5, 9, STEP)  # of Φ⁻¹(U*)
MANY_USERS = 1_000_000
ALIKE = 1e-6  # shares of users at each sampled rank that differ by less are the same
CATALOGUES = (10_000, 1_000_000)
METRICS = ("recall@10", "ndcg@10")
METHODS = tuple(dict.fromkeys((DEFAULT, "gaussian", "mixture")))


def _one_kind(n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(2.5, 1.0, n)


def _two_kinds(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(n) < 0.7, rng.normal(1.2, 0.8, n), rng.normal(3.5, 0.6, n))


def _skewed(n: int, rng: np.random.Generator) -> np.ndarray:
    return 0.5 + rng.gamma(3.0, 0.7, n)


POPULATIONS = {"one kind of user": _one_kind, "two kinds": _two_kinds, "skewed": _skewed}


def possible(favour: np.ndarray, negatives: int, catalogue: int, metric: str) -> tuple[float, float]:
    """Lowest and highest value on the catalogue of users whose sampled ranks have the law of these."""
    gain = get_metric(metric).given_favourability(GRID, np.asarray(float(catalogue)))
    place = np.clip(np.rint((favour - GRID[0]) / STEP), 0, len(GRID) - 1).astype(int)
    share = np.bincount(place, minlength=len(GRID)) / len(favour)
    law = binom.pmf(np.arange(negatives + 1)[:, None], negatives, ndtr(-GRID))
    limits = np.concatenate([law @ share + ALIKE, ALIKE - law @ share])
    ends = []
    for sign in (1, -1):
        found = linprog(sign * gain, np.vstack([law, -law]), limits, np.ones((1, len(GRID))), [1.0], method="highs")
        ends.append(sign * float(found.fun))
    return ends[0], ends[1]


def run() -> list[dict[str, object]]:
    warnings.simplefilter("ignore", UserWarning)  # far extrapolation is the point
    rows = []
    for index, (population, favour) in enumerate(POPULATIONS.items()):
        for catalogue in CATALOGUES:
            found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
            for draw in range(DRAWS):
                rng = np.random.default_rng([index, catalogue, draw])
                above = rng.binomial(catalogue - 1, ndtr(-favour(USERS, rng)))
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
            many = favour(MANY_USERS, np.random.default_rng(index))
            ranges = {
                metric: [possible(many, number, catalogue, metric) for number in (NEGATIVES, MORE_NEGATIVES)]
                for metric in METRICS
            }
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
                        "possible": ranges[metric],
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
        "among the 101 items. *Possible* are the values of all populations whose users' sampled ranks have the same",
        "law, to one in a million: no method and no number of users can tell these apart without assuming more, and a",
        "forecast within .02 of them all is out of reach. What forecasts assume is that U* spreads smoothly.",
        "",
        f"| users | items | metric | truth | possible | possible, {MORE_NEGATIVES:,} negatives | "
        + " | ".join(names)
        + " |",
        "|---|---|---|---|---|---|" + "---|" * len(names),
    ]
    for key in dict.fromkeys((row["population"], row["catalogue"], row["metric"]) for row in rows):
        mine = {row["method"]: row for row in rows if (row["population"], row["catalogue"], row["metric"]) == key}
        cells = [
            f"{row['rmse']:.3f}" + ("" if name == "as sampled" else f" ({row['covered']} of {row['draws']})")
            for name, row in mine.items()
        ]
        first = next(iter(mine.values()))
        ranges = " | ".join(f"{low:.3f} to {high:.3f}" for low, high in first["possible"])
        lines.append(
            f"| {key[0]} | {key[1]:,} | {key[2]} | {first['truth']:.3f} | {ranges} | " + " | ".join(cells) + " |"
        )
    return "\n".join(lines)
