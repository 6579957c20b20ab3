"""Real populations of words that are spotted by their pictures, as in scanned books and street scenes.

Needs Debian's fonts-noto-core, fonts-noto-extra, fonts-aenigma and lists of words, and PyPI's pillow and fonttools,
when prepared.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ..generate import write
from ..sampling import Array, Ints, Rng, Vectors, log_integer, log_uniform, pick
from .letters import TYPEFACES as NOTO
from .letters import noisy
from .typefaces import INSTALLED as AENIGMA
from .views import aided, components, some_dimensions, stored
from .words import word_list

LANGUAGES = ("french", "ngerman", "polish", "spanish")
OF_EACH, LONGEST = 10_000, 12  # words, and letters of a word
FEWEST = 6000  # words of a population, unless its languages have fewer
TYPEFACES = {
    "sans": NOTO / "NotoSans-Regular.ttf",
    "italic": NOTO / "NotoSerif-Italic.ttf",
    "mono": NOTO / "NotoSansMono-Medium.ttf",
    "black": NOTO / "NotoSans-ExtraCondensedBlack.ttf",
    "scrawl": AENIGMA / "aescrawl.ttf",  # lacks some accents
    "script": AENIGMA / "registry.ttf",  # lacks all
}
SIZE, HIGH, WIDE = 32, 16, 64  # of the type when drawn, and of a picture
INK, STRETCHED = (14, 60), 1.4  # of the picture, and how far a short word may be, to come near to its width
WAYS = 24  # different distortions of a population
SPREAD = np.array([0.25, 0.06, 0.06, 1.5, 0.6])  # of slants, of either scale, and of moves to the right and down
CELLS = ((5, 20), (4, 14), (3, 10), (1, 24))  # of histograms of gradients, down and right


# -- raw material ----------------------------------------------------------------------------------------


def prepare_spotting(folder: Path) -> None:
    """Draw words of four languages in six typefaces, as far as these have their letters; one minute."""
    out = folder / "spotting.npz"
    if out.exists():
        return
    rng = np.random.default_rng(0)
    language: dict[str, int] = {}
    for number, name in enumerate(LANGUAGES):
        known = [word for word in word_list(name) if len(word) <= LONGEST and word not in language]
        language |= dict.fromkeys(sorted(known[i] for i in rng.permutation(len(known))[:OF_EACH]), number)
    made: dict[str, Array] = {"words": np.array(list(language)), "language": np.array(list(language.values()), np.int8)}
    for name, path in TYPEFACES.items():
        has, drawn = _drawn(list(language), path)
        made |= {name: drawn, f"has {name}": has}
    write(out, made)


def _drawn(words: list[str], path: Path) -> tuple[Ints, Array]:
    """Which words a typeface has all letters of, and their pictures."""
    from fontTools.ttLib import TTFont

    known = TTFont(path, lazy=True).getBestCmap()
    letters = _letters(sorted(letter for letter in set("".join(words)) if ord(letter) in known), path)
    pictures = {number: _picture(word, letters) for number, word in enumerate(words) if letters.keys() >= set(word)}
    first: dict[bytes, int] = {}  # no two that are the same
    for number, picture in pictures.items():
        first.setdefault(picture.tobytes(), number)
    return np.array(list(first.values())), np.stack([pictures[number] for number in first.values()])


def _letters(letters: list[str], path: Path) -> dict[str, tuple[Array, int, int]]:
    """Pictures of letters, where they begin, and where the next begins; words drawn at once would take ten minutes."""
    from PIL import Image, ImageDraw, ImageFont

    font: Any = ImageFont.truetype(str(path), SIZE, layout_engine=ImageFont.Layout.BASIC)
    top, bottom = font.getbbox("bdfhklé", anchor="ls")[1], font.getbbox("gjpqyç", anchor="ls")[3]
    made = {}
    for letter in letters:
        left, _, right, _ = font.getbbox(letter, anchor="ls")
        paper = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(paper).text((-left, -top), letter, 255, font, anchor="ls")
        made[letter] = (np.asarray(paper), left, round(font.getlength(letter)))
    return made


def _picture(word: str, letters: dict[str, tuple[Array, int, int]]) -> Array:
    """A small grey picture of a word: all words alike in height, and in width if that does not distort them much."""
    from PIL import Image

    at = SIZE  # a letter may begin before its place
    paper = np.zeros((len(letters[word[0]][0]), SIZE * (len(word) + 2)), np.uint8)
    for letter in word:
        picture, left, step = letters[letter]
        part = paper[:, at + left : at + left + picture.shape[1]]
        np.maximum(part, picture, out=part)
        at += step
    inked = np.flatnonzero(paper.any(axis=0))
    word_only = Image.fromarray(paper[:, inked[0] : inked[-1] + 1])
    high, most = INK
    width = round(min(most, STRETCHED * word_only.width * high / word_only.height))
    made = Image.new("L", (WIDE, HIGH))
    made.paste(word_only.resize((width, high), Image.Resampling.BOX), ((WIDE - width) // 2, (HIGH - high) // 2))
    return np.asarray(made)


# -- variants --------------------------------------------------------------------------------------------


def spotting(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of pictures of words in one typeface, and of the same words in another, or in the same but distorted."""
    drawn = stored(folder / "spotting.npz")
    help_by = pick(rng, {"none": 0.4, "metric": 0.4, "mean": 0.2})
    names = [str(name) for name in rng.permutation(list(TYPEFACES))[: 2 if help_by == "none" else 3]]
    if alike := rng.random() < 0.35:
        names = [names[0]] * len(names)
    chosen = _some_words(rng, drawn, names)
    pictures = [_pictures(drawn, name, chosen) for name in names]
    loose = log_uniform(rng, 0.2, 0.7) if alike else log_uniform(rng, 0.03, 0.2)
    flat = _features(rng, [pictures[0], *(_spoilt(rng, each, loose) for each in pictures[1:])])
    flat -= flat.mean(axis=1, keepdims=True)  # a bold typeface has more ink everywhere
    views = components(rng, flat, some_dimensions(rng, min(200, flat.shape[2])))
    return aided(rng, views, help_by, 0.55, (0.05, 0.5), 0.4)


def _some_words(rng: Rng, drawn: dict[str, Array], names: list[str]) -> Ints:
    """Words, of one language or several, that all the typefaces have."""
    spoken = rng.permutation(len(LANGUAGES))[: rng.integers(1, len(LANGUAGES) + 1)]
    known = np.nonzero(np.isin(drawn["language"], spoken))[0]
    for name in names:
        known = np.intersect1d(known, drawn[f"has {name}"])
    return rng.permutation(known)[: log_integer(rng, min(FEWEST, len(known)), len(known))]


def _pictures(drawn: dict[str, Array], name: str, chosen: Ints) -> Vectors:
    return np.asarray(drawn[name][np.searchsorted(drawn[f"has {name}"], chosen)] / np.float32(255), np.float32)


def _spoilt(rng: Rng, pictures: Vectors, loose: float) -> Vectors:
    """Pictures of words as they are found: distorted, with ink of their neighbours, partly hidden and grainy."""
    found = _distorted(rng, pictures, loose)
    if rng.random() < 0.3:
        near = found[rng.permutation(len(found))]
        down, right = rng.integers(1, 4), rng.integers(4, 13)
        found[:, :down] = np.maximum(found[:, :down], near[:, -down:])  # of the line above
        found[..., -right:] = np.maximum(found[..., -right:], near[..., :right])  # of the next word
    if rng.random() < 0.25:
        first = rng.integers(WIDE, size=(len(found), 1, 1))
        column = np.arange(WIDE) - first
        found[np.broadcast_to((column >= 0) & (column < rng.integers(3, 16)), found.shape)] = 0
    return noisy(rng, found) if rng.random() < 0.25 else found


def _distorted(rng: Rng, pictures: Vectors, loose: float) -> Vectors:
    """Pictures slanted, scaled, moved and blurred, each in one of some ways: the more, the larger ``loose``."""
    blur = rng.uniform(1, 1 + loose)
    down, right = np.arange(HIGH) - HIGH / 2 + 0.5, np.arange(WIDE) - WIDE / 2 + 0.5
    made = np.empty_like(pictures)
    for here in np.array_split(rng.permutation(len(pictures)), WAYS):
        slant, wide, high, move, sink = loose * SPREAD * rng.standard_normal(5)
        rows = _weights((1 + high) * down + sink, HIGH, blur)
        columns = _weights((1 + wide) * right + slant * down[:, None] + move, WIDE, blur)
        lines = np.swapaxes(rows @ pictures[here], 0, 1) @ columns.transpose(0, 2, 1)  # row by row
        made[here] = np.swapaxes(lines, 0, 1)
    return made


def _weights(places: Array, size: int, blur: float) -> Vectors:
    """How much each of so many pixels counts at places between them, told from their middle."""
    apart = np.abs(places[..., None] - np.arange(size) + (size - 1) / 2)
    return np.asarray(np.maximum(0, 1 - apart / blur) / blur, np.float32)


# -- features --------------------------------------------------------------------------------------------


def _features(rng: Rng, views: list[Vectors]) -> Vectors:
    """Pixels, a random layer of them, profiles, or gradients (view, word, feature)."""
    kind = pick(rng, {"pixels": 0.2, "layer": 0.2, "profiles": 0.2, "gradients": 0.4})
    soft = log_uniform(rng, 0.8, 2.5)
    if kind == "profiles":
        return np.stack([_profiles(each, soft) for each in views])
    cells = CELLS[rng.integers(len(CELLS))]
    if kind == "gradients":
        return np.stack([_gradients(each, cells, soft) for each in views])
    flat = np.stack([_pooled(each, (HIGH // 2, WIDE // 2), soft) for each in views])
    if kind == "layer":
        weight = rng.standard_normal((flat.shape[2], 300)).astype(np.float32) / np.float32(np.sqrt(flat.shape[2]))
        layer = (flat - flat[0].mean(axis=0)) @ weight
        return np.maximum(layer - np.float32(rng.uniform(0, 0.5)) * layer[0].std(), 0)  # so that some of it is left
    return flat


def _pooled(pictures: Vectors, cells: tuple[int, int], soft: float) -> Vectors:
    """Means of so many cells down and right, which overlap the more, the softer they are."""
    down, right = (
        _weights((np.arange(number) - (number - 1) / 2) * size / number, size, soft * size / number)
        for number, size in zip(cells, pictures.shape[1:], strict=True)
    )
    return (down @ (pictures @ right.T)).reshape(len(pictures), -1)


def _smooth(pictures: Vectors) -> Vectors:
    """Pictures with less grain."""
    return _pooled(pictures, (HIGH, WIDE), 1.5).reshape(pictures.shape)


def _profiles(pictures: Vectors, soft: float) -> Vectors:
    """Of each column, how much ink there is, where it begins and ends, and how often it comes and goes."""
    smooth = _smooth(pictures)
    dark = smooth > smooth.mean(axis=(1, 2), keepdims=True) + smooth.std(axis=(1, 2), keepdims=True) / 2
    blank = ~dark.any(axis=1)
    upper, lower = (np.where(blank, HIGH / 2, each.argmax(axis=1)) for each in (dark, dark[:, ::-1]))
    changes = np.count_nonzero(dark[:, 1:] != dark[:, :-1], axis=1)
    parts = np.stack([part / part.std() for part in (smooth.mean(axis=1), upper, lower, changes)], axis=1)
    rows = parts.reshape(-1, 1, WIDE).astype(np.float32)
    return _pooled(rows, (1, WIDE // 2), soft).reshape(len(pictures), -1)


def _gradients(pictures: Vectors, cells: tuple[int, int], soft: float) -> Vectors:
    """Histograms of gradients in four directions, in so many cells down and right."""
    smooth = _smooth(pictures)
    down, right = np.diff(smooth, axis=1)[..., :-1], np.diff(smooth, axis=2)[:, :-1]
    parts = [_pooled(np.maximum(part, 0), cells, soft) for part in (down, -down, right, -right)]
    return np.asarray(np.sqrt(np.concatenate(parts, axis=1)))
