"""How the networks of the package do on real kinds that are new to them, or on populations drawn with other seeds.

    python -m training.newcomers --features cache/features-raw --kinds molecules patches --page training/new_kinds.md

is for a round of learning that is about to begin: it says nothing of networks that have learnt from these kinds.
Without ``--kinds`` all tasks of the folders are taken, which should be such as no network has learnt from.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from rankcast.pretrained.network import networks
from rankcast.pretrained.uncertainty import uncertainty

from .calibrate import ALL, BY_SIZE, ORIGINS, Belongs, ends, errors, lines
from .features import RATIOS
from .real.kinds import KINDS
from .train import load

HEAD = """# `auto` on real kinds that were new to it

Measured with the networks and the interval of the package before any of them had learnt from these kinds:
{kinds}. About {number} populations of each, two pieces of evidence from each, and three random parts
of each of these. RMSE, coverage and the oracle are as in `unseen_families.md`; but these populations are finite, and a
quarter of one may have been measured, so that there is less luck than the oracle's in the draw of the classes.
Made by `python -m training.newcomers`.

"""


def _accurate(task: dict[str, Any], low: float, high: float) -> bool:
    """Whether 300 to 1,000 classes of a real kind were measured, and the truth at twenty times as many lies between."""
    return task["family"] in KINDS and 300 <= task["k1"] <= 1000 and bool(low <= task["truth"][RUNG] < high)


RUNG = list(RATIOS).index(20)
LIKE_TESTS: dict[str, Belongs] = {
    "real kinds, k₁ from 300 to 1,000, accuracy .3 to .8 at 20×": partial(_accurate, low=0.3, high=0.8),
    "real kinds, k₁ from 300 to 1,000, accuracy .05 to .3 at 20×": partial(_accurate, low=0.05, high=0.3),
}

OTHERS = """# `auto` on populations that it did not learn from, of families and kinds that it did

{number} populations drawn with other seeds than those that networks of the package learnt from, evidence from these,
and three random parts of each. RMSE, coverage and the oracle are as in `unseen_families.md`; real ones are finite.
Made by `python -m training.newcomers`.

"""


def main(argv: list[str] | None = None) -> None:
    """Read the command line, forecast, and tell how well."""
    parser = argparse.ArgumentParser(description="Test the networks of the package on what is new to them.")
    parser.add_argument("--features", required=True, type=Path, nargs="+", help="folders of described tasks")
    parser.add_argument("--kinds", nargs="+", choices=sorted(KINDS), help="that are new; else all tasks are taken")
    parser.add_argument("--page", required=True, type=Path, help="where to tell about them")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args(argv)
    torch.set_num_threads(1)
    found_there = (task for folder in given.features for task in load(folder))
    tasks = [task for task in found_there if not given.kinds or task["family"] in given.kinds]
    law, nets = uncertainty("scores"), list(networks("scores"))
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
        found: list[dict[str, Any]] = list(pool.map(errors, tasks, repeat(nets), repeat("scores"), chunksize=20))
    for each in found:
        each["interval"] = ends(law, each)
    number = len({(task["family"], task["seed"] // 10 if task["family"] in KINDS else task["seed"]) for task in tasks})
    if given.kinds:
        text = HEAD.format(kinds=", ".join(given.kinds), number=round(number / len(given.kinds)))
        groups = {kind: lambda task, kind=kind: task["family"] == kind for kind in given.kinds} | BY_SIZE | ALL
    else:
        text, groups = OTHERS.format(number=number), BY_SIZE | ORIGINS | LIKE_TESTS | ALL
    given.page.write_text(text + "\n".join(lines(tasks, found, groups)).rstrip() + "\n")


if __name__ == "__main__":
    main()
