"""Two real data sets to develop on, made of Debian's packages, as vectors of a gallery and of probes.

Misspelt English words (package ``wamerican``), and the syllables of Hangul in two typefaces (``fonts-nanum`` and
``fonts-noto-cjk``). Settings may be chosen by them: neither is a test set. Hangul is of the kind of one, Han characters
in two typefaces, but other characters in other typefaces.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np

from training.real.letters import glyph
from training.real.words import grams, misspelt

WORDS = Path("/usr/share/dict/american-english")
PLAIN = Path("/usr/share/fonts/truetype/nanum/NanumGothic.ttf")
OTHER = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
PACKAGES = {WORDS: "wamerican", PLAIN: "fonts-nanum", OTHER: "fonts-noto-cjk"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_WORDS, LENGTHS, BUCKETS, DIMENSIONS = 40_000, (1, 2, 3), 4096, 200
KEPT = 96  # principal components


def missing() -> list[str]:
    """Debian packages that would have to be installed."""
    return [package for path, package in PACKAGES.items() if not path.exists()]


@cache
def words(edits: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of letter n-grams of words, and of the same words with so many random edits; unit length."""
    rng = np.random.default_rng(0)
    all_ = {word.strip().lower() for word in WORDS.read_text().splitlines()}
    fit = sorted(word for word in all_ if re.fullmatch("[a-z]{5,12}", word))
    kept = [fit[i] for i in rng.permutation(len(fit))[:MOST_WORDS]]
    places = [grams(word, LENGTHS, BUCKETS) for word in kept]
    number = np.bincount(np.concatenate([np.unique(each) for each in places]), minlength=BUCKETS)
    table = np.log(len(kept) / (1.0 + number))[:, None] * rng.standard_normal((BUCKETS, DIMENSIONS))
    tests = [grams(misspelt(word, edits, LETTERS, rng), LENGTHS, BUCKETS) for word in kept]
    return _unit([table[each].sum(axis=0) for each in places]), _unit([table[each].sum(axis=0) for each in tests])


def _unit(rows: list[np.ndarray]) -> np.ndarray:
    table = np.array(rows)
    return (table / np.linalg.norm(table, axis=1, keepdims=True)).astype(np.float32)


@cache
def hangul(other: bool) -> tuple[np.ndarray, np.ndarray]:
    """Principal components of all syllables, and of the same turned and moved a little, in another typeface if so."""
    gallery = _drawn(PLAIN, 0.0)
    probes = _drawn(OTHER, 0.7) if other else _drawn(PLAIN, 1.0)
    middle = gallery.mean(axis=0)
    components = np.linalg.svd(gallery - middle, full_matrices=False)[2][:KEPT].T
    return (gallery - middle) @ components, (probes - middle) @ components


@cache
def _drawn(typeface: Path, loose: float) -> np.ndarray:
    """All syllables as small grey pictures."""
    from PIL import ImageFont

    rng = np.random.default_rng(1)
    font = ImageFont.truetype(str(typeface), 40)
    return np.array([glyph(chr(code), font, loose, rng) for code in range(0xAC00, 0xD7A4)])
