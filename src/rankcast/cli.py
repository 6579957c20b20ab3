"""The command line: parse, call the function of the same name, print."""

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from . import cli_questions
from .cli_options import (
    Arrays,
    AsJson,
    Distances,
    Exemplars,
    File,
    Level,
    Metric,
    Numbers,
    Quiet,
    Seed,
    Similarity,
    Weighting,
    numbers,
    read,
)
from .cli_paper import paper
from .cli_ranks import merge, ranks
from .errors import RankcastError, RankcastWarning

app = typer.Typer(
    help="Forecast how accurate a recognition system will be on many more classes than it was measured on.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"rankcast {version('rankcast')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def forecast(
    file: File = None,
    *,
    k: Numbers,
    method: Annotated[str, typer.Option(help="A name from `rankcast methods`, or all.")] = "",
    metric: Metric = "top1",
    level: Level = 0.9,
    seed: Seed = 0,
    replicates: Annotated[int, typer.Option(help="Replicates of the bootstrap.")] = 200,
    as_json: AsJson = False,
    plot: Annotated[Path | None, typer.Option(help="Also draw it to this .png, .svg or .pdf.")] = None,
    array: Arrays = None,
    similarity: Similarity = "euclidean",
    exemplars: Exemplars = "nearest",
    distances: Distances = False,
    weighting: Weighting = "class",
    quiet: Quiet = False,
) -> None:
    """Forecast a metric on k classes from a measurement on fewer."""
    from .comparison import compare_methods
    from .forecast import forecast as compute
    from .methods import DEFAULT
    from .progress import show_progress

    ks = numbers(k)
    with show_progress(not quiet):
        evidence = read(file, array, similarity, exemplars, distances, weighting, quiet or as_json)
        if method == "all":
            table = compare_methods(evidence, ks, metric, rng=seed)
            print(json.dumps(table.to_dict(), indent=2) if as_json else table)
            return
        with warnings.catch_warnings():
            if not as_json:  # the table tells them itself
                warnings.simplefilter("ignore", RankcastWarning)
            result = compute(evidence, ks, metric, method or DEFAULT, level=level, rng=seed, replicates=replicates)
    print(result.to_json() if as_json else result)
    if plot is not None:
        result.plot(path=plot)


@app.command()
def curve(
    file: File = None,
    *,
    k: Annotated[str, typer.Option("--k", help="Numbers of classes; a ladder of them if left out.")] = "",
    metric: Metric = "top1",
    as_json: AsJson = False,
    array: Arrays = None,
    similarity: Similarity = "euclidean",
    exemplars: Exemplars = "nearest",
    distances: Distances = False,
    weighting: Weighting = "class",
    quiet: Quiet = False,
) -> None:
    """Show the exact metric at numbers of classes up to those measured."""
    from .curve import curve as compute
    from .metrics import show
    from .progress import show_progress

    with show_progress(not quiet):
        evidence = read(file, array, similarity, exemplars, distances, weighting, quiet or as_json)
        ks = numbers(k) if k else _rungs(evidence.k1)
        values = compute(evidence, ks, metric).tolist()
    if as_json:
        print(json.dumps({"metric": metric, "k": ks, "value": values}, indent=2))
        return
    print(f"Exact {metric} on random subsets of the {evidence.k1:,} classes measured")
    for number, value in zip(ks, values, strict=True):
        print(f"  {number:>9,}   {show(value)}")


def _rungs(k1: int) -> list[int]:
    """2, 5, 10, 20 … up to k₁."""
    rungs = [step * 10**power for power in range(9) for step in (1, 2, 5)]
    return [rung for rung in rungs if 1 < rung < k1] + [k1]


for question in cli_questions.COMMANDS:
    app.command()(question)
app.command()(ranks)
app.command()(merge)
app.command()(paper)


@app.command()
def inspect(
    file: Annotated[Path, typer.Argument(help="An .npz, .npy, .csv, .tsv or .parquet file.")],
    as_json: AsJson = False,
) -> None:
    """Tell what a file holds, whether it can be used, and what to do next."""
    from .inspection import inspect as compute

    found = compute(file)
    print(found.to_json() if as_json else found)


@app.command()
def methods(as_json: AsJson = False) -> None:
    """List the methods that can be asked for by name."""
    from .comparison import methods as compute

    rows = compute().to_dicts()
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(*("name", "needs", "reference", "cost", "fails on"), box=None)
    for row in rows:
        table.add_row(*row.values())
    Console().print(table)


@app.command()
def demo(
    plot: Annotated[Path | None, typer.Option(help="Also draw it to this .png, .svg or .pdf.")] = None,
) -> None:
    """Forecast 75,763 Han characters from 300, and compare with the truth."""
    from .demo import run

    print(run(plot))


def _note(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    print(f"rankcast: note: {message}", file=sys.stderr)


def main() -> None:
    """Run the command line: exit code 2 and one line for bad input, a traceback only for a bug."""
    quiet = {"-q", "--quiet"} & set(sys.argv)
    with warnings.catch_warnings():
        warnings.showwarning = _note
        warnings.simplefilter("ignore" if quiet else "always", UserWarning)
        try:
            app()
        except RankcastError as error:
            print(f"rankcast: {error}", file=sys.stderr)
            sys.exit(2)
