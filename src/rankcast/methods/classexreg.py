"""ClassExReg: D(u) as a mixture of basis functions, fitted to the exact curve by least squares."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from .._typing import FloatArray, IntArray
from ..bases import Basis, RadialBasis, SplineBasis, largest_knot
from ..curve import curve, measured_values
from ..errors import InputError
from ..evidence import Evidence
from ..favourability import Favourability
from ..metrics import TOP1, Metric
from ..progress import track
from ..selection import subsamples
from .base import Method

GRID = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class ClassExReg(Method):
    """Classification extrapolation by regression (Zheng, Achanta and Benjamini).

    The exact accuracies ATA_k are regressed on the moments E[U^(k-1)] of the basis. The width of the basis is
    chosen by resampling: fits to ⌊k₁/2⌋ classes are judged by how well they predict the accuracy at k₁.

    Parameters
    ----------
    basis : {"radial", "spline"}
        Normals, or cubic B-splines, on the probit scale.
    widths : tuple of float
        Widths to choose from; a single one is used as it is.
    widen : bool
        Try further widths while the best is the smallest or the largest of those tried.
    knots : {"paper", "authors"}
        Where the knots of the radial basis lie: h/2 apart up to Φ⁻¹(1 - 1/(r k₁²)), or about h apart without r.
    atoms : tuple of float
        Atoms of the basis, any of 0.0 and 1.0.
    constraint : {"nonnegative", "simplex", "cone", "free"}
        On the weights: not negative and at most one in all, so that D is a cdf (what is missing lies at U* = 0);
        also exactly one in all; not negative only, as in the authors' code; or none, by a truncated singular value
        decomposition.
    points : int or None
        Number of k's in the regression; None takes every k from 1, as the authors' package does.
    spread : {"log", "even"}
        Whether these k's lie evenly on a logarithmic scale from 2 to k₁, or evenly from k₁/points, as in the authors'
        simulation.
    resamples : int
        Number of subsets in the choice of the width.

    Examples
    --------
    >>> from rankcast.datasets import toy
    >>> evidence = toy.simulate(100, rho=0.9, rng=1)
    >>> fit = ClassExReg().fit(evidence, np.random.default_rng(0))
    >>> bool(abs(fit.value(1000) - toy.aga(1000, 0.9)) < 0.05)
    True
    """

    name: ClassVar[str] = "classexreg"
    needs: ClassVar[Literal["ranks", "scores"]] = "ranks"
    reference: ClassVar[str] = "Zheng, Achanta & Benjamini 2018"
    cost: ClassVar[str] = "examples × classes, once, to resample"
    fails: ClassVar[str] = "far extrapolation: too high and unstable beyond about 10 k₁"

    basis: Literal["radial", "spline"] = "radial"
    widths: tuple[float, ...] = GRID
    widen: bool = True
    knots: Literal["paper", "authors"] = "paper"
    atoms: tuple[float, ...] = (0.0, 1.0)
    constraint: Literal["nonnegative", "simplex", "cone", "free"] = "nonnegative"
    points: int | None = 50
    spread: Literal["log", "even"] = "log"
    resamples: int = 20

    def __post_init__(self) -> None:
        for setting, allowed in (
            ("basis", ("radial", "spline")),
            ("knots", ("paper", "authors")),
            ("constraint", ("nonnegative", "simplex", "cone", "free")),
            ("spread", ("log", "even")),
        ):
            if getattr(self, setting) not in allowed:
                raise InputError(f"{setting} must be one of {allowed}, not {getattr(self, setting)!r}")
        if not isinstance(self.widths, tuple) or not self.widths or not all(0.01 <= w <= 10 for w in self.widths):
            raise InputError(f"widths must be a tuple of numbers between 0.01 and 10, found {self.widths!r}")
        if not set(self.atoms) <= {0.0, 1.0}:
            raise InputError(f"atoms can be 0.0 and 1.0, found {self.atoms}")
        if self.resamples < 1 or (self.points is not None and self.points < 2):
            raise InputError("resamples must be at least 1 and points at least 2")

    @classmethod
    def authors(cls, points: int | None = None) -> "ClassExReg":
        """The settings of the authors' R package, or with ``points=100`` those of their simulation."""
        return cls(widen=False, knots="authors", atoms=(1.0,), constraint="cone", points=points, spread="even")

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Favourability:
        """Choose the width and fit the mixture."""
        width = self._choose(evidence, rng).best
        return self._basis(width, evidence).favourability(self._solve(width, evidence))

    def replicate(
        self,
        evidence: Evidence,
        weights: FloatArray,
        k: IntArray,
        metric: Metric,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Refit the mixture for each row of weights, with a width chosen from resampled losses.

        Each replicate draws the subsets of the selection anew with replacement and takes the width that was best
        on those, which carries the doubt about the width at no cost.
        """
        trial = self._choose(evidence, rng)
        numbers = self._numbers(evidence.k1, evidence.k1)
        curves = measured_values(evidence, weights, numbers, TOP1)
        picks = rng.integers(trial.losses.shape[0], size=(len(weights), trial.losses.shape[0]))
        chosen = np.argmin(trial.losses[picks].sum(axis=1), axis=1)
        draws = np.empty((len(weights), len(k)))
        tried = np.unique(chosen)
        for column in track(tried, len(tried), "replicates"):
            mine = chosen == column
            basis = self._basis(trial.widths[column], evidence)
            solve = _solver(basis.moments(numbers), self.constraint)
            fits = np.stack([solve(row) for row in curves[mine]])
            missing = 1 - fits.sum(axis=1, keepdims=True)  # is at U* = 0, as in a Favourability
            nowhere = metric.given_favourability(np.array(-np.inf), np.asarray(k, float))
            draws[mine] = fits @ basis.moments(k, metric).T + missing * nowhere
        return draws

    def _solve(self, width: float, evidence: Evidence) -> FloatArray:
        numbers = self._numbers(evidence.k1, evidence.k1)
        solve = _solver(self._basis(width, evidence).moments(numbers), self.constraint)
        return solve(curve(evidence, numbers))

    def _choose(self, evidence: Evidence, rng: np.random.Generator) -> "_Trial":
        """Predict the accuracy at k₁ from subsets of half the classes, with each width."""
        if len(self.widths) == 1 or evidence.k1 < 4:
            middle = self.widths[len(self.widths) // 2]
            return _Trial((middle,), np.zeros((1, 1)))
        k1 = evidence.k1
        numbers = self._numbers(k1 // 2, k1)
        parts = list(subsamples(evidence, k1 // 2, self.resamples, rng))
        curves = np.array([curve(part, np.minimum(numbers, part.k1)) for part in parts])
        truth = float(curve(evidence, k1))

        def loss(width: float) -> FloatArray:
            basis = self._basis(width, evidence)
            solve = _solver(basis.moments(numbers), self.constraint)
            target = basis.moments(np.array([k1]))[0]
            return np.array([(target @ solve(row) - truth) ** 2 for row in curves])

        losses = {width: loss(width) for width in track(sorted(self.widths), len(self.widths), "widths")}
        while self.widen:
            tried = sorted(losses)
            best = min(tried, key=lambda width: losses[width].sum())
            if best == tried[0] and best > 0.03:
                further = best / 1.5
            elif best == tried[-1] and best < 3:
                further = best * 1.25
            else:
                break
            losses[further] = loss(further)
        tried = sorted(losses)
        return _Trial(tuple(tried), np.stack([losses[width] for width in tried], axis=1))

    def _numbers(self, upto: int, k1: int) -> IntArray:
        """The k's to regress on, up to some number of the k₁ classes."""
        if self.points is None:
            return np.arange(1, upto + 1)
        if self.spread == "even":
            step = max(1, k1 // self.points)
            return np.arange(min(step, upto), upto + 1, step)
        return np.unique(np.rint(np.geomspace(min(2, upto), upto, self.points)).astype(np.int64))

    def _basis(self, width: float, evidence: Evidence) -> Basis:
        per_class = 1 / (np.square(evidence.weight).sum() * evidence.k1)
        examples = 1.0 if self.knots == "authors" else max(1.0, float(per_class))
        largest = largest_knot(evidence.k1, examples)
        if self.basis == "spline":
            return SplineBasis(width, largest, self.atoms)
        return RadialBasis(width, largest, self.knots, self.atoms)


@dataclass(frozen=True)
class _Trial:
    """Squared errors of each subset (rows) with each width (columns)."""

    widths: tuple[float, ...]
    losses: FloatArray

    @property
    def best(self) -> float:
        return self.widths[int(np.argmin(self.losses.sum(axis=0)))]


def _solver(design: FloatArray, constraint: str) -> Callable[[FloatArray], FloatArray]:
    """Least squares for one design matrix and many targets."""
    if constraint == "free":
        inverse = np.linalg.pinv(design, rcond=1e-7)
        return lambda target: np.asarray(inverse @ target)
    from scipy.optimize import nnls

    elements = design.shape[1]
    rows = design
    if constraint in ("nonnegative", "simplex"):  # a row this heavy makes the weights sum to one to 1e-7 …
        rows = np.vstack([design, np.full(elements, 1e4)])
    if constraint == "nonnegative":  # … or to less, with the rest at U* = 0, which no other row sees
        rows = np.column_stack([rows, np.eye(len(rows))[-1] * 1e4])
    q, r = np.linalg.qr(rows)

    def solve(target: FloatArray) -> FloatArray:
        full = target if constraint == "cone" else np.append(target, 1e4)
        weight, _ = nnls(r, q.T @ full, maxiter=30 * r.shape[1])
        return np.asarray(weight[:elements] if constraint == "cone" else weight[:elements] / weight.sum())

    return solve
