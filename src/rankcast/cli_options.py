"""Options that commands share, and how their text becomes evidence and numbers."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .errors import InputError
from .names import METRICS

if TYPE_CHECKING:
    from .evidence import Evidence

File = Annotated[
    Path | None,
    typer.Argument(
        help="An .npz with scores, labels; or gallery, gallery_labels, probes, probe_labels; or rank, candidates "
        "[, labels]; or an evidence file; or a .csv or .parquet table of ranks or scores. `rankcast inspect` tells "
        "what a file holds. Leave it out if --array gives everything.",
        show_default=False,
    ),
]
Arrays = Annotated[
    list[str] | None,
    typer.Option("--array", help="An array from an .npy file, as NAME=FILE.npy; repeat it.", show_default=False),
]
Metric = Annotated[str, typer.Option(help=f"{METRICS}.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
Similarity = Annotated[str, typer.Option(help="For embeddings: euclidean, sqeuclidean, cosine or dot.")]
Exemplars = Annotated[str, typer.Option(help="For classes with several gallery vectors: nearest or mean.")]
Distances = Annotated[bool, typer.Option("--distances", help="The scores are distances: lower is better.")]
Weighting = Annotated[str, typer.Option(help="What counts equally in averages: class or example.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress on standard error.")]
Numbers = Annotated[str, typer.Option("--k", help="Numbers of classes, e.g. 1000,100000 or 1e6.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same numbers.")]
Method = Annotated[str, typer.Option(help="A name from `rankcast methods`.")]
Level = Annotated[float, typer.Option(help="Coverage of the interval.")]


def words(text: str) -> list[str]:
    """Names with commas between them."""
    return [word.strip() for word in text.split(",") if word.strip()]


def numbers(text: str, option: str = "--k") -> list[int]:
    """Read '1000,1e6,75_763'."""
    values = []
    for word in text.replace(" ", "").split(","):
        try:
            value = float(word.replace("_", ""))
        except ValueError:
            raise InputError(f"{option}: {word!r} is not a number; write e.g. {option} 1000,100000") from None
        if not value.is_integer():
            raise InputError(f"{option}: {word!r} is not a whole number")
        values.append(int(value))
    return values


def number(text: str, option: str = "--k") -> int:
    """Read a single number."""
    found = numbers(text, option)
    if len(found) > 1:
        raise InputError(f"{option}: takes one number here, found {len(found)}: {text}")
    return found[0]


def read(
    file: Path | None,
    arrays: list[str] | None,
    similarity: str,
    exemplars: str,
    distances: bool,
    weighting: str,
    quiet: bool,
) -> "Evidence":
    """Read evidence, and tell about it on standard error."""
    from .readers import read_evidence

    if file is None and not arrays:
        raise InputError("no data: give an .npz file or a table, or arrays with --array NAME=FILE.npy")
    evidence = read_evidence(
        file,
        dict(_named(text) for text in arrays or []),
        similarity=similarity,
        exemplars=exemplars,
        higher_is_better=not distances,
        weighting=weighting,
    )
    if not quiet:
        print(evidence, file=sys.stderr)
    return evidence


def _named(text: str) -> tuple[str, Path]:
    name, found, path = text.partition("=")
    if not (name and found and path):
        raise InputError(f"--array: {text!r} should be NAME=FILE.npy, e.g. --array scores=scores.npy")
    return name, Path(path)
