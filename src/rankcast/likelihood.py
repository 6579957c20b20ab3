"""The likelihood of rank counts when Φ⁻¹(U*) is a mixture of normals: what all rank likelihood methods share.

An example that ``lost`` of its ``rivals`` outrank is a Binomial(rivals, 1−U*) draw given U*. With Φ⁻¹(U*) a
mixture of narrow normals on an even grid, Σ_g v_g N(z_g, h²), its probability is a matrix product,

    P(lost_r | rivals_r) = Σ_g A_rg v_g,    A_rg = ∫ Binom(lost_r; rivals_r, 1−Φ(z)) N(z; z_g, h²) dz,

and A is computed once, whatever the number of models and reweightings that are then tried on it. Any normal
of standard deviation above 1.5 h is such a mixture to ten digits, so nothing is lost by the grid.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaln, log_ndtr, ndtri

from ._typing import FloatArray, IntArray
from .evidence import Evidence

STEP = 0.1
REACH = 9.0  # beyond this many probits no k up to 10⁹ tells U* from 0 or 1
TINY = 1e-300
_EXACT = 4096  # distinct counts up to which none are merged


def even_grid(step: float = STEP, low: float = -REACH, high: float = REACH) -> FloatArray:
    """Multiples of ``step`` that cover ``low`` to ``high``."""
    return step * np.arange(np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9) + 1)


def log_binomial(lost: FloatArray, rivals: FloatArray, z: FloatArray) -> FloatArray:
    """Log-probability that ``lost`` of ``rivals`` outrank the truth when Φ⁻¹(U*) is ``z``; all broadcast.

    The counts may be fractions. Both log U* and log(1−U*) are taken from z, so neither end loses precision.

    Examples
    --------
    >>> np.exp(log_binomial(np.array([0.0, 1.0, 2.0]), np.array(2.0), np.array(0.0)))  # two coin flips
    array([0.25, 0.5 , 0.25])
    """
    ways = -np.log1p(rivals) - betaln(lost + 1.0, rivals - lost + 1.0)
    return np.asarray(ways + lost * log_ndtr(-z) + (rivals - lost) * log_ndtr(z))


def likelihood_matrix(lost: FloatArray, rivals: FloatArray, z: FloatArray, spread: float) -> FloatArray:
    """P(lost | rivals) when Φ⁻¹(U*) ~ N(z, spread²): a matrix, counts × nodes of the even grid ``z``.

    A count that is seen less sharply than ``spread`` is integrated on one common grid, the others each on
    their own nodes around their mode. Either way it is the trapezoid rule on a smooth integrand that vanishes
    at both ends, sampled finely enough for 1e-9 relative error. A spread of zero gives the likelihood of atoms.

    Examples
    --------
    >>> likelihood_matrix(np.array([0.0, 1.0]), np.array([1.0, 1.0]), np.array([0.0]), 0.5).ravel()
    array([0.5, 0.5])
    """
    lost, rivals = np.asarray(lost, float), np.asarray(rivals, float)
    if spread == 0:
        return np.exp(log_binomial(lost[:, None], rivals[:, None], z))
    centre, width = _sight(lost, rivals)
    matrix = np.empty((len(lost), len(z)))
    sharp = width < spread
    matrix[~sharp] = _on_common_nodes(lost[~sharp], rivals[~sharp], z, spread)
    for rows in np.array_split(np.nonzero(sharp)[0], np.count_nonzero(sharp) // 1024 + 1):
        matrix[rows] = _on_own_nodes(lost[rows], rivals[rows], z, spread, centre[rows], width[rows])
    return matrix


def _sight(lost: FloatArray, rivals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where each count's likelihood in z lies, and its standard deviation."""
    share = (lost + 0.5) / (rivals + 1.0)
    centre = -ndtri(share)
    slope = np.exp(-0.5 * centre**2) / np.sqrt(2.0 * np.pi)
    return centre, np.sqrt(share * (1.0 - share) / rivals) / slope


def _on_common_nodes(lost: FloatArray, rivals: FloatArray, z: FloatArray, spread: float) -> FloatArray:
    nodes = even_grid(spread / 3.0, float(z[0]) - 8.0 * spread, float(z[-1]) + 8.0 * spread)
    kernel = np.exp(-0.5 * ((nodes[:, None] - z) / spread) ** 2)
    kernel /= kernel.sum(axis=0)
    ways = -np.log1p(rivals) - betaln(lost + 1.0, rivals - lost + 1.0)
    logs = np.outer(lost, log_ndtr(-nodes)) + np.outer(rivals - lost, log_ndtr(nodes)) + ways[:, None]
    return np.asarray(np.exp(np.maximum(logs, -740.0)) @ kernel)


def _on_own_nodes(
    lost: FloatArray, rivals: FloatArray, z: FloatArray, spread: float, centre: FloatArray, width: FloatArray
) -> FloatArray:
    """Nodes at ±10 widths of each count; only the part of the grid that these can see is filled in."""
    offset = np.arange(-25, 26) * 0.4
    nodes = centre[:, None] + width[:, None] * offset
    mass = np.exp(np.maximum(log_binomial(lost[:, None], rivals[:, None], nodes), -740.0))
    mass *= 0.4 * width[:, None] / (spread * np.sqrt(2.0 * np.pi))
    step = float(z[1] - z[0]) if len(z) > 1 else spread
    reach = int(np.ceil(18.0 * spread / step))
    column = np.rint((centre - z[0]) / step).astype(np.int64)[:, None] + np.arange(-reach, reach + 1)
    inside = (column >= 0) & (column < len(z))
    distance = (z[0] + step * column)[:, None, :] - nodes[:, :, None]
    seen = np.einsum("rj,rjc->rc", mass, np.exp(-0.5 * (distance / spread) ** 2))
    matrix = np.zeros((len(lost), len(z)))
    row = np.broadcast_to(np.arange(len(lost))[:, None], column.shape)
    matrix[row[inside], column[inside]] = seen[inside]
    return matrix


@dataclass(frozen=True, eq=False)
class CountTable:
    """The distinct counts of some evidence, and how the weights of its examples fall on them.

    Attributes
    ----------
    lost, rivals : ndarray of float
        Rivals that outrank the truth, and all rivals, of each distinct count.
    weight : ndarray of float
        Weight of each count; sums to one.
    size : float
        Effective number of independent examples, see :func:`effective_size`.
    """

    lost: FloatArray
    rivals: FloatArray
    weight: FloatArray
    size: float
    _example: IntArray  # where each example is in the three below
    _first: IntArray  # the first and one past the last place that an example may take, its ties broken
    _stop: IntArray
    _count: IntArray  # the count to which each place belongs

    @classmethod
    def of(cls, evidence: Evidence) -> "CountTable":
        """Tabulate the counts; ties are spread evenly over the places that they may take."""
        merged, example = evidence.compress()
        lost, rivals, first = _places(merged.rivals - merged.beaten - merged.tied, merged.tied, merged.rivals)
        count = _merged(lost, rivals) if len(lost) > _EXACT else np.arange(len(lost))
        members = np.bincount(count)
        bare = cls(
            lost=np.bincount(count, lost) / members,
            rivals=np.bincount(count, rivals) / members,
            weight=np.empty(0),
            size=effective_size(evidence),
            _example=example,
            _first=first,
            _stop=first + merged.tied + 1,
            _count=count,
        )
        return replace(bare, weight=bare.reweighted(evidence.weight[None, :])[:, 0])

    def reweighted(self, weights: FloatArray) -> FloatArray:
        """Weight of each count when the examples carry each row of ``weights``: counts × replicates."""
        places, kinds = len(self._count), len(self._first)
        ties = (self._stop - self._first).astype(float)
        columns = []
        for weight in weights:
            share = np.bincount(self._example, weight / weight.sum(), minlength=kinds) / ties
            change = np.bincount(self._first, share, minlength=places + 1)
            change -= np.bincount(self._stop, share, minlength=places + 1)
            columns.append(np.bincount(self._count, np.maximum(np.cumsum(change)[:-1], 0.0)))
        return np.stack(columns, axis=1)


def effective_size(evidence: Evidence) -> float:
    """How many independent examples the evidence is worth; with one example per class, the classes.

    It lies between 1/Σ W² over the weights of the classes, for examples of a class that are all alike, and
    1/Σ w² over those of the examples, for examples that do not know their class. Between the two it is the
    ratio of the variance of the examples' normal scores to that of their mean, the classes being independent.
    """
    label, weight = evidence.label, evidence.weight
    fewest = 1.0 / np.sum(np.bincount(label, weight) ** 2)
    most = 1.0 / np.sum(weight**2)
    lost = evidence.rivals - evidence.beaten - evidence.tied / 2
    score = ndtri((lost + 0.5) / (evidence.rivals + 1.0))
    score -= weight @ score
    between = np.sum(np.bincount(label, weight * score) ** 2)
    within = weight @ score**2
    return float(np.clip(within / between if between > 0 else fewest, fewest, max(fewest, most)))


def _places(above: IntArray, tied: IntArray, rivals: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """All places (lost, rivals) that examples may take, in order, and the first place of each example.

    The places of one example follow each other: they are a range of integers, and so is a union of ranges.
    """
    width = int(rivals.max()) + 2
    start = rivals * width + above
    order = np.argsort(start, kind="stable")
    last = np.maximum.accumulate((start + tied)[order])
    fresh = np.concatenate([[True], start[order][1:] > last[:-1]])
    begin = start[order][fresh]
    end = last[np.concatenate([fresh[1:], [True]])]
    offset = np.concatenate([[0], np.cumsum(end - begin + 1)])
    run = np.searchsorted(begin, start, side="right") - 1
    key = np.repeat(begin - offset[:-1], np.diff(offset)) + np.arange(offset[-1])
    return key % width, key // width, offset[run] + start - begin[run]


def _merged(lost: IntArray, rivals: IntArray) -> IntArray:
    """Group counts whose likelihoods are nearly the same function of z.

    Groups have about the same width, and are a fifth of it wide in z, which lowers the information by a third
    of a percent. A count that is sharper than half a step of the grid needs no finer place than one that is not.
    """
    centre, width = _sight(lost.astype(float), rivals.astype(float))
    level = np.floor(np.log(np.maximum(width, STEP / 2)) / 0.2)
    place = np.floor(centre / (0.2 * np.exp(0.2 * level)))
    return np.unique(np.stack([level, place]), axis=1, return_inverse=True)[1].ravel().astype(np.int64)


def npmle(matrix: FloatArray, weight: FloatArray, tolerance: float = 1e-7) -> FloatArray:
    """Shares v ≥ 0, Σ v = 1, that maximise Σ_r weight_r log(matrix v)_r (Kiefer and Wolfowitz).

    Newton's method under the constraints (Wang 2007): the second-order model of the log-likelihood is, with the
    rows scaled to S = matrix/P, the least squares problem Σ weight (S v − 2)² over the simplex, which one more
    row turns into nonnegative least squares. At the optimum no node has Σ_r weight_r S_rg > 1; iteration stops
    within ``tolerance`` of that, so the log-likelihood per unit of weight is that near to its maximum.
    """
    from scipy.optimize import nnls

    weight = weight / weight.sum()
    share = np.full(matrix.shape[1], 1.0 / matrix.shape[1])
    for _ in range(200):
        likely = np.maximum(matrix @ share, TINY)
        scaled = matrix / likely[:, None]
        gain = weight @ scaled
        if gain.max() < 1.0 + tolerance:
            break
        share = share * gain  # a step of the EM algorithm: always uphill
        likely = np.maximum(matrix @ share, TINY)
        scaled = np.sqrt(weight)[:, None] * (matrix / likely[:, None] - 2.0)
        system = np.vstack([np.linalg.qr(scaled, mode="r"), np.ones(len(share))])
        target = np.append(np.zeros(len(system) - 1), 1.0)
        goal = nnls(system, target, maxiter=20 * len(share))[0]
        move = goal / goal.sum() - share
        value, length = weight @ np.log(likely), 1.0
        while length > 1e-9:
            if weight @ np.log(np.maximum(matrix @ (share + length * move), TINY)) >= value:
                share = np.maximum(share + length * move, 0.0)
                break
            length /= 3.0
    return np.asarray(share / share.sum())


def bfgs(inverse: FloatArray, move: FloatArray, change: FloatArray) -> FloatArray:
    """Inverse Hessians updated with what each ``move`` (d × B) changed in the slope, where that tells anything."""
    curve = (move * change).sum(axis=0)
    told = curve > 1e-12 * (move**2).sum(axis=0)
    scale = np.where(told, 1.0 / np.where(told, curve, 1.0), 0.0)
    bent = np.einsum("bij,jb->ib", inverse, change)
    cross = np.einsum("ib,jb,b->bij", move, bent, scale)
    both = scale + scale**2 * (change * bent).sum(axis=0)
    return np.asarray(inverse - cross - cross.transpose(0, 2, 1) + np.einsum("ib,jb,b->bij", move, move, both))


def positive_inverses(bends: FloatArray) -> FloatArray:
    """Inverses of negative Hessians (B × d × d), made positive definite where one is not."""
    size, axes = np.linalg.eigh(bends)
    return np.asarray((axes / np.maximum(np.abs(size), 1e-3)[:, None, :]) @ axes.transpose(0, 2, 1))
