"""The commands that ask a question of evidence: each calls the function of its name and prints the answer."""

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from .cli_options import (
    Arrays,
    AsJson,
    Distances,
    Exemplars,
    File,
    Level,
    Method,
    Metric,
    Numbers,
    Quiet,
    Seed,
    Similarity,
    Weighting,
    number,
    numbers,
    read,
    words,
)
from .errors import InputError, RankcastWarning

if TYPE_CHECKING:
    from .evidence import Evidence
    from .results import Result

COMMANDS: list[Callable[..., None]] = []


def _common(
    file: File = None,
    *,
    as_json: AsJson = False,
    array: Arrays = None,
    similarity: Similarity = "euclidean",
    exemplars: Exemplars = "nearest",
    distances: Distances = False,
    weighting: Weighting = "class",
    quiet: Quiet = False,
) -> None:
    """What every question takes besides its own options."""


def question(ask: Callable[..., "Result"]) -> Callable[..., "Result"]:
    """Make a command of ``ask``, whose first argument is the evidence, with options to read it and to print JSON."""
    shared = inspect.signature(_common).parameters
    own = [p for name, p in inspect.signature(ask).parameters.items() if name not in ("evidence", "source")]
    first = [shared["file"], *(p for p in own if p.kind == p.POSITIONAL_OR_KEYWORD)]
    rest = [*(p for p in own if p.kind == p.KEYWORD_ONLY), *(p for name, p in shared.items() if name != "file")]

    @wraps(ask)
    def command(**given: Any) -> None:
        from .progress import show_progress

        common = {name: given.pop(name) for name in shared}
        as_json, file, arrays = (common.pop(name) for name in ("as_json", "file", "array"))
        quiet = common.pop("quiet")
        if "source" in inspect.signature(ask).parameters:
            given["source"] = file
        with show_progress(not quiet):
            evidence = read(file, arrays, **common, quiet=quiet or as_json)
            if "other" in given:
                if given["other"] is None:
                    raise InputError("compare takes two files: rankcast compare A.npz B.npz")
                given["other"] = read(given["other"], None, **common, quiet=quiet or as_json)
            with warnings.catch_warnings():
                if not as_json:  # the answer tells them itself
                    warnings.simplefilter("ignore", RankcastWarning)
                result = ask(evidence, **given)
        print(result.to_json() if as_json else result)

    del command.__wrapped__
    command.__signature__ = inspect.Signature([*first, *rest])  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in (*first, *rest)}
    COMMANDS.append(command)
    return ask


@question
def cmc(
    evidence: "Evidence",
    *,
    k: Annotated[str, typer.Option("--k", help="Number of classes; those measured if left out.")] = "",
    n: Annotated[str, typer.Option("--n", help="Ranks, e.g. 1,5,10; a ladder of them if left out.")] = "",
    method: Method = "",
    seed: Seed = 0,
    plot: Annotated[Path | None, typer.Option(help="Also draw it to this .png, .svg or .pdf.")] = None,
) -> "Result":
    """Show the chance of a rank within n, for all n at one number of classes."""
    from .cmc import cmc as compute
    from .methods import DEFAULT

    ranks = numbers(n, "--n") if n else None
    result = compute(evidence, number(k) if k else None, ranks, method=method or DEFAULT, rng=seed)
    if plot is not None:
        result.plot(path=plot)
    return result


@question
def backtest(
    evidence: "Evidence",
    *,
    metric: Metric = "top1",
    method: Method = "",
    level: Level = 0.9,
    repetitions: Annotated[int, typer.Option(help="Random parts of each size.")] = 10,
    seed: Seed = 0,
) -> "Result":
    """Forecast what was measured from a half, a quarter and an eighth of the classes, and compare."""
    from .backtest import backtest as compute
    from .methods import DEFAULT

    return compute(evidence, metric, method or DEFAULT, level, seed, repetitions=repetitions)


@question
def capacity(
    evidence: "Evidence",
    *,
    accuracy: Annotated[float, typer.Option(help="What is asked of the metric.")] = 0.95,
    metric: Metric = "top1",
    method: Method = "",
    level: Level = 0.9,
    seed: Seed = 0,
) -> "Result":
    """Find how many classes there can be until the metric falls below what is asked."""
    from .capacity import capacity as compute
    from .methods import DEFAULT

    return compute(evidence, accuracy, metric, method or DEFAULT, level, seed)


@question
def compare(
    evidence: "Evidence",
    other: Annotated[Path | None, typer.Argument(help="The second system.", show_default=False)] = None,
    *,
    k: Numbers,
    metric: Metric = "top1",
    method: Method = "",
    level: Level = 0.9,
    unpaired: Annotated[bool, typer.Option("--unpaired", help="They were measured on different classes.")] = False,
    seed: Seed = 0,
) -> "Result":
    """Tell which of two systems is better on k classes, how surely, and where they cross."""
    from .compare import compare as compute
    from .methods import DEFAULT

    both = (evidence, cast("Evidence", other))  # read by now
    return compute(*both, numbers(k), metric, method or DEFAULT, level, seed, paired=not unpaired)


@question
def plan(
    evidence: "Evidence",
    *,
    k: Annotated[str, typer.Option("--k", help="Number of classes to forecast, e.g. 100000.")],
    width: Annotated[float, typer.Option(help="How wide the interval may be.")] = 0.02,
    metric: Metric = "top1",
    method: Method = "",
    level: Level = 0.9,
    seed: Seed = 0,
) -> "Result":
    """Tell how many classes and test examples to measure for an interval this narrow."""
    from .methods import DEFAULT
    from .plan import plan as compute

    return compute(evidence, number(k), width, metric, method or DEFAULT, level, seed)


@question
def diagnose(
    evidence: "Evidence",
    *,
    k: Annotated[str, typer.Option("--k", help="Number of classes to forecast; to check how far that is.")] = "",
    groups: Annotated[
        Path | None, typer.Option(help="Group of each class: an .npy, or a table with the columns class, group.")
    ] = None,
    seed: Seed = 0,
) -> "Result":
    """Check what a forecast assumes: what was found, what it means and what to do."""
    from .diagnose import diagnose as compute
    from .tabular import read_groups

    named = None if groups is None else read_groups(groups)
    return compute(evidence, number(k) if k else None, groups=named, rng=seed)


@question
def report(
    evidence: "Evidence",
    source: Path | None = None,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The .html file to write.")] = Path("report.html"),
    k: Annotated[
        str, typer.Option("--k", help="Numbers of classes; 2, 10 and 100 times those measured if left out.")
    ] = "",
    metric: Metric = "top1",
    method: Method = "",
    metrics: Annotated[str, typer.Option(help="Metrics to switch to, e.g. top5,ndcg@10.")] = "",
    methods: Annotated[str, typer.Option(help="Methods to switch to, e.g. mixture,pooled.")] = "",
    level: Level = 0.9,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "",
    repetitions: Annotated[
        int | None, typer.Option(help="Random parts of each size in the back-test; 5 or 3 if left out.")
    ] = None,
    seed: Seed = 0,
) -> "Result":
    """Write all there is to know of a forecast to one page that needs no network."""
    from .methods import DEFAULT
    from .report import report as compute
    from .report.build import METHODS, METRICS

    return compute(
        evidence,
        output,
        numbers(k) if k else None,
        metric,
        method or DEFAULT,
        level,
        seed,
        metrics=words(metrics.replace(" ", "")) or METRICS,
        methods=words(methods.replace(" ", "")) or METHODS,
        repetitions=repetitions,
        title=title or None,
        source=source,
    )
