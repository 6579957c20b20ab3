"""Emoji as drawn by four vendors, and icons in six styles: the same thing drawn by two hands.

Needs npm, and PyPI's pillow and resvg-py, when prepared.
"""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from training.generate import write
from training.real.views import aided, components, npm_package, some_classes, some_dimensions, stored
from training.sampling import Ints, Rng, Vectors, pick

VENDORS = ("apple", "google", "twitter", "facebook")
STYLES = ("outlined", "rounded", "sharp")
SIDE, HISTOGRAMS = 32, ((3, 4), (5, 8), (6, 6))
# Pictures of Han characters, which are a test set.
HAN_EMOJI = ("1F20", "1F21", "1F22", "1F23", "1F25", "3297", "3299")
HAN_ICONS = ("kanji", "chinese", "pinyin", "translate")


# -- emoji -----------------------------------------------------------------------------------------------


def prepare_emoji(folder: Path) -> None:
    """Cut the emoji out of the sheets of npm's emoji-datasource packages; those that all vendors draw."""
    from PIL import Image

    out = folder / "emoji.npz"
    if out.exists():
        return
    pictures, places = {}, []
    for vendor in VENDORS:
        package = npm_package(f"emoji-datasource-{vendor}", folder)
        listed = json.loads((package / "emoji.json").read_text(encoding="utf-8"))
        known = [each for emoji in listed for each in (emoji, *emoji.get("skin_variations", {}).values())]
        places = [each for each in known if all(each[f"has_img_{name}"] for name in VENDORS)]
        places = [each for each in places if not each["unified"].startswith(HAN_EMOJI)]
        sheet = Image.open(package / "img" / vendor / "sheets" / f"{SIDE}.png").convert("RGBA")
        paper = Image.new("RGBA", sheet.size, "white")
        drawn = np.asarray(Image.alpha_composite(paper, sheet).convert("RGB"))
        corners = [(each["sheet_y"] * (SIDE + 2) + 1, each["sheet_x"] * (SIDE + 2) + 1) for each in places]
        pictures[vendor] = np.stack([drawn[y : y + SIDE, x : x + SIDE] for y, x in corners])
    write(out, _measured(pictures))


def emoji(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of emoji by two vendors; the gallery may know a third, or the metric be learnt from it."""
    return _two_hands(rng, stored(folder / "emoji.npz"), [str(name) for name in rng.permutation(VENDORS)], 0.2)


# -- icons -----------------------------------------------------------------------------------------------


def prepare_icons(folder: Path) -> None:
    """Render Google's Material Symbols in three styles, as lines and filled (npm @material-symbols/svg-400)."""
    import resvg_py
    from PIL import Image

    out = folder / "icons.npz"
    if out.exists():
        return
    package = npm_package("@material-symbols/svg-400", folder)
    names = sorted(path.stem for path in (package / STYLES[0]).glob("*-fill.svg"))
    names = [name.removesuffix("-fill") for name in names if not any(part in name for part in HAN_ICONS)]
    pictures = {}
    for style in STYLES:
        for fill in ("", "-fill"):
            drawn = []
            for name in names:
                svg = (package / style / f"{name}{fill}.svg").read_text(encoding="utf-8")
                png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=SIDE, height=SIDE))
                drawn.append(np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"))[..., 3:])
            pictures[style + fill] = np.stack(drawn)
    # Many icons have two names, and some no filled form of their own: the first name is kept.
    first = np.sort(np.unique(pictures[STYLES[0]].reshape(len(names), -1), axis=0, return_index=True)[1])
    write(out, _measured({style: each[first] for style, each in pictures.items()}))


def icons(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of icons in two styles, mostly one of lines and one filled, which are the most different."""
    lines = [str(style) for style in rng.permutation(STYLES)]
    filled = [f"{style}-fill" for style in rng.permutation(STYLES)]
    mixed = [lines[0], filled[0], *rng.permutation([lines[1], filled[1]])]
    names = pick(rng, {tuple(mixed): 0.9, tuple(lines): 0.05, tuple(filled): 0.05})
    return _two_hands(rng, stored(folder / "icons.npz"), names, 0.5)


# -- features --------------------------------------------------------------------------------------------


def _measured(pictures: dict[str, np.ndarray]) -> dict[str, Vectors]:
    """All features of all views, as halves: "view feature" is the name of each."""
    made = {}
    for view, drawn in pictures.items():
        dark = 1 - drawn.astype(np.float32) / 255
        grey = dark.mean(axis=-1)
        made[f"{view} fine"] = _smaller(grey[..., None], 2)
        made[f"{view} coarse"] = _smaller(dark, 4)
        for cell, ways in HISTOGRAMS:
            made[f"{view} gradients {cell} {ways}"] = _gradients(grey, cell, ways)
    return {name: each.astype(np.float16) for name, each in made.items()}


def _smaller(pictures: Vectors, step: int) -> Vectors:
    number, side = len(pictures), SIDE // step
    return pictures.reshape(number, side, step, side, step, -1).mean(axis=(2, 4)).reshape(number, -1)


def _gradients(grey: Vectors, cell: int, ways: int) -> Vectors:
    """Histograms of the direction of the gradient in each cell of the picture, normed over the picture."""
    down, right = np.diff(grey, axis=1)[..., :-1], np.diff(grey, axis=2)[:, :-1]
    length, turn = np.hypot(down, right), np.arctan2(down, right) * np.float32(ways / (2 * np.pi))
    cells = (SIDE - 1) // cell
    cut = cells * cell
    parts = []
    for way in range(ways):
        near = np.maximum(0, 1 - np.abs((turn - way + ways / 2) % ways - ways / 2))
        part = (length * near)[:, :cut, :cut]
        parts.append(part.reshape(len(part), cells, cell, cells, cell).sum(axis=(2, 4)))
    made = np.stack(parts, axis=-1).reshape(len(grey), -1)
    return np.sqrt(made / (made.sum(axis=-1, keepdims=True) + np.float32(1e-6)))


def features(rng: Rng, measured: dict[str, np.ndarray], views: Sequence[str], chosen: Ints) -> Vectors:
    """Pixels, gradients by direction and place, both, or a random layer of pixels, of chosen classes in some views."""

    def taken(name: str) -> Vectors:
        return np.stack([measured[f"{view} {name}"][chosen] for view in views]).astype(np.float32)

    kind = pick(rng, {"pixels": 0.2, "gradients": 0.3, "layer": 0.2, "pixels and gradients": 0.3})
    cell, ways = HISTOGRAMS[rng.integers(len(HISTOGRAMS))]
    if kind == "gradients":
        return taken(f"gradients {cell} {ways}")
    flat = taken("coarse" if rng.random() < 0.5 else "fine")
    if kind == "layer":
        weight = rng.standard_normal((flat.shape[2], 300)).astype(np.float32) / np.float32(np.sqrt(flat.shape[2]))
        return np.maximum(flat @ weight - np.float32(rng.uniform(-0.1, 0.2)), 0)
    if kind == "pixels and gradients":
        edges, share = taken(f"gradients {cell} {ways}"), np.float32(rng.uniform(0.3, 0.8))
        flat = np.concatenate([share * flat / flat.std(), (1 - share) * edges / edges.std()], axis=2)
    return flat


def _two_hands(
    rng: Rng, measured: dict[str, np.ndarray], names: Sequence[str], least: float
) -> tuple[Vectors, Vectors]:
    """The first two of the named views, made into a population with the help of the third.

    ``least`` is the least share of what differs between the two.
    """
    help_by = pick(rng, {"none": 0.4, "metric": 0.4, "mean": 0.2})
    names = names[: 2 if help_by == "none" else 3]
    chosen = some_classes(rng, len(measured[f"{names[0]} fine"]))
    views = components(rng, features(rng, measured, names, chosen), some_dimensions(rng))
    return aided(rng, views, help_by, least, (0.1, 1.0), 1.0)
