"""A kernel density on the wrong-class scores of each example, integrated up to the score of its truth."""

from dataclasses import dataclass
from typing import ClassVar, Literal, Self, get_args

import numpy as np
from scipy.special import erfc, ndtri

from .._typing import FloatArray, IntArray
from ..bandwidth import Search, select_each, unit_scale
from ..cross_validation import Criterion
from ..errors import MethodError
from ..evidence import Evidence
from ..ranking import Scores, blocks, rivals_and_truth
from .base import ExampleMethod

_CACHED = 2**18  # scores worked on at once: they are read several times, so they should stay in the cache
_PRECISION = 1e-12  # of the tail of U*, whichever is the smaller


@dataclass(frozen=True)
class Kde(ExampleMethod):
    """U* of each example from a Gaussian kernel density of its wrong-class scores.

    With scores s_j of the m rivals, t of the truth and h from cross-validation,

        U* = (1/m) Σ_j Φ((t - s_j) / h),

    the integral of the density from -∞ to t. If all rivals score alike, or there is only one, there is no
    bandwidth, and U* is 1, 1/2 or 0 as the truth scores above, level or below.

    Parameters
    ----------
    search : {"global", "local"}
        Where in the interval of bandwidths to stop: at the lowest point of the criterion, or where R's
        ``bw.bcv`` and ``bw.ucv`` do, for figures that were published with them. See
        :func:`rankcast.bandwidth.bandwidth`.
    """

    search: Search = "global"

    criterion: ClassVar[Criterion]
    needs: ClassVar[Literal["ranks", "scores"]] = "scores"
    cost: ClassVar[str] = "about 20 ns for each score"
    fails: ClassVar[str] = "few rivals; k₂ ≫ k₁, where U* of an example above all its rivals is set by h alone"

    def __post_init__(self) -> None:
        if self.search not in get_args(Search):
            raise MethodError(f"search must be one of {', '.join(get_args(Search))}, not {self.search!r}")

    @classmethod
    def authors(cls) -> Self:
        """The authors' settings, for comparison with the figures they published."""
        return cls(search="local")

    def example_z(self, evidence: Evidence, rng: np.random.Generator) -> FloatArray:
        """Estimate Φ⁻¹(U*) of each example."""
        if evidence.scores is None:
            raise MethodError(
                f"the method {self.name!r} needs scores, and this evidence holds ranks only: "
                "use one that needs ranks, such as 'classexreg'"
            )
        return np.asarray(example_probits(evidence.scores, evidence.label, (self.criterion,), self.search)[0])


@dataclass(frozen=True)
class KdeBcv(Kde):
    """Kernel density with the bandwidth by biased cross-validation."""

    name: ClassVar[str] = "kde-bcv"
    criterion: ClassVar[Criterion] = "bcv"
    reference: ClassVar[str] = "Kay et al. 2008; bandwidth: Scott & Terrell 1987"


@dataclass(frozen=True)
class KdeUcv(Kde):
    """Kernel density with the bandwidth by unbiased cross-validation."""

    name: ClassVar[str] = "kde-ucv"
    criterion: ClassVar[Criterion] = "ucv"
    reference: ClassVar[str] = "Kay et al. 2008; bandwidth: Rudemo 1982, Bowman 1984"


@dataclass(frozen=True)
class KdePlcv(Kde):
    """Kernel density with the bandwidth by pseudo-likelihood cross-validation."""

    name: ClassVar[str] = "kde-plcv"
    criterion: ClassVar[Criterion] = "plcv"
    reference: ClassVar[str] = "Kay et al. 2008; bandwidth: Habbema et al. 1974, Cao et al. 1994"
    cost: ClassVar[str] = "about 50 ns for each score, and half a millisecond for each example"


def example_probits(
    scores: Scores, label: IntArray, criteria: tuple[Criterion, ...], search: Search = "global"
) -> FloatArray:
    """Φ⁻¹(U*) of each example with the bandwidths by each criterion: criteria × examples."""
    z = np.empty((len(criteria), len(label)))
    for rows in blocks(scores.shape):
        block, own = scores.block(rows), label[rows]
        step = max(16, _CACHED // block.shape[1])
        for start in range(0, len(block), step):
            part = slice(start, start + step)
            rivals, truth = _at_unit_scale(*rivals_and_truth(block[part], own[part]))
            widths = select_each(rivals, criteria, search)
            z[:, rows][:, part] = [probit_below(rivals, truth, h) for h in widths]
    return z


def _at_unit_scale(rivals: FloatArray, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rivals from zero up, and the truth on the same scale."""
    rivals, low, exponent = unit_scale(rivals)
    with np.errstate(over="ignore"):
        truth = np.ldexp(truth, -exponent) - low
    return rivals, np.clip(truth, -1e200, 1e200)


def probit_below(rivals: FloatArray, truth: FloatArray, h: FloatArray) -> FloatArray:
    """Φ⁻¹ of the mean over rivals of Φ((truth - rival)/h), with full precision in both tails.

    A rival is looked at if it lies so near to the truth that its term matters, relative to that of the
    nearest rival; what is farther adds 0 or 1.

    Parameters
    ----------
    rivals : array of shape (examples, rivals)
        Their scores, of which the lowest in each row is zero.
    truth, h : array
        Score of the truth and bandwidth for each row; where the bandwidth is zero, all rivals score alike.

    Examples
    --------
    >>> probit_below(np.array([[0.0, 2.0], [0.0, 0.0]]), np.array([1.0, 3.0]), np.array([0.5, 0.0]))
    array([ 0., inf])
    """
    rows, n = rivals.shape
    width = np.where(h > 0, h, 1.0)
    outside = np.maximum(np.maximum(truth - rivals.max(axis=1), -truth), 0.0) / width
    radius = width * np.sqrt(np.minimum(outside, 40.0) ** 2 + 2 * np.log(n / _PRECISION))
    above = rivals > (truth + radius)[:, None]
    near = rivals >= (truth - radius)[:, None]
    near ^= above
    number, better = np.count_nonzero(near, axis=1), np.count_nonzero(above, axis=1)
    distance = np.repeat(truth, number) - rivals.ravel()[np.flatnonzero(near)]
    distance /= np.repeat(np.sqrt(2) * width, number)
    ahead = distance < 0
    tail = erfc(np.abs(distance, out=distance)) / 2
    row = np.repeat(np.arange(rows), number)
    from_behind = np.bincount(row, np.where(ahead, 0.0, tail), minlength=rows)
    from_ahead = np.bincount(row, np.where(ahead, tail, 0.0), minlength=rows)
    better += np.bincount(row, ahead, minlength=rows).astype(np.int64)
    upper = (better - from_ahead + from_behind) / n
    lower = (n - better - from_behind + from_ahead) / n
    z = np.where(upper < lower, -ndtri(upper), ndtri(lower))
    return np.where(h > 0, z, np.where(truth == 0, 0.0, np.copysign(np.inf, truth)))
