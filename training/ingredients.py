"""Random settings that the families of populations share."""

import numpy as np

from .geometry import Geometry, Groups, Spread, zipf_odds
from .matching import Match
from .sampling import Cloud, Rng, Vectors, log_integer, log_uniform, pick, power_axes
from .vectors import Gallery, Noise

DIMENSIONS = (2, 200)
USUAL = 16  # dimensions that most populations have at least
SET_ASIDE = range(7, 14)  # dimensions of the isotropic normal populations that are kept for testing
TABLE_SIZE = 6_000_000  # numbers in a table of groups

DISTANCE = {"euclidean": 0.6, "sqeuclidean": 0.4}
ANY_SCORE = {"euclidean": 0.35, "sqeuclidean": 0.2, "cosine": 0.35, "dot": 0.1}


def cloud(rng: Rng, law: str, low: int = DIMENSIONS[0], high: int = DIMENSIONS[1]) -> Cloud:
    """A cloud of random dimension and spectrum, from isotropic to steep, seldom of few dimensions.

    Classes that a system can tell apart by the thousand lie in many directions: the participation ratio of most of
    these spectra is between 6 and 100, as is reported of learnt representations. A normal cloud of 7 to 13 dimensions
    is never isotropic or nearly so: those are the test set.
    """
    least = low if rng.random() < 0.15 else max(low, min(USUAL, high))
    return Cloud(law, axes(rng, law, log_integer(rng, least, high), 3.0), tail(rng, law))


def axes(rng: Rng, law: str, dim: int, steepest: float) -> Vectors:
    """Axes of a random spectrum, often isotropic, but never where that is kept for testing; seldom very steep."""
    most = steepest if rng.random() < 0.15 else 1.4
    exponent = 0.0 if rng.random() < 0.35 else rng.uniform(0, most)
    if law == "normal" and dim in SET_ASIDE:
        exponent = rng.uniform(0.75, most)
    return power_axes(dim, exponent)


def tail(rng: Rng, law: str) -> float:
    """Degrees of freedom of Student's t, or share of non-zero coordinates."""
    return rng.uniform(0.05, 0.5) if law == "sparse" else log_uniform(rng, 2, 6)


def shift(rng: Rng, dim: int) -> Vectors | None:
    """Sometimes, a common direction of all vectors."""
    if rng.random() < 0.6:
        return None
    v = rng.standard_normal(dim)
    return (v * log_uniform(rng, 0.1, 2) / np.sqrt(v @ v)).astype(np.float32)


def noise(rng: Rng, dim: int, along: Vectors | None = None, grouped: bool = False) -> Noise:
    """Random noise in ``dim`` dimensions; ``along`` are the axes of the classes, which it may follow."""
    law = pick(rng, {"normal": 0.55, "student": 0.2, "laplace": 0.15, "uniform": 0.1})
    shape = pick(rng, {"isotropic": 0.45, "power": 0.25, "subspace": 0.15, "proportional": 0.15})
    scale = power_axes(dim, rng.uniform(0, 2) if shape == "power" else 0.0)
    if shape == "proportional" and along is not None:
        scale = along.copy()
    elif shape == "subspace" and dim > 3:
        rank = log_integer(rng, 2, dim // 2)
        scale = np.where(rng.permutation(dim) < rank, rank**-0.5, 0.02 * rank**-0.5).astype(np.float32)
    elif shape == "power" and rng.random() < 0.5:
        scale = rng.permutation(scale)
    classes = ("lognormal", 0.0)
    if rng.random() < 0.6:
        classes = ("lognormal", rng.uniform(0.1, 1.0))
        if rng.random() < 0.3:
            classes = ("gamma", log_uniform(rng, 0.7, 10))
    return Noise(
        Cloud(law, scale, log_uniform(rng, 2, 10)),
        classes=classes,
        local=float(rng.choice([0.0, 0.5, 1.0])) if grouped else 0.0,
        examples=rng.uniform(0.1, 0.8) if rng.random() < 0.5 else 0.0,
        mislabelled=mislabelled(rng),
        wild=rng.uniform(0.01, 0.2) if rng.random() < 0.2 else 0.0,
        wildness=rng.uniform(3, 10),
    )


def mislabelled(rng: Rng) -> float:
    """Share of hopeless test examples, often none."""
    return log_uniform(rng, 0.002, 0.15) if rng.random() < 0.35 else 0.0


def gallery(rng: Rng, dim: int) -> Gallery:
    """One or several exemplars, clean or noisy; fewer of them where a comparison is dear."""
    ratio = {"same": 1.0, "clean": 0.0, "other": log_uniform(rng, 0.1, 2)}
    kind = pick(rng, {"same": 0.4, "clean": 0.25, "other": 0.35})
    number = pick(rng, {"one": 0.6, "mean": 0.25, "nearest": 0.15})
    if number == "nearest" and kind != "clean":
        return Gallery(ratio[kind], log_integer(rng, 2, max(2, min(5, 200 // dim))), nearest=True)
    if number == "mean":
        return Gallery(ratio[kind], log_integer(rng, 2, 20), varied=bool(rng.random() < 0.5))
    return Gallery(ratio[kind])


def gallery_of_one(rng: Rng) -> Gallery:
    """One exemplar, as noisy as test examples or less so, or the mean of a few such."""
    return Gallery(float(rng.choice([0.0, 0.5, 1.0])), log_integer(rng, 1, 5))


def match(rng: Rng, kinds: dict[str, float], dim: int, fine: bool = False) -> Match:
    """A kind of score; inner products need some dimensions for any class to win."""
    usable = {kind: share for kind, share in kinds.items() if dim >= 8 or kind not in ("dot", "cosine")}
    kind = pick(rng, usable or kinds)
    return Match(kind, double=fine or dim <= 3)


def distortion(rng: Rng, dim: int) -> Vectors:
    """A linear map around the identity: what one domain makes of vectors of another."""
    rank = log_integer(rng, 1, dim)
    strength = log_uniform(rng, 0.05, 0.8)
    left, right = rng.standard_normal((dim, rank)), rng.standard_normal((rank, dim))
    bent = np.eye(dim) + strength * (left @ right) / np.sqrt(dim * rank)
    return np.asarray(bent, np.float32)


def group_count(rng: Rng, low: int, high: int, dim: int) -> int:
    """A number of groups whose table fits."""
    return log_integer(rng, low, max(low + 1, min(high, TABLE_SIZE // dim)))


def groups(
    rng: Rng,
    table: Vectors,
    outer: Geometry,
    *,
    sizes: Vectors,
    zipf: float = 0.0,
    free: float = 0.0,
    shared: float = 0.0,
) -> Groups:
    """Groups around the rows of a table, of these sizes; a share of them with one gallery entry in common."""
    count, dim = table.shape
    law = pick(rng, {"normal": 0.7, "student": 0.15, "uniform": 0.15})
    inner = Cloud(law, axes(rng, law, dim, 2.0), 4.0)
    return Groups(
        table=table,
        odds=zipf_odds(count, zipf),
        spread=sizes,
        inner=inner,
        outer=outer,
        free=free,
        shared=np.asarray(rng.random(count) < shared),
    )


def sizes(rng: Rng, count: int, low: float, high: float) -> Vectors:
    """Sizes of groups, log-uniform within a random part of the range."""
    ends = np.sort(np.log([log_uniform(rng, low, high), log_uniform(rng, low, high)]))
    return np.exp(rng.uniform(ends[0], ends[1], count)).astype(np.float32)


def plain_cloud(rng: Rng, low: int = DIMENSIONS[0], high: int = DIMENSIONS[1]) -> Spread:
    """The cloud in which groups lie."""
    law = pick(rng, {"normal": 0.6, "student": 0.15, "laplace": 0.1, "uniform": 0.15})
    return Spread(cloud(rng, law, low, high))
