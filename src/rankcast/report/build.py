"""report(): what goes into a report, computed once for every method and metric that its switches offer."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array, Counts, Seed
from ..backtest import FEWEST_TO_TEST, backtest
from ..curve import class_counts
from ..diagnose import diagnose
from ..errors import InputError, MethodError, MissingExtraError, RankcastWarning
from ..evidence import Evidence
from ..files import write_whole
from ..forecast import Forecast, forecasts
from ..methods import DEFAULT, Method, get_method
from ..metrics import Metric, MetricLike, get_metric
from ..progress import track
from ..results import Result
from ..seeds import seeded
from .content import Content
from .page import page, plotly_script
from .words import headline

METRICS = ("top1", "top5", "recall@10", "mrr")
METHODS = ("auto", "mixture", "gaussian", "classexreg", "kde-ucv")
_AHEAD = (2, 10, 100)
_FOCUS = 10
_MOST = 10**9
_MANY = 2000


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """A report that was written: where it is, how large, and what it says first.

    Attributes
    ----------
    path : Path
        The file.
    bytes : int
        Its size.
    headline : str
        Its answer in a sentence.
    seconds : float
        Time that it took.
    """

    path: Path
    bytes: int
    headline: str
    seconds: float

    def __repr__(self) -> str:
        return f"{self.headline}\n{self.path}: {self.bytes / 1e6:.1f} MB, open it in a browser"

    def columns(self) -> dict[str, Array]:
        """A single row."""
        return {key: np.array([value]) for key, value in self.to_dict().items()}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "path": str(self.path),
            "bytes": self.bytes,
            "headline": self.headline,
            "seconds": round(self.seconds, 1),
        }


def report(
    evidence: Evidence,
    path: str | Path,
    k: "Counts | None" = None,
    metric: MetricLike = "top1",
    method: str | Method = DEFAULT,
    level: float = 0.9,
    rng: Seed = None,
    *,
    metrics: Sequence[MetricLike] = METRICS,
    methods: Sequence[str | Method] = METHODS,
    replicates: int = 200,
    repetitions: int | None = None,
    title: str | None = None,
    source: str | Path | None = None,
) -> Report:
    """Write a page with the forecast, its back-test and the diagnosis: a single file that needs no network.

    Parameters
    ----------
    evidence : Evidence
        What was measured.
    path : str or Path
        The ``.html`` file to write, whole or not at all.
    k : int or array of int, optional
        Numbers of classes to forecast for, the largest being the headline's; 2, 10 and 100 times those measured,
        with 10 times for the headline, if left out.
    metric, method, level, rng, replicates
        As in :func:`rankcast.forecast`: what the page shows first.
    metrics, methods
        What its switches offer besides; methods that this evidence does not allow are named with the reason.
    repetitions : int, optional
        Random parts of each size in the back-test: 5, or 3 with more than 2,000 classes, if left out.
    title : str, optional
        Heading of the page.
    source : str or Path, optional
        Where the evidence came from, for the record.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rankcast.datasets import gaussian
    >>> evidence = gaussian.simulate(100, 0.1, rng=0)
    >>> with TemporaryDirectory() as folder:
    ...     made = report(evidence, f"{folder}/report.html", 500, method="gaussian", metrics=(), methods=(), rng=0)
    >>> made.headline.partition(" of ")[0]
    'On 500 classes, expect top-1 accuracy'
    """
    started = time.perf_counter()
    if not isinstance(evidence, Evidence):
        raise InputError(f"report() takes an Evidence, not {type(evidence).__name__}: see Evidence.from_scores")
    place = _writable(Path(path))
    plotly_script()  # better known to be missing before the work than after it
    root, generator = seeded(rng)
    seed = root if isinstance(root, int) else int(generator.integers(2**62))
    number = class_counts([min(step * evidence.k1, _MOST) for step in _AHEAD] if k is None else k)
    focus = min(_FOCUS * evidence.k1, _MOST) if k is None else int(np.max(number))
    times = (5 if evidence.k1 <= _MANY else 3) if repetitions is None else repetitions
    gains = _distinct([metric, *metrics])
    fitters, skipped = _able(evidence, [method, *methods])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankcastWarning)  # the page tells them
        curves: dict[str, dict[str, Forecast]] = {}
        for fitter in track(fitters, len(fitters), "methods"):
            try:
                made = forecasts(evidence, number, gains, fitter, level, seed, replicates=replicates)
            except MissingExtraError as error:
                if fitter is fitters[0]:
                    raise
                skipped[fitter.name] = str(error)
            else:
                curves[fitter.name] = {each.metric: each for each in made}
        tested = None
        if evidence.k1 >= FEWEST_TO_TEST:
            tested = backtest(evidence, gains[0], fitters[0], level, seed, repetitions=times)
        found = diagnose(evidence, focus, rng=seed)
    asked = curves[fitters[0].name][gains[0].name]
    content = Content(
        title=title or ("Accuracy forecast" if source is None else f"Accuracy forecast: {Path(source).name}"),
        source=None if source is None else str(source),
        evidence=evidence,
        focus=focus,
        asked=asked,
        curves={name: {gain: fc.along() for gain, fc in row.items()} for name, row in curves.items()},
        skipped=skipped,
        backtest=tested,
        diagnosis=found,
        made=datetime.now(UTC),
        seconds=time.perf_counter() - started,
    )
    text = page(content).encode()
    write_whole(place, lambda file: file.write(text))
    return Report(place, len(text), headline(asked, focus), time.perf_counter() - started)


def report_forecast(made: Forecast, path: Path, title: str | None) -> Report:
    """The report of a forecast, by its own settings."""
    seed = made.provenance["seed"]
    return report(
        made.evidence,
        path,
        made.k,
        made.gain,
        made.fitter,
        made.level,
        seed if isinstance(seed, int) else None,
        replicates=made.provenance["replicates"],
        title=title,
    )


def _writable(path: Path) -> Path:
    """The path, if it is one for a file in a folder that exists."""
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{path}: cannot be written (" + ("is a folder)" if path.is_dir() else "no such folder)"))
    return path


def _distinct(metrics: Sequence[MetricLike]) -> list[Metric]:
    return list({gain.name: gain for gain in map(get_metric, reversed(metrics))}.values())[::-1]


def _able(evidence: Evidence, methods: Sequence[str | Method]) -> tuple[list[Method], dict[str, str]]:
    """The methods that can run, the first of which must, and why the others cannot."""
    able, skipped = {(first := get_method(methods[0], evidence)).name: first}, {}
    for each in methods[1:]:
        fitter = get_method(each)
        try:
            able.setdefault(fitter.name, get_method(fitter, evidence))
        except MethodError:
            skipped[fitter.name] = "needs scores, and this evidence holds ranks only"
    return list(able.values()), skipped
