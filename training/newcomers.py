"""How the networks of the package do on real kinds that are new to them, before they learn from these.

python -m training.newcomers --features cache/features-raw --kinds molecules patches --page training/new_kinds.md

It says nothing of networks that have learnt from them: it is for a round of learning that is about to begin.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from rankcast.pretrained.network import networks
from rankcast.pretrained.uncertainty import uncertainty

from .calibrate import ALL, BY_SIZE, ends, errors, lines
from .real.kinds import KINDS
from .train import load

HEAD = """# `auto` on real kinds that were new to it

Measured with the networks and the interval of the package before any of them had learnt from these kinds:
{kinds}. About {number} populations of each, two pieces of evidence from each, and three random parts
of each of these. RMSE, coverage and the oracle are as in `unseen_families.md`; but these populations are finite, and a
quarter of one may have been measured, so that there is less luck than the oracle's in the draw of the classes.
Made by `python -m training.newcomers`.

"""


def main(argv: list[str] | None = None) -> None:
    """Read the command line, forecast, and tell how well."""
    parser = argparse.ArgumentParser(description="Test the networks of the package on kinds that are new to them.")
    parser.add_argument("--features", required=True, type=Path, nargs="+", help="folders of described tasks")
    parser.add_argument("--kinds", required=True, nargs="+", choices=sorted(KINDS))
    parser.add_argument("--page", required=True, type=Path, help="where to tell about them")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args(argv)
    torch.set_num_threads(1)
    tasks = [task for folder in given.features for task in load(folder) if task["family"] in given.kinds]
    law, nets = uncertainty("scores"), list(networks("scores"))
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
        found: list[dict[str, Any]] = list(pool.map(errors, tasks, repeat(nets), repeat("scores"), chunksize=20))
    for each in found:
        each["interval"] = ends(law, each)
    populations = {(task["family"], task["seed"] // 10) for task in tasks}
    kinds = {kind: lambda task, kind=kind: task["family"] == kind for kind in given.kinds}
    text = HEAD.format(kinds=", ".join(given.kinds), number=round(len(populations) / len(given.kinds)))
    given.page.write_text(text + "\n".join(lines(tasks, found, kinds | BY_SIZE | ALL)).rstrip() + "\n")


if __name__ == "__main__":
    main()
