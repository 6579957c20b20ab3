"""Real populations of letters: of all scripts that the Noto typefaces have, and linear classifiers of them."""

from pathlib import Path
from typing import Any

import numpy as np

from ..generate import write
from ..sampling import Rng, Vectors, log_integer, log_uniform, pick
from .views import shrunk, stored

TYPEFACES = Path("/usr/share/fonts/truetype/noto")
FONTS = {"NotoSansCuneiform-Regular.ttf": "fonts-noto-core", "NotoSerif-Light.ttf": "fonts-noto-extra"}
HAN_AND_HANGUL = ((0x1100, 0x11FF), (0x2E80, 0x9FFF), (0xA960, 0xA97F), (0xAC00, 0xFAFF), (0x20000, 0x3FFFF))
LOOSE = (0.5, 0.8, 1.2, 1.7)  # of the letters turned and moved
CUTS = ("Bold", "Light", "Serif")
SIDE = 24


def prepare_letters(folder: Path) -> None:
    """Draw all letters of the Noto typefaces, straight and loose, in their regular and other cuts; two minutes."""
    from fontTools.ttLib import TTFont

    if (folder / "letters.npz").exists():
        return
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
    write(folder / "letters.npz", pictures)


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


def letters(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of letters, and of the same letters loose or in another cut, in a noisy picture."""
    drawn = stored(folder / "letters.npz")
    name = pick(rng, {**{f"loose{loose}": 0.16 for loose in LOOSE}, **dict.fromkeys(CUTS, 0.12)})
    keep = drawn.get(f"has {name}", np.ones(len(drawn["plain"]), bool))
    plain, tests = picture_features(rng, np.stack([drawn["plain"][keep], noisy(rng, drawn[name][keep])]))
    return plain, tests


def classifiers(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """A linear classifier of letters, as vectors whose inner products are its scores.

    It has learnt the covariance within classes from some of the pictures, and is tested on others.
    """
    drawn = stored(folder / "letters.npz")
    names = rng.permutation([f"loose{loose}" for loose in LOOSE])[:2]
    straight, learnt, tests = picture_features(
        rng, np.stack([drawn["plain"], *(noisy(rng, drawn[name]) for name in names)])
    )
    within = shrunk(learnt - straight, log_uniform(rng, 0.003, 1.0))
    mean = (straight + learnt) / 2
    weight = np.linalg.solve(within, mean.T).T
    bias = -0.5 * (weight * mean).sum(axis=1)
    return np.column_stack([weight, bias]), np.column_stack([tests, np.ones(len(tests))])


def noisy(rng: Rng, pictures: Vectors) -> Vectors:
    """Pictures with grains of a random size."""
    return pictures + np.float32(rng.uniform(0, 0.4)) * rng.standard_normal(pictures.shape, np.float32)


def picture_features(rng: Rng, pictures: Vectors) -> Vectors:
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
