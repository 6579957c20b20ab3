"""Train the network on described tasks.

    python -m training.train --features cache/features cache/structured --out cache/nets --fold 0 --minutes 10

With ``--fold`` the families of that fold are left out, and the error on them is printed now and then; without, all
families are used. With ``--start`` a network that has learnt before goes on learning.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rankcast.pretrained.network import networks

from .features import KINDS, RATIOS
from .folds import FOLDS, fold_of
from .generate import read, write
from .network import Batch, Network, loss
from .real.kinds import KINDS as REAL
from .tasks import LISTS

RANK_FEATURES, RANK_ESTIMATES, RANK_CONTEXT = 5, 3, 23
FLOOR = 0.006
ROWS = 4_000  # in a batch
MOST_ROWS = (256, 1024)  # of one task, of few classes and of many, chosen anew each time it is seen
ALL = slice(None)
LEARNT = [0, 1, 2, 4, 6, 8]  # rungs that the loss is reckoned on


def load(folder: Path, most: int | None = None) -> list[dict[str, Any]]:
    """All described evidence of a folder, or that of some of its tasks, evenly spaced."""
    found, paths = [], sorted(folder.glob("[0-9]*.npz"))
    if most is not None and most < len(paths):
        paths = [paths[i] for i in np.linspace(0, len(paths) - 1, most, dtype=int)]
    for path in paths:
        with np.load(path) as file:
            origin = {name: str(file[name]) for name in ("family", "score")} | {"seed": int(file["seed"])}
            for kind in KINDS:
                if f"{kind}_z" not in file.files:
                    continue
                names = ("example", "z", "spread", "context", "weight", "label", "k1", "truth", "error")
                found.append(origin | {"kind": kind} | {name: file[f"{kind}_{name}"] for name in names})
    return found


def effective(task: dict[str, Any]) -> float:
    """Number of independent classes that the evidence is worth."""
    if "size" in task:
        return float(task["size"])
    return float(1 / np.square(np.bincount(task["label"], task["weight"])).sum())


def batch(tasks: list[dict[str, Any]], ranks_only: bool, rungs: slice | list[int] = ALL) -> Batch:
    """Tasks as tensors, with the truth on some rungs of the ladder."""
    f, e, c = (RANK_FEATURES, RANK_ESTIMATES, RANK_CONTEXT) if ranks_only else (None, None, None)
    sizes = [len(task["weight"]) for task in tasks]

    def joined(name: str, stop: int | None = None) -> torch.Tensor:
        parts = [task[name] if stop is None else task[name][:, :stop] for task in tasks]
        return torch.from_numpy(np.concatenate(parts).astype(np.float32))

    truth, error = (np.stack([task[name][rungs] for task in tasks]) for name in ("truth", "error"))
    known = np.isfinite(truth)
    y, error = np.nan_to_num(truth), np.nan_to_num(error)
    size = np.array([effective(task) for task in tasks])[:, None]
    scale = np.sqrt(FLOOR**2 + error**2 + y * (1 - y) / size)
    tensor = lambda values: torch.from_numpy(np.asarray(values, np.float32))  # noqa: E731
    return Batch(
        example=joined("example", f),
        z=joined("z", e),
        spread=joined("spread"),
        weight=joined("weight"),
        owner=torch.from_numpy(np.repeat(np.arange(len(tasks)), sizes)),
        context=tensor(np.stack([task["context"][:c] for task in tasks])),
        k=tensor([task["k1"] * RATIOS[rungs] for task in tasks]),
        truth=tensor(y),
        scale=tensor(scale),
        known=tensor(known),
    )


def batches(tasks: list[dict[str, Any]], ranks_only: bool, rng: np.random.Generator) -> list[Batch]:
    """All tasks in random order, in batches of about as many rows."""
    found: list[Batch] = []
    held: list[dict[str, Any]] = []
    rows = 0
    for i in rng.permutation(len(tasks)):
        held.append(some_rows(tasks[i], rng))
        rows += len(held[-1]["weight"])
        if rows >= ROWS:
            found.append(batch(held, ranks_only, LEARNT))
            held, rows = [], 0
    return found + ([batch(held, ranks_only, LEARNT)] if held else [])


def some_rows(task: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """The task with some of its examples at most."""
    n, most = len(task["weight"]), int(np.clip(2 * task["k1"], *MOST_ROWS))
    if n <= most:
        return task
    kept = rng.permutation(n)[:most]
    part = {name: task[name][kept] for name in ("example", "z", "spread", "weight")}
    return task | part | {"weight": part["weight"] / part["weight"].sum(), "size": effective(task)}


def forecast(network: Network, tasks: list[dict[str, Any]], ranks_only: bool) -> np.ndarray:
    """Forecasts at each rung of the ladder: tasks × rungs."""
    with torch.no_grad():
        parts = [network.accuracy(batch(tasks[i : i + 20], ranks_only)) for i in range(0, len(tasks), 20)]
    return torch.cat(parts).numpy()


def train(
    tasks: list[dict[str, Any]],
    width: int,
    minutes: float,
    seed: int,
    ranks_only: bool = False,
    rate: float = 2e-3,
    decay: float = 0.01,
    blur: float = 0.1,
    watch: list[dict[str, Any]] | None = None,
    start: Path | int | None = None,
    keep: float = 0.0,
) -> Network:
    """Adam with a falling rate for so many minutes; batches are drawn anew each time through the tasks.

    The network is a new one, or that of the file ``start``, or the one with that number in the package, which also says
    how inputs are standardised. In the end its weights are moved back towards what they were, by a share ``keep`` of
    the way.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    first = batch(tasks, ranks_only)
    network = Network(first.example.shape[1], first.z.shape[1], first.context.shape[1], width)
    network.standardise(first.example, first.context)
    del first
    if start is not None:
        network.load_state_dict(stored(start, ranks_only))
    adam = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay)
    begun, average = ({name: value.clone() for name, value in network.state_dict().items()} for _ in range(2))
    started, epoch, step = time.process_time(), 0, 0
    while True:
        total = 0.0
        drawn = batches(tasks, ranks_only, rng)
        for b in drawn:
            passed = min(1.0, (time.process_time() - started) / (60 * minutes))
            adam.param_groups[0]["lr"] = rate * min(1.0, (step + 1) / 100) * (0.5 + 0.5 * np.cos(np.pi * passed)) + 1e-5
            value = loss(network.accuracy(b, blur), b)
            adam.zero_grad()
            value.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)  # one odd batch should not throw it off
            adam.step()
            step += 1
            total += value.item()
            for name, now in network.state_dict().items():
                average[name].mul_(0.99).add_(now, alpha=0.01)
        epoch += 1
        report = ""
        if passed >= 1:
            network.load_state_dict({name: value.lerp(begun[name], keep) for name, value in average.items()})
        if epoch % 10 == 0 or passed >= 1:
            report = f" unseen {score(forecast(network, watch, ranks_only), watch)}" if watch else " "
        if report:
            print(
                f"epoch {epoch} {time.process_time() - started:.0f} s loss {total / len(drawn):.3f}{report}", flush=True
            )
        if passed >= 1:
            return network


def stored(start: Path | int, ranks_only: bool) -> dict[str, torch.Tensor]:
    """Layers of a network in a file, or of the one with a number in the package."""
    if isinstance(start, int):
        layers = dict(networks("ranks" if ranks_only else "scores")[start].layers)
    else:
        layers = read(start)
    return {name: torch.from_numpy(value.astype(np.float32)) for name, value in layers.items()}


def score(found: np.ndarray, tasks: list[dict[str, Any]]) -> np.ndarray:
    """RMSE at 1, 2, 5, 20 and 100 times k₁."""
    truth = np.stack([task["truth"] for task in tasks])
    return np.sqrt(np.nanmean((found - truth) ** 2, axis=0))[[0, 1, 2, 4, 6]].round(4)


def main(argv: list[str] | None = None) -> None:
    """Read the command line, train, and store the network."""
    parser = argparse.ArgumentParser(description="Train the network.")
    parser.add_argument("--features", required=True, type=Path, nargs="+", help="folders of described tasks")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--fold", type=int, default=None, choices=range(FOLDS))
    parser.add_argument("--ranks-only", action="store_true")
    parser.add_argument("--width", type=int, default=56)
    parser.add_argument("--minutes", type=float, default=10.0, help="of CPU time")
    parser.add_argument("--rate", type=float, default=2e-3, help="of learning, at first")
    parser.add_argument(
        "--start",
        type=lambda given: int(given) if given.isdigit() else Path(given),
        help="file of a network that goes on learning, or number of one in the package",
    )
    parser.add_argument("--keep", type=float, default=0.0, help="how far to go back to that network in the end")
    parser.add_argument("--decay", type=float, default=0.01, help="weight decay")
    parser.add_argument("--blur", type=float, default=0.1, help="noise added to the context while training")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=None, help="tasks of each folder to use")
    parser.add_argument(
        "--families", nargs="+", default=[*LISTS, "real"], help="to learn from: lists or names; else all"
    )
    parser.add_argument("--real", type=int, default=2, help="how many times real populations count")
    given = parser.parse_args(argv)
    torch.set_num_threads(1)
    tasks = [task for folder in given.features for task in load(folder, given.most)]
    lists = LISTS | {"real": list(REAL)}
    known = {family for name in given.families for family in lists.get(name, [name])}
    seen = [task for task in tasks if task["family"] in known and fold_of(task["family"]) != given.fold]
    unseen = [task for task in tasks if fold_of(task["family"]) == given.fold]
    seen += (given.real - 1) * [task for task in seen if task["family"] in REAL]
    print(f"{len(seen)} to train on, {len(unseen)} unseen", flush=True)
    name = f"{'ranks' if given.ranks_only else 'scores'}-{'all' if given.fold is None else given.fold}-{given.seed}.npz"
    fields = ("width", "minutes", "seed", "ranks_only", "rate", "decay", "blur", "start", "keep")
    network = train(seen, **{field: vars(given)[field] for field in fields}, watch=unseen)
    given.out.mkdir(parents=True, exist_ok=True)
    columns: dict[str, Any] = {layer: value.numpy() for layer, value in network.state_dict().items()}
    write(given.out / name, columns)


if __name__ == "__main__":
    main()
