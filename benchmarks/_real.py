"""Populations of real things, made of Debian's packages: misspelt words of ten languages, letters of many scripts.

They are there to test `auto` on, in large numbers. English words and Hangul are left out, which are data to develop on,
and Han characters, which are a data set of their own.
"""

import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from training.ingredients import ANY_SCORE
from training.sampling import Ints, Rng, Vectors, log_integer, log_uniform, pick

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
TYPEFACES = Path("/usr/share/fonts/truetype/noto")
FONTS = {"NotoSansCuneiform-Regular.ttf": "fonts-noto-core", "NotoSerif-Light.ttf": "fonts-noto-extra"}
HAN_AND_HANGUL = ((0x1100, 0x11FF), (0x2E80, 0x9FFF), (0xA960, 0xA97F), (0xAC00, 0xFAFF), (0x20000, 0x3FFFF))
LOOSE = (0.5, 0.8, 1.2, 1.7)  # of the letters turned and moved
CUTS = ("Bold", "Light", "Serif")
MOST_WORDS, SIDE = 40_000, 24


@dataclass(frozen=True, eq=False)
class Population:
    """Vectors of all classes, and one test example of each."""

    family: str
    similarity: str
    gallery: Vectors
    tests: Vectors


def missing() -> list[str]:
    """Debian packages that would have to be installed."""
    words = [package for language, package in LANGUAGES.items() if not (WORDS / language).exists()]
    return words + [package for name, package in FONTS.items() if not (TYPEFACES / name).exists()]


def population(seed: int, pictures: Path) -> Population:
    """The population of that number; ``pictures`` is the file that :func:`draw_letters` makes."""
    rng = np.random.default_rng([seed, 11])
    family = pick(rng, {"words": 0.4, "letters": 0.35, "classifiers of letters": 0.25})
    if family == "classifiers of letters":
        return Population(family, "dot", *_classifier(rng, pictures))
    made = _words(rng) if family == "words" else _letters(rng, pictures)
    return Population(family, pick(rng, ANY_SCORE), *made)


# -- words -----------------------------------------------------------------------------------------------


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
def _word_list(language: str) -> tuple[str, ...]:
    lines = (WORDS / language).read_text(encoding="utf-8", errors="ignore").lower().splitlines()
    return tuple(sorted({word for word in lines if word.isalpha() and 4 <= len(word) <= 14}))


def _words(rng: Rng) -> tuple[Vectors, Vectors]:
    """Bags of letter n-grams in a random projection: of words, and of the same words misspelt."""
    known = _word_list(list(LANGUAGES)[rng.integers(len(LANGUAGES))])
    words = [known[i] for i in rng.permutation(len(known))[: log_integer(rng, 8000, MOST_WORDS)]]
    letters = "".join(sorted(set("".join(words[:1000]))))
    lengths = [(1, 2, 3), (2, 3), (2,), (1, 2), (3,), (1, 2, 3, 4)][rng.integers(6)]
    buckets, dim = 2 ** int(rng.integers(9, 14)), log_integer(rng, 24, 200)
    edits = rng.uniform(0.5, 5)
    table = rng.standard_normal((buckets, dim)).astype(np.float32) / np.float32(np.sqrt(dim))
    bags = [grams(word, lengths, buckets) for word in words]
    if rng.random() < 0.6:
        number = np.bincount(np.concatenate(bags), minlength=buckets)
        table *= np.log(len(words) / (1.0 + np.minimum(number, len(words) - 2)))[:, None].astype(np.float32)
    tests = [grams(misspelt(word, rng.poisson(edits), letters, rng), lengths, buckets) for word in words]
    return _summed(bags, table), _summed(tests, table)


def grams(word: str, lengths: tuple[int, ...], buckets: int) -> Ints:
    """Numbers of the letter n-grams of a word, hashed; its ends are marked."""
    marked = f"^{word}$"
    found = [zlib.crc32(marked[i : i + n].encode()) % buckets for n in lengths for i in range(len(marked) - n + 1)]
    return np.array(found or [0])


def _summed(bags: list[Ints], table: Vectors) -> Vectors:
    ends = np.cumsum([len(each) for each in bags])
    return np.asarray(np.add.reduceat(table[np.concatenate(bags)], np.append(0, ends[:-1]), axis=0))


# -- letters ---------------------------------------------------------------------------------------------


def draw_letters(out: Path) -> None:
    """Draw all letters of the Noto typefaces, straight and loose, in their regular and other cuts; two minutes."""
    from fontTools.ttLib import TTFont

    rng = np.random.default_rng(0)
    regular: dict[int, Path] = {}
    for path in sorted(TYPEFACES.glob("NotoSans*-Regular.ttf")):
        for code in TTFont(path, lazy=True).getBestCmap():
            if not any(low <= code <= high for low, high in HAN_AND_HANGUL):
                regular.setdefault(code, path)
    plain = _drawn(regular, 0.0, rng)
    first = np.unique(plain.round(2), axis=0, return_index=True)[1]
    first = np.sort(first[plain[first].std(axis=1) > 0.02])  # no blanks, and no two that are the same
    codes = np.array(list(regular))[first].tolist()
    regular = {code: regular[code] for code in codes}
    pictures = {"plain": plain[first]} | {f"loose{loose}": _drawn(regular, loose, rng) for loose in LOOSE}
    for cut in CUTS:
        other = {code: _other(path, cut) for code, path in regular.items()}
        pictures[cut] = _drawn({code: path or regular[code] for code, path in other.items()}, 0.3, rng)
        pictures[f"has {cut}"] = np.array([path is not None for path in other.values()])
    np.savez(out, **pictures)


def _other(path: Path, cut: str) -> Path | None:
    name = path.name.replace("Sans", "Serif", 1) if cut == "Serif" else path.name.replace("Regular", cut)
    return path.with_name(name) if path.with_name(name).exists() else None


def _drawn(typeface: dict[int, Path], loose: float, rng: Rng) -> Vectors:
    """A small grey picture of each character, from the typeface given for it."""
    from PIL import ImageFont

    basic = ImageFont.Layout.BASIC
    fonts = {path: ImageFont.truetype(str(path), 36, layout_engine=basic) for path in set(typeface.values())}
    return np.array([glyph(chr(code), fonts[path], loose, rng) for code, path in typeface.items()])


def glyph(character: str, font: Any, loose: float, rng: Rng) -> Vectors:
    """A small grey picture of a character, turned and moved at random the more, the larger ``loose``."""
    from PIL import Image, ImageDraw, ImageFilter

    picture = Image.new("L", (56, 56))
    ImageDraw.Draw(picture).text((28, 28), character, fill=255, font=font, anchor="mm")
    turn, right, down = loose * np.array([4.0, 1.5, 1.5]) * rng.standard_normal(3)
    picture = picture.rotate(turn, resample=Image.Resampling.BILINEAR, translate=(right, down))
    picture = picture.filter(ImageFilter.GaussianBlur(1.5)).crop((4, 4, 52, 52))
    return np.asarray(picture.resize((SIDE, SIDE), resample=Image.Resampling.BOX), np.float32).ravel() / 255


@cache
def _pictures(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def _letters(rng: Rng, path: Path) -> tuple[Vectors, Vectors]:
    """Features of letters, and of the same letters loose or in another cut, in a noisy picture."""
    drawn = _pictures(path)
    name = pick(rng, {**{f"loose{loose}": 0.16 for loose in LOOSE}, **dict.fromkeys(CUTS, 0.12)})
    keep = drawn.get(f"has {name}", np.ones(len(drawn["plain"]), bool))
    plain, tests = _features(rng, np.stack([drawn["plain"][keep], _noisy(rng, drawn[name][keep])]))
    return plain, tests


def _classifier(rng: Rng, path: Path) -> tuple[Vectors, Vectors]:
    """A linear classifier of letters, as vectors whose inner products are its scores.

    It has learnt the covariance within classes from some of the pictures, and is tested on others.
    """
    drawn = _pictures(path)
    names = rng.permutation([f"loose{loose}" for loose in LOOSE])[:2]
    straight, learnt, tests = _features(rng, np.stack([drawn["plain"], *(_noisy(rng, drawn[name]) for name in names)]))
    apart = (learnt - straight).astype(float)
    within = apart.T @ apart / len(apart)
    within += log_uniform(rng, 0.003, 1.0) * np.trace(within) / len(within) * np.eye(len(within))
    mean = (straight + learnt) / 2
    weight = np.linalg.solve(within, mean.T).T
    bias = -0.5 * (weight * mean).sum(axis=1)
    return np.column_stack([weight, bias]), np.column_stack([tests, np.ones(len(tests))])


def _noisy(rng: Rng, pictures: Vectors) -> Vectors:
    return pictures + np.float32(rng.uniform(0, 0.4)) * rng.standard_normal(pictures.shape, np.float32)


def _features(rng: Rng, pictures: Vectors) -> Vectors:
    """Principal components, of the pictures themselves, of their gradients, or of a random layer."""
    kind = pick(rng, {"pixels": 0.4, "gradients": 0.3, "layer": 0.3})
    if kind == "gradients":
        square = pictures.reshape(len(pictures), -1, SIDE, SIDE)
        down, right = np.diff(square, axis=2)[..., :-1], np.diff(square, axis=3)[:, :, :-1]
        parts = [np.maximum(each, 0) for each in (down, -down, right, -right)]
        cells = [part[..., :-2, :-2].reshape(*part.shape[:2], 7, 3, 7, 3).sum(axis=(3, 5)) for part in parts]
        pictures = np.concatenate([cell.reshape(*cell.shape[:2], -1) for cell in cells], axis=2)
    elif kind == "layer":
        weight = rng.standard_normal((pictures.shape[2], 300)).astype(np.float32) / np.float32(SIDE)
        pictures = np.maximum(pictures @ weight - np.float32(rng.uniform(0, 0.3)), 0)
    middle = pictures[0].mean(axis=0)
    some = pictures[0][rng.permutation(pictures.shape[1])[:4000]] - middle
    components = np.linalg.eigh(some.T @ some)[1][:, : -log_integer(rng, 24, 200) - 1 : -1]
    made = (pictures - middle) @ components
    return made / (made[0].std(axis=0) + np.float32(1e-3)) if rng.random() < 0.3 else made
