"""All methods side by side: what each needs, and what each forecasts."""

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ._typing import Counts, FloatArray, IntArray, Seed
from .curve import class_counts
from .errors import MissingExtraError
from .evidence import Evidence
from .methods import REGISTRY
from .metrics import MetricLike, get_metric, show
from .progress import track
from .seeds import seeded


@dataclass(frozen=True)
class MethodInfo:
    """What a user should know of a method before asking for it."""

    name: str
    needs: str
    reference: str
    cost: str
    fails: str


class MethodTable(tuple[MethodInfo, ...]):
    """Every method; prints as a table."""

    def __repr__(self) -> str:
        rows = [("name", "needs", "cost", "fails on"), *((m.name, m.needs, m.cost, m.fails) for m in self)]
        wide = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join("  ".join([*map(str.ljust, row, wide), row[3]]) for row in rows)

    def to_dicts(self) -> list[dict[str, str]]:
        """The table as plain Python values."""
        return [asdict(info) for info in self]


def methods() -> MethodTable:
    """Every method that can be asked for by name.

    Examples
    --------
    >>> "auto" in [method.name for method in methods()]
    True
    """
    return MethodTable(MethodInfo(m.name, m.needs, m.reference, m.cost, m.fails) for m in REGISTRY.values())


@dataclass(frozen=True, eq=False, repr=False)
class MethodComparison:
    """Forecasts of several methods from the same evidence.

    Attributes
    ----------
    k : ndarray of int
        Numbers of classes.
    estimate : dict
        Forecast of each method at each ``k``.
    seconds : dict
        Time that each took.
    skipped : dict
        Methods that could not run, and why.
    """

    k: IntArray
    metric: str
    estimate: dict[str, FloatArray]
    seconds: dict[str, float]
    skipped: dict[str, str]

    @property
    def disagreement(self) -> FloatArray:
        """Largest less smallest forecast at each ``k``."""
        return np.asarray(np.ptp(np.stack(list(self.estimate.values())), axis=0))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "metric": self.metric,
            "k": self.k.tolist(),
            "estimate": {name: values.tolist() for name, values in self.estimate.items()},
            "disagreement": self.disagreement.tolist(),
            "seconds": {name: round(taken, 3) for name, taken in self.seconds.items()},
            "skipped": self.skipped,
        }

    def __repr__(self) -> str:
        head = f"Forecasts of {self.metric}"
        wide = max(len(head), *map(len, self.estimate), len("disagreement")) + 2
        lines = [head.ljust(wide) + "".join(f"{k:>12,}" for k in self.k) + "     seconds"]
        for name, values in self.estimate.items():
            cells = "".join(f"{show(value):>12}" for value in values)
            lines.append(f"  {name:<{wide - 2}}{cells}{self.seconds[name]:12.2f}")
        lines.append(f"  {'disagreement':<{wide - 2}}" + "".join(f"{show(value):>12}" for value in self.disagreement))
        return "\n".join([*lines, *(f"  {name}: {why}" for name, why in self.skipped.items())])


def compare_methods(
    evidence: Evidence, k: Counts, metric: MetricLike = "top1", *, rng: Seed = None
) -> MethodComparison:
    """Forecast with every method that can run on this evidence, to see where they agree.

    Each method has its own random stream, so its forecast does not depend on which others run.

    Examples
    --------
    >>> evidence = Evidence.from_ranks([1, 1, 3, 1, 2, 1, 9, 1], candidates=100)
    >>> result = compare_methods(evidence, k=1000, rng=0)
    >>> "gaussian" in result.estimate, "kde-bcv" in result.skipped
    (True, True)
    """
    ks, gain = np.atleast_1d(class_counts(k)).ravel(), get_metric(metric)
    root = int(seeded(rng)[1].integers(2**62))
    estimate, seconds, skipped = {}, {}, {}
    for name, method in track(REGISTRY.items(), len(REGISTRY), "methods"):
        if method.needs == "scores" and evidence.scores is None:
            skipped[name] = "needs scores, and this evidence holds ranks only"
            continue
        started = time.perf_counter()
        try:
            fit = method().fit(evidence, np.random.default_rng([root, *name.encode()]))
        except MissingExtraError as error:
            skipped[name] = str(error)
            continue
        estimate[name] = np.clip(fit.value(ks, gain), *gain.bounds(ks))
        seconds[name] = time.perf_counter() - started
    return MethodComparison(ks, gain.name, estimate, seconds, skipped)
