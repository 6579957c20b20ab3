"""The real data sets as populations of classes: draw some classes, and know the accuracy on all."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankcast import Evidence, curve
from rankcast.curve import example_values
from rankcast.metrics import TOP1

SHARED = Path(__file__).resolve().parents[1] / ".." / "shared"
ALL_RANKS: dict[str, Evidence] = {}  # of the tests among all classes, by data set: the truth of every metric at any k


@dataclass(frozen=True)
class Problem:
    """Evidence on ``k1`` random classes, and the exact accuracy at each ``k2``."""

    name: str
    k1: int
    k2: tuple[int, ...]
    truth: tuple[float, ...]
    draw: Callable[[np.random.Generator], Evidence]
    # from the same generator: accuracy at each k2 of the very examples drawn, all other classes being their rivals
    oracle: Callable[[np.random.Generator], np.ndarray] | None = None


def problems() -> list[Problem]:
    """Extrapolations from random draws of classes."""
    return [*lfw(), *omniglot(), *softmax(), *imagenet(), *han(), *wordnet()]


def _load(folder: str, file: str) -> dict[str, np.ndarray]:
    path = SHARED / "data" / folder / file
    if not path.exists():
        raise SystemExit(f"the data set {folder} is not at {path}")
    return dict(np.load(path, allow_pickle=False))


def _exact_ranks(gallery: np.ndarray, probes: np.ndarray, own: np.ndarray) -> Evidence:
    """Rank of each probe's own gallery row among all.

    Products of int8 vectors are whole numbers below 2**24, so float32 is exact for them; others take float64.
    """
    kind = np.float32 if gallery.dtype == np.int8 else np.float64
    columns = gallery.astype(kind)
    square = (columns**2).sum(axis=1)
    rank, tied = np.empty(len(probes), np.int64), np.empty(len(probes), np.int64)
    for start in range(0, len(probes), 500):
        rows = slice(start, start + 500)
        score = 2 * (probes[rows].astype(kind) @ columns.T) - square
        truth = score[np.arange(len(score)), own[rows]][:, None]
        rank[rows] = 1 + (score > truth).sum(axis=1)
        tied[rows] = (score == truth).sum(axis=1) - 1
    return Evidence.from_ranks(rank, len(gallery), tied=tied)


def _pair_problem(
    name: str, gallery: np.ndarray, probes: np.ndarray, sizes: tuple[tuple[int, tuple[int, ...]], ...], tests: int
) -> list[Problem]:
    """Row i of gallery and of probes is class i."""
    own = np.arange(len(gallery))
    if tests < len(own):
        own = np.sort(np.random.default_rng(0).choice(len(own), tests, replace=False))
    full = ALL_RANKS[name] = _exact_ranks(gallery, probes[own], own)

    def drawer(k1: int) -> Callable[[np.random.Generator], Evidence]:
        def draw(rng: np.random.Generator) -> Evidence:
            chosen = rng.choice(len(gallery), k1, replace=False)
            label = np.arange(k1)
            return Evidence.from_embeddings(gallery[chosen], label, probes[chosen], label)

        return draw

    def knower(k1: int, k2: tuple[int, ...]) -> Callable[[np.random.Generator], np.ndarray]:
        def oracle(rng: np.random.Generator) -> np.ndarray:
            chosen = rng.choice(len(gallery), k1, replace=False)
            return curve(_exact_ranks(gallery, probes[chosen], chosen), list(k2))

        return oracle

    return [
        Problem(name, k1, k2, tuple(curve(full, list(k2)).tolist()), drawer(k1), knower(k1, k2)) for k1, k2 in sizes
    ]


def han() -> list[Problem]:
    """Han characters from one typeface to another; ranks on all of them for 30,000 random tests."""
    data = _load("han-glyphs-75k", "han_glyphs_75k.npz")
    sizes = ((500, (5000, 20000, 75763)),)
    return _pair_problem("Han", data["TW_Sung"], data["TW_Kai"], sizes, 30_000)


def wordnet() -> list[Problem]:
    """Synset definitions against their words; 28% ties."""
    data = _load("wordnet-117k", "wordnet_117k.npz")
    sizes = ((500, (5000, 20000, 117659)),)
    return _pair_problem("WordNet", data["lemmas"], data["definition"], sizes, 30_000)


def _several(name: str, folder: str, file: str, sizes: tuple[int, ...], pairings: int) -> list[Problem]:
    """One random gallery and one random test picture of each class; truth averaged over pairings."""
    data = _load(folder, file)
    vectors, label = data["embeddings"].astype(np.float64), data["label"]
    members = [np.nonzero(label == value)[0] for value in np.unique(label)]
    members = [rows for rows in members if len(rows) >= 2]
    total = len(members)

    def pairing(rng: np.random.Generator, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pairs = np.array([rng.choice(members[c], 2, replace=False) for c in chosen])
        return vectors[pairs[:, 0]], vectors[pairs[:, 1]]

    rng = np.random.default_rng(0)
    rounds = [_exact_ranks(*pairing(rng, np.arange(total)), np.arange(total)) for _ in range(pairings)]
    values = [each.accuracy for each in rounds]
    ALL_RANKS[name] = rounds[0].merge(*rounds[1:])

    def drawer(k1: int) -> Callable[[np.random.Generator], Evidence]:
        def draw(rng: np.random.Generator) -> Evidence:
            gallery, probes = pairing(rng, rng.choice(total, k1, replace=False))
            return Evidence.from_embeddings(gallery, np.arange(k1), probes, np.arange(k1))

        return draw

    def knower(k1: int) -> Callable[[np.random.Generator], np.ndarray]:
        def oracle(rng: np.random.Generator) -> np.ndarray:
            chosen = rng.choice(total, k1, replace=False)
            gallery, probes = pairing(rng, chosen)
            pictures = [pairing(np.random.default_rng([7, i]), np.arange(total))[0] for i in range(5)]
            for each in pictures:
                each[chosen] = gallery
            return np.array([np.mean([_exact_ranks(each, probes, chosen).accuracy for each in pictures])])

        return oracle

    return [Problem(name, k1, (total,), (float(np.mean(values)),), drawer(k1), knower(k1)) for k1 in sizes]


def lfw() -> list[Problem]:
    """Faces."""
    return _several("LFW", "lfw-dlib", "lfw_dlib.npz", (100, 200, 400), 20)


def omniglot() -> list[Problem]:
    """Handwritten characters."""
    return _several("Omniglot", "omniglot", "omniglot.npz", (100,), 40)


def _from_logits(name: str, logits: np.ndarray, label: np.ndarray, sizes: tuple[int, ...]) -> list[Problem]:
    total = logits.shape[1]
    full = Evidence.from_scores(logits, label)

    def drawer(k1: int) -> Callable[[np.random.Generator], Evidence]:
        def draw(rng: np.random.Generator) -> Evidence:
            return full.subset(rng.choice(total, k1, replace=False))

        return draw

    def knower(k1: int) -> Callable[[np.random.Generator], np.ndarray]:
        def oracle(rng: np.random.Generator) -> np.ndarray:
            mine = np.isin(full.label, rng.choice(total, k1, replace=False))
            return np.array(
                [np.average(example_values(full, np.array([total]), TOP1)[mine, 0], weights=full.weight[mine])]
            )

        return oracle

    return [Problem(name, k1, (total,), (full.accuracy,), drawer(k1), knower(k1)) for k1 in sizes]


def softmax() -> list[Problem]:
    """The logits of a softmax trained on all 901 Omniglot classes, restricted to some of them."""
    data = _load("omniglot-softmax", "omniglot_softmax.npz")
    return _from_logits("Omniglot softmax", data["logits"].astype(np.float32), data["label"], (100,))


def imagenet() -> list[Problem]:
    """The logits of an ImageNet network, restricted to some classes."""
    data = _load("imagenet-effnetlite0", "imagenet_effnetlite0.npz")
    return _from_logits("ImageNet", data["logits"].astype(np.float32), data["label"], (100,))


def telugu() -> list[Problem]:
    """The paper's OCR scores; truth is the accuracy of the same kind of classifier retrained on k₂ classes.

    There is one measurement of each, so draws differ only by the seed of the method.
    """
    data = _load("telugu", "telugu.npz")
    truths = {"deepcnn": (0.9908, 0.9860), "logistic": (0.8490, 0.7107), "svm": (0.7582, 0.5452)}
    found = []
    for name, both in truths.items():
        for k1, k2, truth in ((20, (100, 400), both), (100, (400,), both[1:])):
            if f"{name}_{k1}" in data:
                evidence = Evidence.from_scores(data[f"{name}_{k1}"], np.repeat(np.arange(k1), 50))
                found.append(Problem(f"Telugu {name}", k1, k2, truth, lambda rng, evidence=evidence: evidence))
    return found
