"""How `auto` and other methods do on classifiers that are taught anew for every number of classes.

python -m training.taught_anew --tasks cache/anew --page training/taught_anew.md
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

from rankcast import Evidence, forecast
from rankcast.methods import REGISTRY

from .calibrate import holds
from .features import truth_at
from .generate import read
from .sampling import Reals
from .workers import workers

METHODS = ("auto", "gaussian", "pooled", "kde-bcv", "kde-ucv", "classexreg")
RATIOS = np.array([2, 5, 10, 20])
SIZES = {"20 to 45": (20, 46), "46 to 110": (46, 111), "from 111": (111, 10_000)}
LEVEL = 0.9
FEWEST = 10  # pieces of evidence that a figure is told of

HEAD = """# Classifiers that are taught anew for every number of classes

Softmax regressions, support vector machines, discriminant analysis and small networks, each taught anew for every
number of classes, by the same recipe, on other examples than it is tested on: the scores of a class change with the
classes beside it, as no method here supposes. RMSE (and bias) by the number of classes measured and of classes
forecast; {populations} populations, {tasks} pieces of evidence. `auto` has learnt from none of
these (though from the same letters, drawings and sounds), nor was anything chosen by them.
Made by `python -m training.taught_anew`.

"""


def of_task(path: Path) -> tuple[int, Reals, Reals]:
    """Classes measured, errors of all methods at each ratio, and whether `auto`'s interval holds the truth there."""
    file = read(path)
    evidence = Evidence.from_scores(file["scores"], file["label"])
    k = evidence.k1 * RATIOS
    truth, error = truth_at(file, k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = forecast(evidence, k, level=LEVEL, rng=0)
        rest = [REGISTRY[name]().fit(evidence, np.random.default_rng(0)).value(k) for name in METHODS[1:]]
    held = holds(made.estimate, made.low, made.high, truth, error, LEVEL)
    return evidence.k1, np.stack([made.estimate, *rest]) - truth, held


def lines(found: list[tuple[int, Reals, Reals]]) -> list[str]:
    """Root mean square errors and biases of each method, and coverage, by the number of classes measured."""
    sizes = np.array([k1 for k1, *_ in found])
    off, held = (np.stack(values) for values in list(zip(*found, strict=True))[1:])
    made: list[str] = []
    for name, (low, high) in SIZES.items():
        mine = (sizes >= low) & (sizes < high)
        known = np.isfinite(held[mine]).sum(axis=0) >= FEWEST
        made.append(_row(f"{name} classes, {mine.sum()}", [f"{ratio}×" for ratio in RATIOS[known]]))
        made.append(_row("---", ["---"] * known.sum()))
        for method, errors in zip(METHODS, off[mine][:, :, known].swapaxes(0, 1), strict=True):
            both = zip(np.sqrt(np.nanmean(errors**2, axis=0)), np.nanmean(errors, axis=0), strict=True)
            made.append(_row(method, [f"{rmse:.3f} ({bias:+.3f})" for rmse, bias in both]))
        share = np.nanmean(held[mine][:, known], axis=0)
        made += [_row(f"`auto`'s {LEVEL:.0%} interval holds the truth in", [f"{each:.0%}" for each in share]), ""]
    return made


def _row(head: str, cells: list[str]) -> str:
    return f"| {' | '.join([head, *cells])} |"


def main(argv: list[str] | None = None) -> None:
    """Read the command line, forecast, and tell how well."""
    parser = argparse.ArgumentParser(description="Test methods on classifiers that are taught anew.")
    parser.add_argument("--tasks", required=True, type=Path, help="folder of what training.real.anew recorded")
    parser.add_argument("--page", required=True, type=Path, help="where to tell about them")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args(argv)
    paths = sorted(given.tasks.glob("[0-9]*.npz"))
    with workers(given.jobs) as pool:
        found = pool.map(of_task, paths, chunksize=8)
    head = HEAD.format(populations=len({path.stem[:-1] for path in paths}), tasks=len(paths))
    given.page.write_text(head + "\n".join(lines(found)).rstrip() + "\n")


if __name__ == "__main__":
    main()
