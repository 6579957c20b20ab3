"""Check the simulator: closed forms, unbiasedness, and how varied the tasks are.

    python -m training.validate --cache cache --tasks 200

prints the accuracy curves by family from the shards of ``generate.py``, the truth of two populations with a
closed form against it, and z-scores of the exact curve of the evidence against the simulated truth.
"""

import argparse
from pathlib import Path

import numpy as np

from rankcast import Favourability, curve

from .generate import load
from .geometry import Spread
from .matching import Match
from .sampling import Array, Cloud, Reals
from .special import PairPopulation
from .tasks import LADDER, Task, make_task
from .truth import chance, meet, stages
from .vectors import Noise, VectorPopulation

_GROUPS = 20


def isotropic(dim: int, variance: float) -> VectorPopulation:
    """The population of the published simulation: for checks only, never for training."""
    ones = np.ones(dim, np.float32)
    return VectorPopulation(
        family="isotropic",
        match=Match("sqeuclidean"),
        geometry=Spread(Cloud("normal", ones)),
        noise=Noise(Cloud("normal", ones)),
        level=float(np.sqrt(variance)),
    )


def isotropic_check(dim: int, variance: float, k: Array, probes: int, seed: int = 0) -> tuple[Reals, Reals]:
    """Simulated accuracy of the published simulation, and its standard error."""
    rng = np.random.default_rng(seed)
    population = isotropic(dim, variance)
    classes = population.classes(probes, rng)
    tests = population.tests(classes, np.arange(probes), rng)
    tally = meet(population, tests, stages(int(k.min()), 4 * int(k.max())), rng)
    return tally.accuracy(k)


def pairs_check(k: Array, probes: int, seed: int = 0) -> tuple[Reals, Reals, Reals]:
    """Simulated accuracy, its standard error and the closed form, where Φ⁻¹(U*) is N(2, 1.25)."""
    rng = np.random.default_rng(seed)
    population = PairPopulation(
        family="pairs",
        match=Match("pairs"),
        level=float(np.exp(-1.0)),
        genuine=Cloud("normal", np.ones(1, np.float32)),
        width=32,
        ease=0.5,
        hard=(0.0, 0.0),
        popular=0.2,
        skew=0.3,
        tail=0.8,
        place=0.5,
        stretch=0.3,
    )
    classes = population.classes(probes, rng)
    tests = population.tests(classes, np.arange(probes), rng)
    tally = meet(population, tests, stages(int(k.min()), 4 * int(k.max())), rng)
    exact = Favourability([2.0], [1.0], np.sqrt(1.25)).value(k)
    return *tally.accuracy(k), exact


def curve_error(task: Task, k: int, seed: int = 0) -> float:
    """Standard error of the exact curve of the evidence at ``k``, by leaving out groups of classes."""
    evidence = task.evidence
    classes = evidence.k1
    group = np.random.default_rng(seed).permutation(classes) % _GROUPS
    masks = group[:, None] != np.arange(_GROUPS)
    beaten, tied = evidence.within(masks)
    values = np.empty(_GROUPS)
    for g in range(_GROUPS):
        kept = group[evidence.label] != g
        rivals = int(masks[:, g].sum()) - 1
        lost = rivals - beaten[kept, g] - tied[kept, g]
        weight = evidence.weight[kept] / evidence.weight[kept].sum()
        values[g] = weight @ chance(lost, tied[kept, g], rivals, np.array([k]))
    return float(np.sqrt((_GROUPS - 1) * np.var(values)))


def bias_check(tasks: int, first: int, largest: int = 1500) -> dict[str, Reals]:
    """For each of some tasks: curve of the evidence, truth and z-score of their difference, at k₁/2."""
    rows = []
    for seed in range(first, first + tasks):
        task = make_task(seed, k1=int(np.exp(np.random.default_rng(seed).uniform(np.log(60), np.log(largest)))))
        k = task.evidence.k1 // 2
        truth, error = (float(part[0]) for part in task.tally.accuracy(np.array([k])))
        measured = float(curve(task.evidence, k))
        spread = np.hypot(curve_error(task, k), error)
        rows.append((measured, truth, (measured - truth) / max(spread, 1e-9), float(task.held_out)))
    columns = np.array(rows).T
    return dict(zip(("measured", "truth", "z", "held_out"), columns, strict=True))


def print_variety(data: dict[str, Array]) -> None:
    """Tables of accuracy, its fall and the ties, by family."""
    quantiles = [0.1, 0.5, 0.9]
    at = {int(step): i for i, step in enumerate(LADDER)}
    truth = data["truth"]
    columns = {
        "accuracy k1": truth[:, 0],
        "fall to 10 k1": truth[:, 0] - truth[:, at[10]],
        "fall to 100 k1": truth[:, 0] - truth[:, at[100]],
        "tied": data["tied"],
    }
    print(f"{'10%, 50%, 90% quantiles':24s}" + "".join(f"{name:>22s}" for name in columns))
    for family in ["all", *np.unique(data["family"]).tolist()]:
        mine = np.ones(len(truth), bool) if family == "all" else data["family"] == family
        mark = "" if family == "all" or not data["held_out"][mine][0] else " (held out)"
        cells = []
        for column in columns.values():
            values = column[mine][np.isfinite(column[mine])]
            cells.append("".join(f"{q:7.3f}" for q in np.quantile(values, quantiles)) if len(values) else "-")
        print(f"{family + mark:20s}{mine.sum():4d}" + "".join(f"{cell:>22s}" for cell in cells))
    print("\nshare of tasks by accuracy at k1")
    edges = [0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999, 1.01]
    share = np.histogram(truth[:, 0], edges)[0] / len(truth)
    print("  ".join(f"<{edge:g}: {value:.2f}" for edge, value in zip(edges[1:], share, strict=True)))
    seconds = data["seconds"][:, 0]
    print(
        f"\nCPU seconds a task: mean {seconds.mean():.2f}, median {np.median(seconds):.2f}, worst {seconds.max():.2f}"
    )
    for step in (1, 10, 100):
        found = data["truth_error"][:, at[step]]
        print(
            f"standard error of the truth at {step:3d} k1: mean {np.nanmean(found):.4f}, worst {np.nanmax(found):.4f}"
        )
    gap = data["oracle"] - truth
    print(
        "oracle's rms error by k/k1: ",
        {int(s): round(float(np.sqrt(np.nanmean(g**2))), 4) for s, g in zip(LADDER, gap.T, strict=True)},
    )


def print_bias(found: dict[str, Reals]) -> None:
    """How the z-scores of the evidence's curve compare with a standard normal."""
    for name, rows in (("all", found["z"] > -np.inf), ("truth in .05 to .95", np.abs(found["truth"] - 0.5) < 0.45)):
        z = found["z"][rows]
        error = z.std() / np.sqrt(len(z))
        print(
            f"z of the curve at k1/2, {name}: n {len(z)}, mean {z.mean():.3f} ± {error:.3f}, sd {z.std():.2f}, ", end=""
        )
        print(f"|z| > 1.645: {np.mean(np.abs(z) > 1.645):.3f}, > 2.576: {np.mean(np.abs(z) > 2.576):.3f}")


def main(argv: list[str] | None = None) -> None:
    """Print all checks."""
    parser = argparse.ArgumentParser(description="Check the simulator of training tasks.")
    parser.add_argument("--cache", type=Path, help="directory of shards to describe")
    parser.add_argument("--tasks", type=int, default=200, help="tasks for the z-scores")
    parser.add_argument("--first", type=int, default=1_000_000, help="seed of the first of them")
    given = parser.parse_args(argv)
    k = np.array([500, 1000, 2000, 5000])
    for variance in (0.1, 0.2, 0.4):
        mean, error = isotropic_check(10, variance, k, 4000)
        print(f"isotropic, variance {variance}: {np.round(mean, 4)} ± {np.round(error, 4)}")
    mean, error, exact = pairs_check(k, 4000)
    print(f"pairs: {np.round(mean, 4)} ± {np.round(error, 4)}, exact {np.round(exact, 4)}")
    if given.cache:
        print_variety(load(given.cache))
    if given.tasks:
        print_bias(bias_check(given.tasks, given.first))


if __name__ == "__main__":
    main()
