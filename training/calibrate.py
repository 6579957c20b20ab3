"""Learn how far forecasts are off, from families and real kinds that the network behind them had not seen.

    python -m training.calibrate --features cache/features cache/structured --nets cache/nets --out cache/uncertainty

Networks of each fold forecast the tasks of the families left out of it. Their errors, as shifts of Φ⁻¹(U*),
train a small network for the spread; what is left, in units of it, gives the law of the shift. The coverage
printed is again that on families left out, of the networks and of the spread.
"""

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from rankcast import Evidence
from rankcast.metrics import TOP1
from rankcast.pretrained.describe import Description
from rankcast.pretrained.network import Network, averaged, opinions
from rankcast.pretrained.uncertainty import LEAST, Uncertainty, circumstances, shifted

from .features import RATIOS
from .folds import FOLDS, fold_of
from .generate import write
from .real.kinds import KINDS as REAL
from .sampling import Array, Ints, Reals
from .train import RANK_CONTEXT, RANK_ESTIMATES, RANK_FEATURES, load

LEVELS = np.unique(np.r_[np.linspace(0, 1, 101), 0.0025, 0.005, 0.0075, 0.9925, 0.995, 0.9975])
KNOTS = np.array([1.0, 2.0, 5.0, 20.0, 100.0, 1000.0])
# wider than simulated families ask for far off, because few have a truth there, and intervals for real words, 400 times
# as many as were measured, held it in 80% of the draws (data to develop on)
CAUTION = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.6])
ENOUGH = 50  # errors for a quantile
Belongs = Callable[[dict[str, Any]], bool]
BY_SIZE: dict[str, Belongs] = {
    "k₁ from 20 to 99": lambda t: t["k1"] < 100,
    "k₁ from 100 to 499": lambda t: 100 <= t["k1"] < 500,
    "k₁ from 500": lambda t: t["k1"] >= 500,
}
ORIGINS: dict[str, Belongs] = {
    "simulated families": lambda t: t["family"] not in REAL,
    "real kinds": lambda t: t["family"] in REAL,
}
ALL: dict[str, Belongs] = {"all": lambda t: True}
SIZES = np.array([30.0, 100.0, 400.0, 2000.0])
SHIFTS = np.linspace(-2.0, 2.0, 65)
WIDTH, DECAY, RATE = 12, 5.0, 5e-3  # of the small network for the spread: its size, weight decay and rate of learning
HEAD = """# `auto` on simulated families and real kinds that it had not seen

Each task was forecast by networks that had not seen its family, or its kind if it is real, with an interval learnt from
the errors of such networks on yet others; the textbook case, which all networks learn from, is left out. RMSE and
coverage allow for the error of the truth (for coverage, it is added to the interval in quadrature). The oracle knows
the chance of one test example of each class to be right, and averages: its variance is (AGA at 2k − 1, less AGA at k
squared) / classes. Its interval is 1.645 standard deviations to either side, or 1.645 times its RMSE over the tasks.
Mean widths are compared over tasks with one test example of each class. The size and decay of the network behind the
interval are those, of five, whose intervals were narrowest on such tasks when all were simulated.
Made by `python -m training.calibrate`.

"""


def read_networks(folder: Path, kind: str, fold: int | str) -> list[Network]:
    """The networks of a fold."""
    found = []
    for path in sorted(folder.glob(f"{kind}-{fold}-[0-9].npz")):
        with np.load(path) as file:
            found.append(Network({name: file[name].astype(float) for name in file.files}))
    if not found:
        raise SystemExit(f"no networks {kind}-{fold}-*.npz in {folder}")
    return found


def evidence_of(task: dict[str, Any]) -> Evidence:
    """Evidence with the ranks, labels and weights of a described task."""
    n, rivals = len(task["label"]), int(task["k1"]) - 1
    beaten = np.clip(np.rint(ndtr(task["example"][:, 0]) * (rivals + 1) - 0.5), 0, rivals)
    return Evidence(
        beaten=beaten.astype(np.int64),
        tied=np.zeros(n, np.int64),
        rivals=np.full(n, rivals),
        label=task["label"].astype(np.int64),
        classes=None,
        weight=task["weight"].astype(float) / task["weight"].sum(dtype=float),
    )


def seen_of(task: dict[str, Any], kind: str) -> Description:
    """What the networks see of a described task."""
    f, e, c = (RANK_FEATURES, RANK_ESTIMATES, RANK_CONTEXT) if kind == "ranks" else (None, None, None)
    return Description(
        task["example"][:, :f].astype(float),
        task["z"][:, :e].astype(float),
        task["spread"].astype(float),
        task["context"][:c].astype(float),
    )


def errors(task: dict[str, Any], nets: list[Network], kind: str) -> dict[str, Any]:
    """Forecast, shift that would make it right and its noise, and circumstances, at each rung."""
    evidence, seen = evidence_of(task), seen_of(task, kind)
    fit = averaged(opinions(nets, seen, evidence.weight, evidence.k1), evidence.weight)
    k = evidence.k1 * RATIOS
    moved = fit.z + SHIFTS[:, None]
    grid = np.stack([TOP1.given_favourability(moved, np.asarray(float(each))) @ fit.weight for each in k], axis=1)
    truth, error = task["truth"], task["error"]
    shift = np.array([np.interp(truth[j], grid[:, j], SHIFTS) for j in range(len(k))])
    middle = len(SHIFTS) // 2
    slope = (grid[middle + 1] - grid[middle - 1]) / (SHIFTS[middle + 1] - SHIFTS[middle - 1])
    return {
        "forecast": grid[middle],
        "shift": np.where(np.isfinite(truth), shift, np.nan),
        "noise": error / np.maximum(slope, 1e-4),
        "about": circumstances(evidence, seen, fit, k),
        "fit": fit,
        "k": k,
    }


class Spread(torch.nn.Module):
    """Logarithm of the spread: linear in the circumstances but for a small network, which is kept small."""

    def __init__(self, circumstances: int) -> None:
        super().__init__()
        self.direct = torch.nn.Linear(circumstances, 1, bias=False)
        sizes = (circumstances, WIDTH, WIDTH, 1)
        for number, (before, after) in enumerate(pairwise(sizes)):
            self.add_module(str(number), torch.nn.Linear(before, after))
        with torch.no_grad():
            self.direct.weight.zero_()
            self.get_submodule("2").weight.mul_(0.1)
            self.get_submodule("2").bias.fill_(-2.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Of each row of circumstances."""
        h = x
        for number in ("0", "1"):
            h = torch.tanh(self.get_submodule(number)(h))
        found: torch.Tensor = self.direct(x) + self.get_submodule("2")(h)
        return found[:, 0]


def fit_spread(found: list[dict[str, Any]], seed: int = 0, steps: int = 1500) -> Uncertainty:
    """Maximum likelihood of the shifts, given the noise of the truth."""
    torch.manual_seed(seed)
    about, shift, noise = (np.concatenate([each[name] for each in found]) for name in ("about", "shift", "noise"))
    known = np.isfinite(shift) & (noise < 0.5)
    about, shift, noise = about[known], shift[known], noise[known]
    mean, sd = about.mean(0), about.std(0) + 1e-3
    x = torch.tensor(np.clip((about - mean) / sd, -4, 4), dtype=torch.float32)
    r, e = torch.tensor(shift, dtype=torch.float32), torch.tensor(noise, dtype=torch.float32)
    net = Spread(x.shape[1])
    curved = [value for name, value in net.named_parameters() if not name.startswith("direct")]
    groups = [{"params": [net.direct.weight], "weight_decay": 0.0}, {"params": curved, "weight_decay": DECAY}]
    adam = torch.optim.AdamW(groups, lr=RATE)
    generator = torch.Generator().manual_seed(seed)
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = RATE * (0.5 + 0.5 * np.cos(np.pi * step / steps)) + 1e-5
        pick = torch.randint(len(x), (1024,), generator=generator)
        total = torch.sqrt(torch.exp(2 * net(x[pick]).clamp(-6, 1.5)) + e[pick] ** 2 + LEAST**2)
        value = -torch.distributions.StudentT(6.0, 0.0, total).log_prob(r[pick]).mean()
        adam.zero_grad()
        value.backward()
        adam.step()
    layers = {name: value.numpy().astype(float) for name, value in net.state_dict().items()}
    return Uncertainty(layers | {"mean": mean, "sd": sd})


def units(spread: Uncertainty, each: dict[str, Any]) -> Reals:
    """Shifts in units of their spread, noise of the truth allowed for."""
    total = np.hypot(spread.spread(each["about"]), each["noise"])
    return np.asarray(np.where(each["noise"] < 0.5, each["shift"] / total, np.nan))


def learn(found: list[dict[str, Any]], folds: Ints) -> Uncertainty:
    """The spread, from all errors; its law, from errors in units of a spread that was learnt from other folds."""
    apart = np.empty((len(found), len(RATIOS)))
    for fold in np.unique(folds):
        others = fit_spread([each for each, f in zip(found, folds, strict=True) if f != fold])
        for i in np.nonzero(folds == fold)[0]:
            apart[i] = units(others, found[i])
    return Uncertainty(dict(fit_spread(found).layers) | fit_law(apart, np.array([each["k"][0] for each in found])))


def fit_law(apart: Reals, k1: Ints) -> dict[str, Reals]:
    """How large errors in units of their spread are at each k₁ and ratio, their law beyond that, and their memory."""
    scale = np.ones((len(SIZES), len(KNOTS)))
    for i, size in enumerate(SIZES):
        for j, knot in enumerate(KNOTS):
            values = apart[np.abs(np.log(k1 / size)) < np.log(3)][:, near(knot)]
            values = values[np.isfinite(values)]
            # so far beyond so many classes there is no truth: what was nearer goes on
            scale[i, j] = np.quantile(np.abs(values), 0.9) / 1.645 if len(values) >= ENOUGH else scale[i, j - 1]
    law = {"scale": scale, "size": np.log(SIZES), "ratio": np.log(KNOTS), "level": LEVELS}
    made = Uncertainty(law)
    about = np.stack([np.repeat(np.log(k1), len(RATIOS)), np.tile(np.log(RATIOS), len(k1))], axis=1)
    values = apart.ravel() / made.scale(about[:, 0], about[:, 1])
    pairs = apart[:, [1, 4]][np.isfinite(apart[:, [1, 4]]).all(axis=1)]
    alike = np.corrcoef(rankdata(pairs, axis=0).T)[0, 1]
    memory = np.log(RATIOS[4] / RATIOS[1]) / -np.log(np.clip(alike, 0.1, 0.99))
    return law | {"quantile": np.quantile(values[np.isfinite(values)], LEVELS), "memory": np.array(memory)}


def needed(made: Uncertainty, each: dict[str, Any], task: dict[str, Any]) -> Reals:
    """How many times as wide the 90% intervals beyond k₁ would have to be for the truth to lie just within."""
    low, high = ends(made, each)
    off = task["truth"] - each["forecast"]
    half = np.where(off > 0, high - each["forecast"], each["forecast"] - low)
    left = np.sqrt(np.maximum(off**2 - (1.645 * task["error"]) ** 2, 0))
    return np.asarray(left / np.maximum(half, 1e-9))[1:]


def widening(enough: Reals, simulated: Array) -> float:
    """How many times as wide intervals must be for 90% to cover, and for 89% of those on simulated populations.

    Real ones are finite, and a quarter of one may have been measured: there is less luck in that than users have.
    """
    return float(max(np.nanquantile(enough, 0.9), np.nanquantile(enough[simulated], 0.89)))


def near(knot: float) -> Any:
    """Rungs of the ladder about a knot."""
    return np.abs(np.log(RATIOS / knot)) < np.log(2.6)


def wider(made: Uncertainty, factor: Reals) -> Uncertainty:
    """The same with intervals so many times as wide at each knot."""
    return Uncertainty(dict(made.layers) | {"scale": factor * made.layers["scale"]})


def ends(made: Uncertainty, each: dict[str, Any], level: float = 0.9) -> Reals:
    """Low and high end of the interval at each rung."""
    chance = np.repeat([[(1 - level) / 2], [(1 + level) / 2]], len(each["k"]), axis=1)
    return shifted(each["fit"], made.shifts(each["about"], ndtri(chance)), each["k"], TOP1)


def table(tasks: list[dict[str, Any]], found: list[dict[str, Any]], level: float = 0.9) -> dict[str, Reals]:
    """Errors, coverage and widths at 1, 2, 5, 20 and 100 times k₁."""
    rungs = [0, 1, 2, 4, 6]
    truth, error = (np.stack([t[name][rungs] for t in tasks]) for name in ("truth", "error"))
    luck = np.stack([oracle_error(t) for t in tasks])[:, rungs]
    context = np.stack([t["context"] for t in tasks])
    low, high = np.stack([each["interval"][:, rungs] for each in found], axis=1)
    rivals = {"two-parameter fit": ndtr(context[:, 13:18]), "mixture": ndtr(context[:, 18:23])}
    forecasts = {"auto": np.stack([each["forecast"][rungs] for each in found])} | rivals
    rows = {f"RMSE, {name}": _rms(values - truth, error) for name, values in forecasts.items()}
    rows["RMSE, oracle"] = np.sqrt(np.nanmean(luck**2, axis=0))
    rows[f"coverage of {level:.0%}"] = np.nanmean(holds(forecasts["auto"], low, high, truth, error, level), axis=0)
    width = np.where(np.isfinite(truth), high - low, np.nan)
    one = np.array([len(t["label"]) <= 1.2 * len(np.unique(t["label"])) for t in tasks])
    mean, theirs = np.nanmean(width[one], axis=0), 2 * ndtri((1 + level) / 2) * luck[one]
    return rows | {
        "width": np.nanmean(width, axis=0),
        "width / oracle's": mean / np.nanmean(theirs, axis=0),
        "width / oracle's, by its RMSE": mean / np.sqrt(np.nanmean(theirs**2, axis=0)),
    }


def holds(forecast: Reals, low: Reals, high: Reals, truth: Reals, error: Reals, level: float) -> Reals:
    """Whether the interval holds the truth, once the error of that is allowed for; NaN where there is none."""
    below, above = (np.hypot(end - forecast, ndtri((1 + level) / 2) * error) for end in (low, high))
    return np.where(np.isfinite(truth), (truth >= forecast - below) & (truth <= forecast + above), np.nan)


def oracle_error(task: dict[str, Any]) -> Reals:
    """Standard error at each rung of the mean chance to be right of one test example of each class."""
    truth, edge = task["truth"], 1e-6
    twice = ndtr(np.interp(np.log(2 * RATIOS), np.log(RATIOS), ndtri(np.clip(truth, edge, 1 - edge)), right=np.nan))
    return np.asarray(np.sqrt(np.maximum(twice - truth**2, 0) / len(np.unique(task["label"]))))


def _rms(error: Reals, noise: Reals) -> Reals:
    """Root mean square, less what the noise of the truth adds."""
    return np.asarray(np.sqrt(np.maximum(np.nanmean(error**2 - noise**2, axis=0), 0)))


def page(tasks: list[dict[str, Any]], found: list[dict[str, Any]], kind: str, factor: Reals) -> str:
    """What happens on families that neither the networks nor their uncertainty had seen."""
    by = f"{factor.min():.3f} to {factor.max():.3f}"
    widened = f"Intervals were widened by {by}, depending on k/k₁: then 90% cover, or more."
    return "\n".join([f"## From {kind}", "", widened, "", *lines(tasks, found, BY_SIZE | ORIGINS | ALL)])


def lines(tasks: list[dict[str, Any]], found: list[dict[str, Any]], groups: dict[str, Belongs]) -> list[str]:
    """A table of errors, coverage and widths for each group that there are tasks of."""
    made: list[str] = []
    for name, belongs in groups.items():
        mine = [i for i, t in enumerate(tasks) if belongs(t)]
        if not mine:
            continue
        made += [f"| {name}: {len(mine)} tasks | 1× | 2× | 5× | 20× | 100× |", "|---|---|---|---|---|---|"]
        rows = table([tasks[i] for i in mine], [found[i] for i in mine])
        made += [f"| {row} | " + " | ".join(_cell(value) for value in values) + " |" for row, values in rows.items()]
        made.append("")
    return made


def _cell(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}"


def main(argv: list[str] | None = None) -> None:
    """Read the command line, learn, test on what was left out, and store."""
    parser = argparse.ArgumentParser(description="Learn how far forecasts are off.")
    parser.add_argument("--features", required=True, type=Path, nargs="+", help="folders of described tasks")
    parser.add_argument("--nets", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--page", required=True, type=Path, help="where to tell about unseen families")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--most", type=int, default=None, help="tasks of each folder to use")
    parser.add_argument("--kinds", nargs="+", default=["scores", "ranks"], help="of networks")
    given = parser.parse_args(argv)
    torch.set_num_threads(1)
    tasks = [task for folder in given.features for task in load(folder, given.most)]
    tasks = [task for task in tasks if fold_of(task["family"]) < FOLDS]
    folds = np.array([fold_of(task["family"]) for task in tasks])
    simulated = np.array([task["family"] not in REAL for task in tasks])
    found: dict[str, list[dict[str, Any]]] = {}
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
        for kind in given.kinds:
            nets = [read_networks(given.nets, kind, fold) for fold in range(FOLDS)]
            of_task = [nets[fold] for fold in folds]
            found[kind] = list(pool.map(errors, tasks, of_task, repeat(kind), chunksize=50))
    text, layers = HEAD, {}
    for kind, all_ in found.items():
        made = {}
        for fold in range(FOLDS):
            seen = np.nonzero(folds != fold)[0]
            made[fold] = learn([all_[i] for i in seen], folds[seen])
        enough = np.stack([needed(made[fold], each, task) for each, task, fold in zip(all_, tasks, folds, strict=True)])
        factor = np.array([widening(enough[:, near(knot)[1:]], simulated) for knot in KNOTS])
        for each, fold in zip(all_, folds, strict=True):
            each["interval"] = ends(wider(made[fold], factor), each)
        text += page(tasks, all_, kind, factor) + "\n"
        final = wider(learn(all_, folds), factor * CAUTION)
        layers |= {f"{kind}/{name}": value for name, value in final.layers.items()}
    print(text)
    given.page.write_text(text.rstrip() + "\n")
    write(given.out, layers)


if __name__ == "__main__":
    main()
