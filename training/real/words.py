"""Real populations of words: of ten languages, and the same words misspelt."""

import zlib
from functools import cache
from pathlib import Path

import numpy as np

from ..sampling import Ints, Rng, Vectors, log_integer

WORDS = Path("/usr/share/dict")
LANGUAGES = {
    "bokmaal": "wnorwegian",
    "danish": "wdanish",
    "dutch": "wdutch",
    "french": "wfrench",
    "italian": "witalian",
    "ngerman": "wngerman",
    "polish": "wpolish",
    "portuguese": "wportuguese",
    "spanish": "wspanish",
    "swedish": "wswedish",
}
MOST_WORDS = 250_000


def misspelt(word: str, edits: int, letters: str, rng: Rng) -> str:
    """A word with so many random edits."""
    made = list(word)
    for _ in range(edits):
        i, kind, other = int(rng.integers(len(made))), int(rng.integers(4)), letters[rng.integers(len(letters))]
        if kind == 0:
            made[i] = other
        elif kind == 1:
            made.insert(i, other)
        elif kind == 2 and len(made) > 3:
            del made[i]
        elif i + 1 < len(made):
            made[i], made[i + 1] = made[i + 1], made[i]
    return "".join(made)


@cache
def word_list(language: str) -> tuple[str, ...]:
    """Words of a language, of 4 to 14 letters and nothing else."""
    lines = (WORDS / language).read_text(encoding="utf-8", errors="ignore").lower().splitlines()
    return tuple(sorted({word for word in lines if word.isalpha() and 4 <= len(word) <= 14}))


def words(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Bags of letter n-grams in a random projection: of words, and of the same words misspelt."""
    known = word_list(list(LANGUAGES)[rng.integers(len(LANGUAGES))])
    chosen = [known[i] for i in rng.permutation(len(known))[: log_integer(rng, 8000, MOST_WORDS)]]
    letters = "".join(sorted(set("".join(chosen[:1000]))))
    lengths = [(1, 2, 3), (2, 3), (2,), (1, 2), (3,), (1, 2, 3, 4)][rng.integers(6)]
    buckets, dim = 2 ** int(rng.integers(9, 14)), log_integer(rng, 24, 200)
    edits = rng.uniform(0.5, 5)
    table = rng.standard_normal((buckets, dim)).astype(np.float32) / np.float32(np.sqrt(dim))
    bags = [grams(word, lengths, buckets) for word in chosen]
    if rng.random() < 0.6:
        number = np.bincount(np.concatenate(bags), minlength=buckets)
        table *= np.log(len(chosen) / (1.0 + np.minimum(number, len(chosen) - 2)))[:, None].astype(np.float32)
    tests = [grams(misspelt(word, rng.poisson(edits), letters, rng), lengths, buckets) for word in chosen]
    return _summed(bags, table), _summed(tests, table)


def grams(word: str, lengths: tuple[int, ...], buckets: int) -> Ints:
    """Numbers of the letter n-grams of a word, hashed; its ends are marked."""
    marked = f"^{word}$"
    found = [zlib.crc32(marked[i : i + n].encode()) % buckets for n in lengths for i in range(len(marked) - n + 1)]
    return np.array(found or [0])


def _summed(bags: list[Ints], table: Vectors) -> Vectors:
    ends = np.cumsum([len(each) for each in bags])
    return np.asarray(np.add.reduceat(table[np.concatenate(bags)], np.append(0, ends[:-1]), axis=0))
