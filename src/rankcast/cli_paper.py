"""The command that runs the studies of the paper."""

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from .cli_options import Quiet, words


def paper(
    study: Annotated[str, typer.Argument(help="list, toy, table1, table2, table3, beyond or all.")] = "list",
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Few repetitions: minutes instead of an hour.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the pages, numbers and figures.")] = Path("paper"),
    jobs: Annotated[int, typer.Option(help="Processes to measure in; as many as there are cores if 0.")] = 0,
    data: Annotated[
        Path | None, typer.Option(help="Folder of the data sets, else RANKCAST_DATA.", show_default=False)
    ] = None,
    cells: Annotated[
        Path | None, typer.Option(help="Folder of finished cells, else OUT/cells.", show_default=False)
    ] = None,
    methods: Annotated[str, typer.Option(help="Measure these columns only, e.g. auto,oracle.")] = "",
    fresh: Annotated[str, typer.Option(help="Measure these columns anew, e.g. auto.")] = "",
    cluster: Annotated[
        str, typer.Option(help="Address of a Dask scheduler whose workers see the data sets, or local.")
    ] = "",
    quiet: Quiet = False,
) -> None:
    """Make the tables and figures of the paper again, beside this package's methods.

    What is measured is stored as it is finished: after an interruption, the same command continues.
    """
    from .cluster import connect
    from .paper.runner import STUDIES, run
    from .progress import show_progress

    if study == "list":
        width = max(map(len, STUDIES))
        for name, kind in STUDIES.items():
            print(f"{name:<{width}}   {kind.title}")
        return
    jobs = jobs if jobs > 0 else os.cpu_count() or 1
    try:
        with show_progress(not quiet), connect(cluster, workers=jobs) if cluster else nullcontext():
            pages = run(
                list(STUDIES) if study == "all" else [study],
                out,
                quick=quick,
                jobs=jobs,
                data=None if data is None else str(data),
                cells=cells,
                methods=words(methods),
                fresh=words(fresh),
            )
    except KeyboardInterrupt:
        print("rankcast: interrupted; the same command without --fresh continues", file=sys.stderr)
        raise typer.Exit(130) from None
    for page in pages:
        print(page)
