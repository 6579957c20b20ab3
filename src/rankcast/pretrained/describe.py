"""What the network sees of evidence: a few numbers about each test example, and a few about the whole."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from .._typing import Array, FloatArray, IntArray
from ..cross_validation import Criterion
from ..curve import curve
from ..embeddings import Embeddings
from ..evidence import Evidence
from ..favourability import Favourability
from ..likelihood import effective_size, likelihood_matrix
from ..methods.gaussian import Gaussian, GaussianFit
from ..methods.kde import example_probits
from ..methods.mixture import Mixture
from ..methods.pooled import Pooled
from ..metrics import TOP1
from ..ranking import Scores, ScoreTable, blocks
from .anchoring import anchor, probit, wins
from .margins import MARGINS, Margins
from .rows import HIGHEST, LOWEST, ROW_ESTIMATES, describe_rows
from .structure import structure

BEHIND = 2.0 ** np.arange(6)  # the exact curve is read at k₁ divided by these
AHEAD = np.array([1.0, 2.0, 5.0, 20.0, 100.0])  # forecasts of the simple methods are read at k₁ times these
PARTS = 4  # of the classes, in each of which the estimates are made again, to be tested on all
FEWEST = 8  # classes in a part
TESTED = 1024  # examples that the estimates are made again of, at most
DISTANCES = 256  # rows and columns of a table by which it is told whether it holds distances
NOTHING = 1e-9  # of all that there is
CACHED = 2**24  # bytes of scores made at once
LARGEST_TABLE = 2**26  # scores that are kept at hand
MIXED = ("rank", "posterior", "common")
KERNELS: tuple[Criterion, ...] = ("bcv", "ucv")
POOLING = {"threshold": Pooled(), "pooled": Pooled(threshold=None)}
SCORED = (*KERNELS, *POOLING, *ROW_ESTIMATES)
AGREEING = [MIXED.index("posterior"), *range(len(MIXED), len(MIXED) + len(SCORED))]
CURVE = slice(7, 13)  # in the context: probits of the exact curve at k₁ divided by ``BEHIND``
MIXTURE = slice(18, 23)  # and of the mixture's forecasts at k₁ times ``AHEAD``
SMOOTHED = 23  # with scores: what smoothing adds to the probit of the measured accuracy
# what forecasts from margins are above the mixture's, beyond k₁
GAINS = slice(SMOOTHED + 1, SMOOTHED + 1 + (len(AHEAD) - 1) * len(MARGINS))
AMISS = slice(GAINS.stop, GAINS.stop + len(MARGINS))  # and how far off they are when made in parts of the classes


@dataclass(frozen=True, eq=False)
class Description:
    """Numbers about evidence, of the same kind whatever its size.

    Attributes
    ----------
    example : ndarray, examples × features
        About each test example.
    z : ndarray, examples × estimates
        Estimates of its Φ⁻¹(U*): from ranks (``MIXED``) and, if there are scores, from those (``SCORED``).
    spread : ndarray
        Standard deviation of Φ⁻¹(U*) given the rank of the example, under the binomial mixture.
    context : ndarray
        About the whole.
    """

    example: FloatArray
    z: FloatArray
    spread: FloatArray
    context: FloatArray

    @property
    def scored(self) -> bool:
        """Whether there were scores to look at."""
        return bool(self.z.shape[1] > len(MIXED))


def describe(evidence: Evidence, rng: np.random.Generator) -> Description:
    """All that the network sees of some evidence, with or without its scores."""
    evidence = held(squared(logarithmic(evidence)))
    fit, mixture = Gaussian().estimate(evidence), Mixture().fit(evidence, rng)
    mean, spread = posterior(evidence, mixture)
    tied = evidence.tied
    rank = ndtri((evidence.beaten + tied / 2 + 0.5) / (evidence.rivals + 1))
    common = np.full(len(evidence), np.clip(fit.mu, LOWEST, HIGHEST))
    z = np.stack([rank, mean, common], axis=1)
    example = [rank, mean, spread, np.log1p(tied), tied > 0]
    context = _rank_context(evidence, fit, mixture)
    if evidence.scores is not None:
        estimates, shapes, margins = score_estimates(evidence, rng)
        z = np.concatenate([z, estimates], axis=1)
        example += [*estimates.T, *shapes.T]
        about = [*_score_context(evidence, estimates, margins, context, rng), structure(evidence, rng)]
        context = np.concatenate([context, *about, agreeing(z[:, AGREEING], evidence.weight, evidence.k1, context)])
    return Description(np.stack(example, axis=1), z, spread, context)


def logarithmic(evidence: Evidence) -> Evidence:
    """The same evidence with the logarithms of its scores, if they are probabilities that sum to one."""
    table = evidence.scores
    if not isinstance(table, ScoreTable) or not table.higher_is_better:
        return evidence
    first = table.block(slice(0, min(64, len(evidence))))
    if first.min() < 0 or np.abs(first.sum(axis=1) - 1).max() > 1e-3:
        return evidence
    with np.errstate(divide="ignore"):
        logs = np.log(np.asarray(table.matrix, float))
    floor = logs[np.isfinite(logs)].min(initial=0.0) - 1.0  # below all others, yet finite
    return replace(evidence, scores=ScoreTable(np.maximum(logs, floor), True))


def squared(evidence: Evidence) -> Evidence:
    """The same evidence with the squares of its distances, if they are known to be Euclidean.

    A square is a sum over dimensions, and so the nearest to normal. Distances in a table too large to be kept at hand
    are left as they are.
    """
    scores = evidence.scores
    if isinstance(scores, Embeddings) and scores.similarity == "euclidean":
        return replace(evidence, scores=replace(scores, similarity="sqeuclidean"))
    if isinstance(scores, ScoreTable) and np.prod(scores.shape) <= LARGEST_TABLE and euclidean(scores):
        return replace(evidence, scores=ScoreTable(_square(scores.matrix), higher_is_better=False))
    return evidence


def euclidean(scores: ScoreTable) -> bool:
    """Whether a table holds Euclidean distances in fewer dimensions than it has rows and columns to tell by.

    Squared, |p|² + |g|² − 2 p·g, and with the means of rows and columns taken off, they have no more directions than
    there are dimensions; as they are, they have more.
    """
    part = np.asarray(scores.matrix[:DISTANCES, :DISTANCES], float)
    if part.max() > 0 if scores.higher_is_better else part.min() < 0:
        return False
    return _few_directions(_square(part)) and not _few_directions(part)


def _square(table: Array) -> FloatArray:
    """Squares, in units in which none is too large a number."""
    return np.asarray(np.square(table / (np.abs(table).max() or 1.0)), float)


def _few_directions(table: FloatArray) -> bool:
    """Whether nothing is left beyond three quarters of the directions that there could be."""
    table = table - table.mean(axis=1, keepdims=True)
    table -= table.mean(axis=0)
    strength = np.linalg.svd(table, compute_uv=False)  # from the greatest down
    strength = (strength / (strength[0] or 1.0)) ** 2
    return bool(strength[3 * len(strength) // 4 :].sum() <= NOTHING * strength.sum())


def held(evidence: Evidence) -> Evidence:
    """The same evidence with its scores as a table, if that is of a bearable size: they are read several times."""
    scores = evidence.scores
    if scores is None or isinstance(scores, ScoreTable) or np.prod(scores.shape) > LARGEST_TABLE:
        return evidence
    table = np.empty(scores.shape)
    for rows in blocks(scores.shape, CACHED):
        table[rows] = scores.block(rows)
    return replace(evidence, scores=ScoreTable(table, True))


def posterior(evidence: Evidence, prior: Favourability) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of Φ⁻¹(U*) of each example given its rank.

    The prior is a mixture of normals of one spread, narrow beside what a rank tells.
    """
    merged, where = evidence.compress()
    lost = merged.rivals - merged.beaten - merged.tied / 2
    inside = np.isfinite(prior.z)
    nodes, width = prior.z[inside], float(prior.spread[inside].max())
    share = likelihood_matrix(lost, merged.rivals.astype(float), nodes, width) * prior.weight[inside]
    share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-300)
    mean = share @ nodes
    spread = np.sqrt(np.maximum(share @ nodes**2 - mean**2, 0) + width**2)
    return np.clip(mean, LOWEST, HIGHEST)[where], spread[where]


def score_estimates(evidence: Evidence, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, Margins]:
    """Estimates of each example's Φ⁻¹(U*) from scores (``SCORED``), shapes of its row (``ROW_SHAPES``), its margin."""
    if evidence.scores is None:
        raise ValueError("there are no scores")
    smooth = example_probits(evidence.scores, evidence.label, KERNELS)
    pooled = [method.example_z(evidence, rng) for method in POOLING.values()]
    own, shapes, margins = describe_rows(evidence.scores, evidence.label)
    return np.column_stack([*np.clip([*smooth, *pooled], LOWEST, HIGHEST), own]), shapes, margins


def _rank_context(evidence: Evidence, fit: GaussianFit, mixture: Favourability) -> FloatArray:
    k1, classes = evidence.k1, len(np.unique(evidence.label))
    behind = np.maximum(np.rint(k1 / BEHIND), 2).astype(np.int64)
    ahead = np.rint(k1 * AHEAD).astype(np.int64)
    normal = Favourability([fit.mu], [1.0], fit.tau).value(ahead)
    numbers = [
        np.log(k1),
        np.log(classes),
        np.log(len(evidence) / classes),
        np.log(effective_size(evidence)),
        float(evidence.weight @ (evidence.tied > 0)),
        np.clip(fit.mu, -3, 10),
        np.clip(np.log(fit.tau), -4, 3),
    ]
    return np.concatenate(
        [numbers, *(squash(each, classes) for each in (curve(evidence, behind), normal, mixture.value(ahead)))]
    )


def _score_context(
    evidence: Evidence, estimates: FloatArray, margins: Margins, context: FloatArray, rng: np.random.Generator
) -> list[FloatArray]:
    """Forecasts from margins and of each estimate, and how those made within parts of the classes do on all of them.

    Forecasts from margins are beside the mixture's, which are in the ``context`` of the ranks; the first number is what
    smoothing adds to the measured accuracy, on the probit scale.
    """
    k1, classes, weight = evidence.k1, len(np.unique(evidence.label)), evidence.weight
    now, *ahead = margins.chances(k1 - 1, AHEAD)
    gains = [squash(each @ weight, classes) - known for each, known in zip(ahead, context[MIXTURE][1:], strict=True)]
    smoothed = squash(now[:1] @ weight, classes) - context[CURVE.start]
    forecasts = [squash(each, classes) for each in averages(estimates, weight, k1 * AHEAD)]
    rows = np.arange(len(evidence))
    if len(evidence) > TESTED:
        rows = np.sort(rng.permutation(len(evidence))[:TESTED])
        weight, estimates = weight[rows] / weight[rows].sum(), estimates[rows]
    again, then = backtest_estimates(evidence, estimates, now[:, rows], rows, rng)
    tested = [squash(each, classes) for each in averages(again, weight, np.array([k1, k1 / PARTS]))]
    amiss = squash(then @ weight, classes) - squash(now[:, rows] @ weight, classes)
    drift = weight @ (estimates - again)
    spread = np.sqrt(weight @ (estimates - again - drift) ** 2)
    return [
        np.clip(np.concatenate([smoothed, *gains, amiss]), -3, 3),
        np.concatenate([*forecasts, *tested, np.clip(drift, -2, 2), np.clip(spread, 0, 3)]),
    ]


def agreeing(z: FloatArray, weight: FloatArray, k1: int, context: FloatArray) -> FloatArray:
    """Forecasts of each estimate once it is moved to agree with what was measured, beside the mixture's; and the moves.

    ``context`` is what is known of the ranks.
    """
    shift, _ = anchor(z, weight, context[CURVE.start], k1, steps=8)
    shift = np.clip(shift, -3, 3)
    ahead = [
        probit(weight @ wins(z + shift, k1 * each)) - known for each, known in zip(AHEAD, context[MIXTURE], strict=True)
    ]
    return np.concatenate([np.clip(ahead[1:], -3, 3).ravel(), shift])


def averages(z: FloatArray, weight: FloatArray, k: FloatArray) -> FloatArray:
    """Accuracy among k classes for each column of estimates: estimates × k."""
    return np.stack([weight @ TOP1.given_favourability(z, np.asarray(float(each))) for each in k], axis=1)


def backtest_estimates(
    evidence: Evidence, estimates: FloatArray, chances: FloatArray, examples: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """The estimates of these examples made again, each against the rivals in its own part of the classes only.

    Also their chances to be right among all classes, forecast from margins in that part. Both are what they were where
    there are too few classes for parts.
    """
    table = evidence.scores
    if table is None or evidence.k1 < 2 * FEWEST:
        return estimates, chances
    member = rng.permutation(evidence.k1) % (PARTS if evidence.k1 >= PARTS * FEWEST else 2)
    found, then = np.empty_like(estimates), np.empty_like(chances)
    for part in range(member.max() + 1):
        rows = np.nonzero(member[evidence.label[examples]] == part)[0]
        if len(rows):
            columns = np.nonzero(member == part)[0]
            found[rows], _, margins = score_estimates(_part(evidence, table, examples[rows], columns), rng)
            then[:, rows] = margins.chances(len(columns) - 1, np.array([evidence.k1 / len(columns)]))[0]
    return found, then


def _part(evidence: Evidence, table: Scores, rows: IntArray, columns: IntArray) -> Evidence:
    """Some examples among some classes only."""
    scores, label = table.take(rows, columns), np.searchsorted(columns, evidence.label[rows])
    beaten, tied = scores.count(label)
    rivals = np.full(len(rows), len(columns) - 1)
    return Evidence(beaten, tied, rivals, label, None, evidence.weight[rows], scores, evidence.weighting)


def squash(accuracy: FloatArray, number: int) -> FloatArray:
    """An accuracy on the probit scale, no surer than so many classes allow."""
    edge = 0.25 / max(number, 1)
    return np.asarray(ndtri(np.clip(accuracy, edge, 1 - edge)))
