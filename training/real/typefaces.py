"""Real populations of typefaces, to be recognised by other letters than those that are known of them.

Cuts of one family, its weights and italics, are classes of their own. Needs Debian's fonts-aenigma, npm's
google-font-metadata and many of its @fontsource packages, and PyPI's pillow when prepared.
"""

import json
import string
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from training.generate import write
from training.sampling import Array, Ints, Rng, Vectors, log_integer, pick

from .views import aided, components, npm_package, some_classes, some_dimensions, stored

INSTALLED = Path("/usr/share/fonts/truetype/aenigma")
FAMILIES = 240  # of npm, about five typefaces each
KEPT_APART = ("chinese", "japanese", "korean", "telugu")  # scripts of test sets
ALIKE = ("noto", "playwrite", "libre-barcode")  # families that draw the same Latin letters, or none
LETTERS = string.ascii_lowercase + string.ascii_uppercase
SIZE, LEFT, BASE, SIDE = 40, 10, 46, 64  # pixels: of the type, of where a letter begins, and of its picture
WAYS, BANDS, LONGEST = 8, 6, 20  # of gradients, of the picture's height, and of a run of black or white
SHIFTS = ((0, 4), (4, 0))  # between the directions of a pair
GROUPS = {"gradients": 0.2, "runs": 0.1, "corners": 0.2, "all": 0.5}


# -- raw material ----------------------------------------------------------------------------------------


def prepare_typefaces(folder: Path) -> None:
    """Draw all Latin letters in each typeface and measure their strokes; ten minutes, most of them downloads."""
    out = folder / "typefaces.npz"
    if out.exists():
        return
    found: dict[str, list[Array]] = {"gradients": [], "runs": [], "corners": []}
    seen: set[tuple[int, bytes]] = set()
    for path in [*sorted(INSTALLED.glob("*.ttf")), *_downloaded(folder)]:
        drawn = _drawn(path)
        if drawn is None:
            continue
        measured = {name: each.astype(np.float16) for name, each in _measured(drawn).items()}
        mine = {(letter, row.tobytes()) for letter, row in enumerate(measured["corners"])}
        if mine & seen:  # cuts may have capitals in common
            continue
        seen |= mine
        for name, each in measured.items():
            found[name].append(each)
    write(out, {name: np.stack(rows) for name, rows in found.items()})


def _downloaded(folder: Path) -> list[Path]:
    """Files of random families that Google's fonts have Latin letters of."""
    listed = npm_package("google-font-metadata", folder) / "data" / "google-fonts-v1.json"
    known = json.loads(listed.read_text(encoding="utf-8"))
    names = [
        name
        for name, family in sorted(known.items())
        if family["defSubset"] == "latin" and not name.startswith(ALIKE)
        # Of scripts of many characters, parts are listed by number, in brackets.
        if not any(script.startswith((*KEPT_APART, "[")) for script in family["subsets"])
    ]
    paths: list[Path] = []
    for name in np.random.default_rng(0).permutation(names)[:FAMILIES].tolist():
        try:
            package = npm_package(f"@fontsource/{name}", folder)
        except subprocess.CalledProcessError:  # a few are not there
            continue
        paths += sorted((package / "files").glob(f"{name}-latin-[0-9]*.woff"))
    return paths


def _drawn(path: Path) -> Array | None:
    """Pictures (letter, row, column) of all letters, or nothing if the typeface lacks some."""
    from PIL import Image, ImageDraw, ImageFont

    try:
        font: Any = ImageFont.truetype(str(path), SIZE, layout_engine=ImageFont.Layout.BASIC)
        pictures = []
        for letter in LETTERS:
            paper = Image.new("L", (SIDE, SIDE))
            ImageDraw.Draw(paper).text((LEFT, BASE), letter, 255, font, anchor="ls")
            pictures.append(np.asarray(paper))
    except (OSError, ValueError):  # a broken file
        return None
    drawn = np.stack(pictures)
    different = len({picture.tobytes() for picture in pictures})  # capitals may stand for small letters
    return drawn if different >= len(LETTERS) // 2 - 1 and drawn.any(axis=(1, 2)).all() else None


def _measured(drawn: Array) -> dict[str, Vectors]:
    """Features (letter, feature): gradients by direction and height, lengths of runs, and pairs of directions."""
    ink = drawn.astype(np.float32) / 255
    number = len(ink)
    down, right = np.diff(ink, axis=1)[..., :-1], np.diff(ink, axis=2)[:, :-1]
    length, turn = np.hypot(down, right), np.arctan2(down, right) * np.float32(WAYS / (2 * np.pi))
    ways = np.arange(WAYS, dtype=np.float32)[:, None, None]
    edges = length[:, None] * np.maximum(0, 1 - np.abs((turn[:, None] - ways + WAYS / 2) % WAYS - WAYS / 2))
    bands = np.stack([part.sum(axis=(2, 3)) for part in np.array_split(edges, BANDS, axis=2)], axis=1)
    rows = np.stack([part.sum(axis=(1, 2)) for part in np.array_split(ink, 2 * BANDS, axis=1)], axis=1)
    dark = ink > 0.5
    runs = [_runs(dark), _runs(dark.transpose(0, 2, 1)), _runs(~dark), _runs(~dark.transpose(0, 2, 1))]
    side = SIDE - 1
    corners = [
        np.einsum("nahw,nbhw->nab", edges[:, :, : side - y, : side - x], edges[:, :, y:, x:], optimize=True)
        for y, x in SHIFTS
    ]
    width = np.count_nonzero(dark.any(axis=1), axis=1)[:, None]
    return {
        "gradients": np.concatenate([bands.reshape(number, -1), rows], axis=1),
        "runs": np.concatenate([*runs, width], axis=1).astype(np.float32),
        "corners": np.concatenate([pair.reshape(number, -1) for pair in corners], axis=1),
    }


def _runs(dark: Array) -> Array:
    """How many runs along the rows of each picture there are of each length; none that touch its sides."""
    change = np.diff(dark.astype(np.int8), axis=2).reshape(len(dark), -1)
    made = np.zeros((len(dark), LONGEST), np.int64)
    width = dark.shape[2] - 1
    for counts, row in zip(made, change, strict=True):
        at = np.flatnonzero(row)
        length = np.diff(at)
        whole = (row[at[:-1]] > 0) & (at[:-1] // width == at[1:] // width)
        counts += np.bincount(np.minimum(length[whole], LONGEST) - 1, minlength=LONGEST)
    return made


# -- variants --------------------------------------------------------------------------------------------


def typefaces(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Means of the features of some letters and of others; further letters may help."""
    kept = stored(folder / "typefaces.npz")
    help_by = pick(rng, {"none": 0.4, "metric": 0.4, "mean": 0.2})
    chosen = some_classes(rng, len(kept["runs"]))
    sides = _letters(rng)
    names = ("gradients", "runs", "corners") if (group := pick(rng, GROUPS)) == "all" else (group,)
    root = rng.random() < 0.6
    parts = []
    for name in names:
        means = np.stack([kept[name][:, side].mean(axis=1, dtype=np.float32)[chosen] for side in sides])
        if root:
            means = np.sqrt(means)
        parts.append(means / np.sqrt(means.var(axis=1).sum(axis=1).mean()))
    flat = np.concatenate(parts, axis=2)
    if rng.random() < 0.5:
        flat = (flat - flat.mean(axis=1, keepdims=True)) / (flat.std(axis=1, keepdims=True) + np.float32(1e-3))
    views = components(rng, flat, some_dimensions(rng, min(200, flat.shape[2])))
    return aided(rng, views, help_by, 0.4, (0.2, 1.0), 1.0)


def _letters(rng: Rng) -> list[Ints]:
    """Three sets of letters that have none in common: small ones, capitals, both, or one kind against the other."""
    half = len(LETTERS) // 2
    small, capital = rng.permutation(half), half + rng.permutation(half)
    kind = pick(rng, {"small": 0.35, "capital": 0.25, "both": 0.3, "against": 0.1})
    if kind == "against":
        number = log_integer(rng, 4, half // 2)
        return [small[:number], capital[:number], capital[number : 2 * number]]
    order = {"small": small, "capital": capital, "both": rng.permutation(len(LETTERS))}[kind]
    number = log_integer(rng, 2, len(order) // 3)
    return [order[first : first + number] for first in (0, number, 2 * number)]
