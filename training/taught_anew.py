"""How `auto` and other methods do on classifiers that are taught anew for every number of classes.

python -m training.taught_anew --tasks cache/anew --page training/taught_anew.md
"""

import argparse
import os
import warnings
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from rankcast import Evidence, forecast
from rankcast.methods import REGISTRY

from .features import truth_at
from .sampling import Reals

METHODS = ("auto", "gaussian", "pooled", "kde-bcv", "kde-ucv", "classexreg")
RATIOS = np.array([2, 5, 10, 20])
SIZES = {"20 to 45": (20, 46), "46 to 110": (46, 111), "from 111": (111, 10_000)}
LEVEL = 0.9
FEWEST = 10  # pieces of evidence that a figure is told of
WITHIN = 1.645  # standard errors of the truth that count beside the interval

HEAD = """# Classifiers that are taught anew for every number of classes

Softmax regressions, support vector machines, discriminant analysis and small networks, each taught anew for every
number of classes, by the same recipe, on other examples than it is tested on: the scores of a class change with the
classes beside it, as no method here supposes. RMSE (and bias) by the number of classes measured and of classes
forecast; {populations} populations, {tasks} pieces of evidence. `auto` has learnt from none of
these (though from the same letters, drawings and sounds), nor was anything chosen by them.
Made by `python -m training.taught_anew`.

"""


def of_task(path: Path) -> tuple[int, Reals, Reals]:
    """Classes measured, errors of all methods at each ratio, and by how much the interval misses the truth."""
    with np.load(path) as stored:
        file = {name: stored[name] for name in stored.files}
    evidence = Evidence.from_scores(file["scores"], file["label"])
    k = evidence.k1 * RATIOS
    truth, noise = truth_at(file, k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = forecast(evidence, k, level=LEVEL, rng=0)
        rest = [REGISTRY[name]().fit(evidence, np.random.default_rng(0)).value(k) for name in METHODS[1:]]
    found = np.stack([made.estimate, *rest])
    beyond = np.maximum(made.low - truth, truth - made.high)
    return evidence.k1, found - truth, beyond - WITHIN * noise


def lines(found: list[tuple[int, Reals, Reals]]) -> list[str]:
    """Root mean square errors and biases of each method, and coverage, by the number of classes measured."""
    sizes = np.array([k1 for k1, *_ in found])
    off, beyond = (np.stack(values) for values in list(zip(*found, strict=True))[1:])
    made: list[str] = []
    for name, (low, high) in SIZES.items():
        mine = (sizes >= low) & (sizes < high)
        far = [
            ratio for ratio, known in zip(RATIOS, np.isfinite(beyond[mine]).sum(axis=0), strict=True) if known >= FEWEST
        ]
        made += [f"| {name} classes, {mine.sum()} | " + " | ".join(f"{ratio}×" for ratio in far) + " |"]
        made += ["|---" * (1 + len(far)) + "|"]
        for i, method in enumerate(METHODS):
            errors = off[mine, i, : len(far)]
            rmse, bias = np.sqrt(np.nanmean(errors**2, axis=0)), np.nanmean(errors, axis=0)
            made.append(
                f"| {method} | " + " | ".join(f"{r:.3f} ({b:+.3f})" for r, b in zip(rmse, bias, strict=True)) + " |"
            )
        ends = beyond[mine, : len(far)]
        inside = np.nanmean(np.where(np.isnan(ends), np.nan, ends <= 0), axis=0)
        made += [
            f"| `auto`'s {LEVEL:.0%} interval holds the truth in | "
            + " | ".join(f"{each:.0%}" for each in inside)
            + " |",
            "",
        ]
    return made


def main(argv: list[str] | None = None) -> None:
    """Read the command line, forecast, and tell how well."""
    parser = argparse.ArgumentParser(description="Test methods on classifiers that are taught anew.")
    parser.add_argument("--tasks", required=True, type=Path, help="folder of what training.real.anew recorded")
    parser.add_argument("--page", required=True, type=Path, help="where to tell about them")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args(argv)
    paths = sorted(given.tasks.glob("[0-9]*.npz"))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    with get_context("spawn").Pool(given.jobs) as pool:
        found = pool.map(of_task, paths, chunksize=8)
    head = HEAD.format(populations=len({path.stem[:-1] for path in paths}), tasks=len(paths))
    given.page.write_text(head + "\n".join(lines(found)).rstrip() + "\n")


if __name__ == "__main__":
    main()
