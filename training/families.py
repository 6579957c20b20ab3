"""The families of populations that training tasks come from.

Each family is a function from a random generator to a population; the level of noise is set later. They are in three
lists that tasks can be drawn from: two halves, and those whose classes are structured as names, pictures and words are.
"""

from dataclasses import replace

import numpy as np

from . import ingredients as draw
from .edits import EditPopulation
from .geometry import Composition, Geometry, Groups, Joined, Kin, Manifold, Spread, Subspaces, tree, zipf_odds
from .matching import DISTANCES, Match, Report
from .morphs import MorphPopulation
from .populations import Population
from .registry import FAMILIES, HELD_OUT, STRUCTURED, TRAIN, curved, dressed, family, unrounded
from .sampling import Cloud, Rng, log_integer, log_uniform, pick, power_axes
from .special import DocumentPopulation, LikelihoodPopulation, PairPopulation
from .vectors import Gallery, Noise, VectorPopulation

__all__ = ["FAMILIES", "HELD_OUT", "STRUCTURED", "TRAIN"]


# -- spread-out classes ----------------------------------------------------------------------------------


@family(TRAIN)
def gaussian(rng: Rng) -> Population:
    """Normal classes, 2 to 200 dimensions, any spectrum (but see ``ingredients.cloud``)."""
    cloud = draw.cloud(rng, "normal")
    return dressed(rng, "gaussian", Spread(cloud, draw.shift(rng, cloud.dim)), draw.ANY_SCORE)


@family(TRAIN)
def student(rng: Rng) -> Population:
    """Heavy-tailed classes."""
    cloud = draw.cloud(rng, pick(rng, {"student": 0.6, "student-axes": 0.4}))
    return dressed(rng, "student", Spread(cloud), draw.ANY_SCORE)


@family(TRAIN)
def sphere(rng: Rng) -> Population:
    """Directions: embeddings of length one, often in a cone."""
    cloud = draw.cloud(rng, "normal", low=3)
    geometry = Spread(cloud, draw.shift(rng, cloud.dim), sphere=True)
    return dressed(rng, "sphere", geometry, {"cosine": 0.6, "euclidean": 0.2, "sqeuclidean": 0.1, "dot": 0.1})


@family(HELD_OUT)
def peaked(rng: Rng) -> Population:
    """Laplace, sparse or one-sided coordinates."""
    cloud = draw.cloud(rng, pick(rng, {"laplace": 0.4, "sparse": 0.3, "skewed": 0.3}))
    return dressed(rng, "peaked", Spread(cloud, draw.shift(rng, cloud.dim)), draw.ANY_SCORE)


@family(HELD_OUT)
def box(rng: Rng) -> Population:
    """Classes that fill a box evenly."""
    return dressed(rng, "box", Spread(draw.cloud(rng, "uniform")), {**draw.DISTANCE, "cosine": 0.2})


# -- groups of classes -----------------------------------------------------------------------------------


@family(TRAIN)
def clusters(rng: Rng) -> Population:
    """From a few to thousands of clusters, loose or tight, equal or not."""
    outer = draw.plain_cloud(rng)
    count = draw.group_count(rng, 3, 5000, outer.dim)
    size = draw.sizes(rng, count, 0.02, 1.0)
    geometry = draw.groups(
        rng,
        outer.cloud.points(count, rng),
        outer,
        sizes=size,
        zipf=rng.uniform(0, 1.2),
        free=rng.uniform(0, 0.5) if rng.random() < 0.4 else 0.0,
    )
    return dressed(rng, "clusters", geometry, draw.ANY_SCORE, grouped=True)


@family(TRAIN)
def lookalikes(rng: Rng) -> Population:
    """Some classes have near-duplicates: the more classes, the more of them are met."""
    outer = draw.plain_cloud(rng)
    count = draw.group_count(rng, 200, 100_000, outer.dim)
    geometry = draw.groups(
        rng,
        outer.cloud.points(count, rng),
        outer,
        sizes=draw.sizes(rng, count, 0.005, 0.5),
        zipf=rng.uniform(0, 1) if rng.random() < 0.5 else 0.0,
        free=rng.uniform(0.05, 0.9),
    )
    return dressed(rng, "lookalikes", geometry, draw.ANY_SCORE, grouped=True)


@family(TRAIN)
def namesakes(rng: Rng) -> Population:
    """Some classes have exactly the same gallery entry, as different meanings of one word do."""
    outer = draw.plain_cloud(rng, low=4)
    count = draw.group_count(rng, 300, 100_000, outer.dim)
    geometry = draw.groups(
        rng,
        outer.cloud.points(count, rng),
        outer,
        sizes=draw.sizes(rng, count, 0.03, 0.7),
        zipf=rng.uniform(0, 1),
        free=rng.uniform(0.2, 0.97),
        shared=1.0 if rng.random() < 0.5 else rng.uniform(0.1, 1),
    )
    kinds = {"euclidean": 0.35, "sqeuclidean": 0.15, "cosine": 0.4, "dot": 0.1}
    made = dressed(rng, "namesakes", geometry, kinds, grouped=True)
    if rng.random() < 0.5:
        made = replace(made, distortion=draw.distortion(rng, geometry.dim))
    return made


@family(HELD_OUT)
def hierarchy(rng: Rng) -> Population:
    """Groups within groups, two to four levels."""
    outer = draw.plain_cloud(rng)
    depth = int(rng.integers(2, 5))
    top = draw.group_count(rng, 50, 50_000, outer.dim)
    branches = np.unique(np.geomspace(rng.uniform(2, 20), top, depth).astype(int)).tolist()
    table, last = tree(rng, branches, rng.uniform(0.15, 0.7), outer.cloud)
    size = last * draw.sizes(rng, len(table), 0.1, 0.8)
    geometry = draw.groups(rng, table, outer, sizes=size, zipf=rng.uniform(0, 1))
    return dressed(rng, "hierarchy", geometry, draw.ANY_SCORE, grouped=True)


@family(HELD_OUT)
def communities(rng: Rng) -> Population:
    """Families of classes whose sizes follow a power law; a few of them share one gallery entry."""
    outer = draw.plain_cloud(rng)
    count = draw.group_count(rng, 1000, 100_000, outer.dim)
    geometry = draw.groups(
        rng,
        outer.cloud.points(count, rng),
        outer,
        sizes=draw.sizes(rng, count, 0.01, 1.0),
        zipf=rng.uniform(0.6, 1.6),
        free=rng.uniform(0, 0.7),
        shared=rng.uniform(0, 0.3) if rng.random() < 0.4 else 0.0,
    )
    return dressed(rng, "communities", geometry, draw.ANY_SCORE, grouped=True)


@family(HELD_OUT)
def definitions(rng: Rng) -> Population:
    """Two domains: the gallery shows one, test examples another, a linear map and more noise away."""
    outer = draw.plain_cloud(rng, low=8)
    geometry: Geometry = outer
    if rng.random() < 0.5:
        count = draw.group_count(rng, 300, 50_000, outer.dim)
        table = outer.cloud.points(count, rng)
        size = draw.sizes(rng, count, 0.05, 0.8)
        geometry = draw.groups(rng, table, outer, sizes=size, free=rng.uniform(0.2, 0.95), shared=rng.uniform(0, 0.6))
    kinds = {"cosine": 0.6, "euclidean": 0.25, "dot": 0.15}
    made = dressed(rng, "definitions", geometry, kinds, grouped=True)
    return replace(made, gallery=Gallery(log_uniform(rng, 0.05, 1)), distortion=draw.distortion(rng, outer.dim))


@family(HELD_OUT)
def senses(rng: Rng) -> Population:
    """Classes of several kinds of examples each; the closest exemplar decides."""
    outer = draw.plain_cloud(rng, high=60)
    made = dressed(rng, "senses", outer, draw.ANY_SCORE)
    return replace(
        made,
        senses=int(rng.integers(2, 6)),
        apart=Cloud("normal", log_uniform(rng, 0.05, 1) * outer.cloud.axes),
        gallery=Gallery(made.gallery.ratio),
    )


# -- low intrinsic dimension -----------------------------------------------------------------------------


@family(TRAIN)
def manifold(rng: Rng) -> Population:
    """A curved sheet of few intrinsic dimensions in a space of many."""
    return dressed(rng, "manifold", curved(rng, 8, 200), {**draw.DISTANCE, "cosine": 0.3})


@family(HELD_OUT)
def subspaces(rng: Rng) -> Population:
    """A union of flat pieces."""
    dim, pieces = log_integer(rng, 8, 200), log_integer(rng, 2, 40)
    latent = Cloud(pick(rng, {"normal": 0.6, "student": 0.4}), power_axes(log_integer(rng, 4, min(40, dim)), 0.0))
    bases = rng.standard_normal((pieces, latent.dim, dim)) / np.sqrt(dim)
    centres = log_uniform(rng, 0.05, 3) * rng.standard_normal((pieces, dim)) / np.sqrt(dim)
    geometry = Subspaces(bases.astype(np.float32), centres.astype(np.float32), latent)
    return dressed(rng, "subspaces", geometry, {**draw.DISTANCE, "cosine": 0.3})


# -- discrete vectors: ties ------------------------------------------------------------------------------


@family(TRAIN)
def codes(rng: Rng) -> Population:
    """Strings of bits, compared by the number that agree."""
    geometry: Geometry = Spread(Cloud("normal", power_axes(log_integer(rng, 32, 200), 0.0)))
    if rng.random() < 0.6:
        geometry = curved(rng, 64, 200)
    made = dressed(rng, "codes", geometry, {"dot": 1.0})
    return replace(made, observe="sign", match=Match("dot"), ties=True, distortion=None, report=unrounded(made.report))


@family(HELD_OUT)
def lattice(rng: Rng) -> Population:
    """Vectors of whole numbers."""
    law = pick(rng, {"normal": 0.3, "uniform": 0.2, "skewed": 0.3, "laplace": 0.2})
    cloud = draw.cloud(rng, law, low=4, high=60)
    made = dressed(rng, "lattice", Spread(cloud), {"sqeuclidean": 0.4, "euclidean": 0.4, "dot": 0.2})
    grain = log_uniform(rng, 0.05, 1) / np.sqrt(cloud.dim)
    return replace(made, observe="round", grain=grain, ties=True, distortion=None, report=unrounded(made.report))


# -- classifiers -----------------------------------------------------------------------------------------


@family(TRAIN)
def logits(rng: Rng) -> Population:
    """A linear classifier: one weight vector and bias per class, and most often a softmax."""
    cloud = draw.cloud(rng, pick(rng, {"normal": 0.7, "student": 0.15, "skewed": 0.15}), low=5)
    made = dressed(rng, "logits", Spread(cloud, draw.shift(rng, cloud.dim)), {"dot": 1.0}, softmax=1.0)
    bias = log_uniform(rng, 0.01, 0.2) if rng.random() < 0.5 else 0.0
    match = Match("logit", pull=rng.uniform(0.5, 1.1), bias=bias)
    return replace(made, match=match, observe="relu" if rng.random() < 0.25 else "plain")


@family(HELD_OUT)
def likelihood(rng: Rng) -> Population:
    """Normal log-likelihoods, each class with variances of its own."""
    outer = draw.plain_cloud(rng, high=60)
    return LikelihoodPopulation(
        family="likelihood",
        match=Match("likelihood", double=True),
        geometry=outer,
        noise=draw.noise(rng, outer.dim, outer.cloud.axes),
        uneven=rng.uniform(0, 1.5),
        samples=log_uniform(rng, 3, 1000),
        prior=rng.uniform(0, 1) if rng.random() < 0.3 else 0.0,
        report=Report.draw(rng, distance=False, softmax=0.4),
    )


@family(TRAIN)
def documents(rng: Rng) -> Population:
    """Naive Bayes on bags of words."""
    words = log_integer(rng, 20, 200)
    geometry: Geometry = Spread(Cloud(pick(rng, {"normal": 0.6, "laplace": 0.4}), power_axes(words, 0.0)))
    if rng.random() < 0.5:
        geometry = curved(rng, words, words)
    return DocumentPopulation(
        family="documents",
        match=Match("likelihood"),
        geometry=geometry,
        base=(-rng.uniform(0, 1.2) * np.log(np.arange(1, words + 1))).astype(np.float32),
        contrast=log_uniform(rng, 0.3, 2) * np.sqrt(words),
        length=50.0,
        varied=rng.uniform(0.1, 1) if rng.random() < 0.6 else 0.0,
        error=log_uniform(rng, 0.02, 0.5) if rng.random() < 0.5 else 0.0,
        mean=bool(rng.random() < 0.3),
        mislabelled=draw.mislabelled(rng),
        ties=True,
        report=unrounded(Report.draw(rng, distance=False, softmax=0.5)),
    )


@family(HELD_OUT)
def pairs(rng: Rng) -> Population:
    """Genuine and impostor scores of given laws, without a space behind them."""
    law = pick(rng, {"normal": 0.5, "student": 0.2, "laplace": 0.15, "skewed": 0.15})
    spread = log_uniform(rng, 0.3, 2.5) * rng.choice([-1.0, 1.0])
    split = rng.random() < 0.4
    return PairPopulation(
        family="pairs",
        match=Match("pairs"),
        genuine=Cloud(law, np.array([spread], np.float32), log_uniform(rng, 2.5, 10)),
        width=32,
        ease=rng.uniform(0.1, 1) if rng.random() < 0.6 else 0.0,
        hard=(rng.uniform(0.02, 0.5), rng.uniform(0.5, 4)) if split else (0.0, 0.0),
        popular=rng.uniform(0, 0.5) if rng.random() < 0.4 else 0.0,
        skew=rng.uniform(-0.5, 0.5) if rng.random() < 0.6 else 0.0,
        tail=rng.uniform(0.5, 1.3) if rng.random() < 0.6 else 1.0,
        place=rng.uniform(0, 1) if rng.random() < 0.4 else 0.0,
        stretch=rng.uniform(0, 0.6) if rng.random() < 0.4 else 0.0,
        mislabelled=draw.mislabelled(rng),
        report=unrounded(Report.draw(rng, distance=False, softmax=0.3)),
    )


# -- structure, as of what people name, draw and write ---------------------------------------------------


def _dimensions(rng: Rng) -> int:
    """Of structured classes: they lie in many directions."""
    return log_integer(rng, 24, 200)


def _composition(rng: Rng) -> Composition:
    """Classes of shared parts, frequent and rare, and of something of their own."""
    dim, slots = _dimensions(rng), int(rng.integers(1, 7))
    strength = rng.dirichlet(np.full(slots + 1, 2.0))
    axes = draw.axes(rng, "any", dim, 1.4)
    parts, odds = [], []
    for share in strength[1:]:
        count = draw.group_count(rng, 10, 3000, dim)
        law = pick(rng, {"normal": 0.7, "student": 0.3})
        parts.append(Cloud(law, np.sqrt(share).astype(np.float32) * axes, 5.0).points(count, rng))
        odds.append(zipf_odds(count, rng.uniform(0, 1.2)))
    return Composition(tuple(parts), tuple(odds), Cloud("normal", np.sqrt(strength[0]).astype(np.float32) * axes))


def _taxonomy(rng: Rng) -> Groups:
    """Kinds of kinds, each level about as far apart as the one above."""
    dim, depth = _dimensions(rng), int(rng.integers(2, 7))
    outer = Spread(Cloud("normal", draw.axes(rng, "any", dim, 1.4)))
    top = draw.group_count(rng, 30, 20_000, dim)
    branches = np.unique(np.geomspace(rng.uniform(2, 30), top, depth).astype(int)).tolist()
    table, last = tree(rng, branches, rng.uniform(0.6, 1.1), outer.cloud)
    size = last * draw.sizes(rng, len(table), 0.5, 2.0)
    return draw.groups(rng, table, outer, sizes=size, zipf=rng.uniform(0, 1), free=rng.uniform(0, 0.3))


@family(STRUCTURED)
def compositions(rng: Rng) -> Population:
    """Classes made of shared parts."""
    return dressed(rng, "compositions", _composition(rng), draw.ANY_SCORE)


@family(STRUCTURED)
def taxonomy(rng: Rng) -> Population:
    """A soft hierarchy."""
    return dressed(rng, "taxonomy", _taxonomy(rng), draw.ANY_SCORE)


@family(STRUCTURED)
def heads(rng: Rng) -> Population:
    """Linear classifiers of structured classes, often with a softmax."""
    geometry = _composition(rng) if rng.random() < 0.5 else _taxonomy(rng)
    made = dressed(rng, "heads", geometry, {"dot": 1.0}, softmax=0.5)
    bias = log_uniform(rng, 0.01, 0.2) if rng.random() < 0.5 else 0.0
    return replace(made, match=Match("logit", pull=rng.uniform(0.5, 1.1), bias=bias))


@family(STRUCTURED)
def morphs(rng: Rng) -> Population:
    """Pictures of classes, bent by pose, light or handwriting."""
    latent = Cloud(pick(rng, {"normal": 0.7, "uniform": 0.3}), np.ones(log_integer(rng, 8, 80), np.float32))
    noise = draw.noise(rng, log_integer(rng, 2, 30))
    width = _dimensions(rng)
    hidden = [log_integer(rng, 30, 150)] if rng.random() < 0.5 else []
    wave = pick(rng, {"tanh": 0.5, "cos": 0.2, "relu": 0.3})
    flat = Spread(Cloud("normal", np.ones(latent.dim + noise.cloud.dim, np.float32)))
    bend = log_uniform(rng, 0.5, 2.0) / np.sqrt(latent.dim)
    picture = Manifold.build(flat, [*hidden, width], bend, wave, rng)
    match = draw.match(rng, {"euclidean": 0.4, "sqeuclidean": 0.1, "cosine": 0.5}, width)
    return MorphPopulation(
        family="morphs",
        match=match,
        latent=latent,
        nuisance=noise,
        picture=picture,
        grain=log_uniform(rng, 0.01, 0.3) / np.sqrt(width),
        gallery=replace(draw.gallery(rng, width), varied=False),
        report=Report.draw(rng, match.kind in DISTANCES),
    )


def _edited(rng: Rng, name: str, renewed: float, kin: bool) -> EditPopulation:
    """Bags of parts, some of which are changed or lost in each example."""
    dim, places, count = _dimensions(rng), log_integer(rng, 3, 24), log_integer(rng, 20, 5000)
    axes = draw.axes(rng, "any", dim, 1.4)
    parts = Cloud(pick(rng, {"normal": 0.7, "student": 0.3}), axes, 5.0).points(count + 1, rng) / np.sqrt(places)
    parts[0] = 0
    odds = zipf_odds(count, rng.uniform(0, 1.2))
    stems = log_integer(rng, 100, 100_000)
    bags = np.minimum(np.searchsorted(odds, rng.random((stems, places))) + 1, count)
    short = rng.integers(1 + places // 3, places + 1, stems) if rng.random() < 0.6 else np.full(stems, places)
    bags[np.arange(places) >= short[:, None]] = 0
    match = draw.match(rng, draw.ANY_SCORE, dim)
    return EditPopulation(
        family=name,
        match=match,
        parts=parts.astype(np.float32),
        odds=odds,
        stems=bags,
        renewed=renewed,
        kin=kin,
        removed=rng.uniform(0, 1),
        noise=draw.noise(rng, dim),
        grain=log_uniform(rng, 0.1, 2.0),
        gallery=draw.gallery_of_one(rng),
        report=unrounded(Report.draw(rng, match.kind in DISTANCES)),
        ties=True,
    )


@family(STRUCTURED)
def edits(rng: Rng) -> Population:
    """Bags of parts; often many classes derive from one stem."""
    return _edited(rng, "edits", rng.uniform(0.05, 0.6) if rng.random() < 0.6 else 1.0, kin=False)


@family(STRUCTURED)
def inflections(rng: Rng) -> Population:
    """Bags of parts, as words are: some classes differ from their kin in one part, others in all."""
    return _edited(rng, "inflections", log_uniform(rng, 0.02, 0.3), kin=True)


def _simple(rng: Rng) -> Geometry:
    """One of the simple geometries."""
    kind = pick(rng, {"spread": 0.35, "composition": 0.2, "taxonomy": 0.15, "curved": 0.2, "clusters": 0.1})
    if kind == "composition":
        return _composition(rng)
    if kind == "taxonomy":
        return _taxonomy(rng)
    if kind == "curved":
        return curved(rng, 16, 100)
    outer = draw.plain_cloud(rng, high=100)
    if kind == "spread":
        return outer
    count = draw.group_count(rng, 3, 5000, outer.dim)
    return draw.groups(rng, outer.cloud.points(count, rng), outer, sizes=draw.sizes(rng, count, 0.1, 1.0))


def _compound(rng: Rng) -> Geometry:
    """Coordinates of one to three simple kinds side by side, often with look-alikes of many of the classes."""
    parts = [_simple(rng) for _ in range(int(rng.integers(1, 4)))]
    while len(parts) > 1 and sum(part.dim for part in parts) > draw.DIMENSIONS[1]:
        parts.pop()
    shares = rng.dirichlet(np.full(len(parts), 2.0))
    made = Joined(tuple(parts), tuple(np.sqrt(shares).tolist()))
    if rng.random() < 0.5:
        return made
    count = draw.group_count(rng, 200, 50_000, made.dim)
    kin = {"sizes": draw.sizes(rng, count, 0.02, 0.7), "zipf": rng.uniform(0, 1), "free": rng.uniform(0.1, 0.9)}
    return draw.groups(rng, made.sample(count, rng).test, made, **kin)


@family(STRUCTURED)
def compounds(rng: Rng) -> Population:
    """Several kinds of structure at once."""
    return dressed(rng, "compounds", _compound(rng), draw.ANY_SCORE, grouped=True)


@family(STRUCTURED)
def blends(rng: Rng) -> Population:
    """Examples that err towards other classes: what confuses is what tells classes apart."""
    made = dressed(rng, "blends", _compound(rng), draw.ANY_SCORE, grouped=True)
    return replace(made, blend=log_uniform(rng, 0.3, 10.0))


@family(STRUCTURED)
def relatives(rng: Rng) -> Population:
    """Classes with relatives near and far, whatever else they are; most of these are met only among very many."""
    base = _simple(rng)
    count = draw.group_count(rng, 100, 100_000, base.dim)
    odds = zipf_odds(count, rng.uniform(0, 1) if rng.random() < 0.5 else 0.0)
    nearest = log_uniform(rng, 0.02, 0.3)
    geometry = Kin(base, base.sample(count, rng).test, odds, rng.uniform(0.3, 1), nearest)
    made = dressed(rng, "relatives", geometry, draw.ANY_SCORE, grouped=True)
    return replace(made, blend=log_uniform(rng, 0.3, 10.0)) if rng.random() < 0.4 else made


@family(STRUCTURED)
def textbook(rng: Rng) -> Population:
    """Normal classes and normal noise of the same shape, one clean or noisy exemplar, distances as they are."""
    dim = log_integer(rng, 4, 100)
    scale = power_axes(dim, rng.uniform(0.75, 1.4) if dim in draw.SET_ASIDE else rng.uniform(0, 0.6) * rng.integers(2))
    noise = Noise(Cloud("normal", scale if rng.random() < 0.7 else power_axes(dim, 0.0)))
    return VectorPopulation(
        family="textbook",
        geometry=Spread(Cloud("normal", scale)),
        noise=noise,
        gallery=draw.gallery_of_one(rng),
        match=draw.match(rng, {"euclidean": 0.5, "sqeuclidean": 0.4, "cosine": 0.1}, dim),
    )
