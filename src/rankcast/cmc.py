"""cmc(): the cumulative match characteristic, the chance of a rank within n for all n at one number of classes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._typing import Array, Counts, FloatArray, IntArray, Seed
from .curve import class_counts
from .errors import InputError
from .evidence import Evidence
from .forecast import forecast
from .laws import hypergeometric_law
from .methods import DEFAULT, Method, get_method
from .results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DEEPEST = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class Cmc(Result):
    """The chance of a rank within ``n`` among ``k`` classes.

    Attributes
    ----------
    k : int
        Number of classes.
    n, value : ndarray
        Ranks, and the chance that the truth is within them.
    k1 : int
        Number of classes measured.
    method : str or None
        What forecast it; None if it is exact, for k up to those measured.
    warnings : tuple of str
        What the user should know before trusting it.
    """

    k: int
    n: IntArray
    value: FloatArray
    k1: int
    method: str | None
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        how = "exact" if self.method is None else f"forecast by {self.method}"
        wide = max(len(f"{int(self.n[-1]):,}"), 11)
        lines = [f"CMC among {self.k:,} classes, {how} from {self.k1:,} measured", f"  {'rank within':>{wide}}"]
        shown = self.n if len(self.n) <= 20 else self.n[np.isin(self.n, _round_ranks(int(self.n[-1])))]
        for n, value in zip(self.n.tolist(), self.value.tolist(), strict=True):
            if n in shown:
                lines.append(f"  {n:>{wide},}   {value:.4f}")
        return "\n".join([*lines, *(f"  note: {text}" for text in self.warnings)])

    def columns(self) -> dict[str, Array]:
        """Ranks and their chances."""
        return {"n": self.n, "value": self.value}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "k": self.k,
            "measured": self.k1,
            "method": self.method,
            "n": self.n.tolist(),
            "value": self.value.tolist(),
            "warnings": list(self.warnings),
        }

    def plot(self, ax: "Axes | None" = None, path: str | Path | None = None) -> "Axes":
        """Draw it against the rank on a logarithmic axis; save it if ``path`` is given."""
        from .plots import plot_cmc

        return plot_cmc(self, ax, path)


def cmc(
    evidence: Evidence,
    k: int | None = None,
    n: "Counts | None" = None,
    *,
    method: str | Method = DEFAULT,
    rng: Seed = None,
) -> Cmc:
    """The chance of a rank within n among ``k`` classes, for many n: exact up to those measured, forecast beyond.

    Parameters
    ----------
    evidence : Evidence
        What was measured.
    k : int, optional
        Number of classes; those measured if left out.
    n : int or array of int, optional
        Ranks from 1 to ``k`` (beyond the classes measured, to 10,000); all up to 100 and a ladder beyond if left out.
    method : str or Method
        A name from :func:`rankcast.methods`, or a method with its settings, for more classes than measured.
    rng : int, Generator or None
        The same seed gives the same forecast.

    Examples
    --------
    >>> cmc(Evidence.from_ranks([1, 1, 2, 4], candidates=4))
    CMC among 4 classes, exact from 4 measured
      rank within
                1   0.5000
                2   0.7500
                3   0.7500
                4   1.0000
    """
    number = int(np.max(class_counts(evidence.k1 if k is None else k)))
    exact = number <= evidence.k1
    deepest = number if exact else min(number, _DEEPEST)
    ranks = _ladder(deepest) if n is None else np.unique(class_counts(n))
    if ranks[-1] > deepest:
        raise InputError(f"n must be ranks from 1 to {deepest:,} for k = {number:,}, found {int(ranks[-1]):,}")
    fitter = get_method(method, evidence)
    notes: tuple[str, ...] = ()
    if exact:
        law = hypergeometric_law(*evidence.histogram(), number - 1)
        value = np.cumsum(law)[ranks - 1]
    else:
        made = forecast(evidence, number, method=fitter, rng=rng, replicates=20)  # for its fit, and what it warns of
        value = np.array([float(made.favourability.value(number, f"top{rank}")) for rank in ranks])
        notes = made.warnings
    tidy = np.maximum.accumulate(np.clip(value, 0.0, 1.0))
    return Cmc(number, ranks, tidy, evidence.k1, None if exact else fitter.name, notes)


def _ladder(most: int) -> IntArray:
    ladder = np.r_[np.arange(1, 101), np.rint(np.geomspace(100, max(most, 100), 40)), _round_ranks(most)]
    return np.unique(ladder[ladder <= most]).astype(np.int64)


def _round_ranks(most: int) -> list[int]:
    """1, 2, 5, 10, 20 … and the last."""
    rungs = [step * 10**power for power in range(9) for step in (1, 2, 5)]
    return [rung for rung in rungs if rung < most] + [most]
