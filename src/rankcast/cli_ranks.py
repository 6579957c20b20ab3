"""The commands that make evidence: rank probes in a gallery, and put parts together."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from .errors import InputError

if TYPE_CHECKING:
    from .evidence import Evidence

_VECTORS = ".npy, .safetensors, .parquet, .h5 or .zarr; FILE::NAME if it holds several arrays"
Output = Annotated[Path, typer.Option("--output", "-o", help="The evidence file to write (.npz).", show_default=False)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress on standard error.")]


def ranks(
    gallery: Annotated[str, typer.Argument(help=f"Vectors of the classes: {_VECTORS}.", show_default=False)],
    probes: Annotated[str, typer.Argument(help="Vectors of the test examples, likewise.", show_default=False)],
    *,
    output: Output,
    gallery_labels: Annotated[str, typer.Option(help="File with their classes; row numbers if left out.")] = "",
    probe_labels: Annotated[str, typer.Option(help="File with their classes; row numbers if left out.")] = "",
    gallery_scale: Annotated[str, typer.Option(help="For int8: a number, or a file with one per vector.")] = "",
    probe_scale: Annotated[str, typer.Option(help="For int8: a number, or a file with one per vector.")] = "",
    truth: Annotated[str, typer.Option(help="If the gallery is a shard: vectors of the probes' own classes.")] = "",
    truth_labels: Annotated[str, typer.Option(help="File with the classes of --truth.")] = "",
    similarity: Annotated[str, typer.Option(help="euclidean, sqeuclidean, cosine or dot.")] = "euclidean",
    exemplars: Annotated[str, typer.Option(help="For several vectors per class: nearest or mean.")] = "nearest",
    weighting: Annotated[str, typer.Option(help="What counts equally in averages: class or example.")] = "class",
    memory: Annotated[str, typer.Option(help="Budget for the work beside the inputs.")] = "1GB",
    checkpoint: Annotated[Path | None, typer.Option(help="Continue from this file; removed when done.")] = None,
    max_probes: Annotated[int | None, typer.Option(help="Draw so many probes at random.")] = None,
    max_rivals: Annotated[int | None, typer.Option(help="Draw so many classes to rank against.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed draws the same.")] = 0,
    cluster: Annotated[
        str, typer.Option(help="Address of a Dask scheduler whose workers see the files, or local.")
    ] = "",
    workers: Annotated[int, typer.Option(help="Processes of a local cluster.")] = 2,
    scores: Annotated[bool, typer.Option("--scores", help="Keep the vectors in the file, for score methods.")] = False,
    quiet: Quiet = False,
) -> None:
    """Rank each probe's own class among all classes of a gallery, and write the evidence."""
    from .progress import show_progress
    from .stores import open_store

    _writable(output)
    vectors, tests = open_store(gallery), open_store(probes)
    if truth and not truth_labels:
        raise InputError("--truth needs --truth-labels: which class each of its vectors belongs to")
    try:
        with show_progress(not quiet), _maker(cluster, workers) as make:
            evidence = make(
                gallery,
                gallery_labels or range(vectors.shape[0]),
                probes,
                probe_labels or range(tests.shape[0]),
                similarity=similarity,
                exemplars=exemplars,
                weighting=cast(Any, weighting),
                gallery_scale=_scale(gallery_scale),
                probe_scale=_scale(probe_scale),
                memory=memory,
                checkpoint=checkpoint,
                truth=truth or None,
                truth_labels=truth_labels or None,
                max_probes=max_probes,
                max_rivals=max_rivals,
                rng=seed,
            )
    except KeyboardInterrupt:
        left = f"; the same command continues from {checkpoint}" if checkpoint is not None else ""
        print(f"rankcast: stopped{left}", file=sys.stderr)
        raise typer.Exit(130) from None
    if not scores:
        evidence = replace(evidence, scores=None)
    evidence.save(output)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    if not quiet:
        print(evidence, file=sys.stderr)


def merge(
    files: Annotated[list[Path], typer.Argument(help="Evidence files.", show_default=False)],
    *,
    output: Output,
    quiet: Quiet = False,
) -> None:
    """Put evidence together: gallery shards of the same probes, or different probes."""
    from .evidence import Evidence

    _writable(output)
    if len(files) < 2:
        raise InputError("merge needs two or more evidence files")
    parts = [Evidence.load(file) for file in files]
    evidence = parts[0].merge(*parts[1:])
    evidence.save(output)
    if not quiet:
        print(evidence, file=sys.stderr)


def _writable(output: Path) -> None:
    """Better to know before the work than after it."""
    if not output.parent.is_dir():
        raise InputError(f"{output}: the folder {output.parent} does not exist")
    if output.suffix != ".npz":
        raise InputError(f"{output}: evidence is written to an .npz file")


@contextmanager
def _maker(where: str, workers: int) -> "Iterator[Callable[..., Evidence]]":
    """What turns embeddings into evidence: this process, or a cluster."""
    from .evidence import Evidence

    if not where:
        yield Evidence.from_embeddings
        return
    from .cluster import connect

    with connect(where, workers=workers) as pool:
        yield pool.from_embeddings


def _scale(text: str) -> object:
    from .stores import open_store

    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return open_store(text)[:]
