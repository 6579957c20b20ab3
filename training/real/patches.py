"""Places in photographs, found again in another photograph of the same: turned, moved, and in other light.

Needs apt-get, and PyPI's pillow and scipy, when prepared.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from training.generate import write
from training.real.views import (
    aided,
    components,
    debian_package,
    metric,
    nearer,
    several,
    some_dimensions,
    stored,
    unit,
)
from training.sampling import Ints, Rng, Vectors, log_integer, pick

SAMPLES = (
    "astronaut.png",
    "brick.png",
    "camera.png",
    "chelsea.png",
    "coffee.png",
    "coins.png",
    "grass.png",
    "gravel.png",
    "hubble_deep_field.jpg",
    "ihc.png",
    "moon.png",
    "motorcycle_left.png",
    "retina.jpg",
    "rocket.jpg",
)
# Pictures in packages of Debian; the wallpapers of Plasma come upright as well, and some in a dark version.
SOURCES = {
    "plasma-workspace-wallpapers": ("images/*.jpg", "images/*.png"),
    "mate-backgrounds": ("nature/*.jpg", "abstract/*.jpg"),
    "lomiri-wallpapers-16.04": ("*.jpg",),
    "lomiri-wallpapers-20.04": ("*.jpg",),
    "libjs-jquery-backstretch": ("examples/*.jpg",),
    "python3-skimage": tuple(f"data/{name}" for name in SAMPLES),
}
LONGEST, ALIKE = 1500, 0.95  # pixels of a picture; the correlation of two versions of one
SIDE, VIEWS = 16, 4
SCALES = (1.0, 1.4, 2.0, 2.8, 4.0)  # of the places, which are so many times as wide as SIDE
STEP, JITTER = 18, 8  # from place to place, before each is moved at random
EACH, PLACES, FEWEST = 450, 60_000, 6000  # most of a picture at one scale, most of all, fewest of a population
CONTRAST = 8.0  # least standard deviation of a patch
LEAST = 0.5  # least share of what differs between the gallery and the tests
CHUNK = 500  # patches measured at once


# -- raw material ----------------------------------------------------------------------------------------


def prepare_patches(folder: Path) -> None:
    """Cut places out of photographs, plainly and then seen again three times, the later the worse; two minutes."""
    out = folder / "patches.npz"
    if out.exists():
        return
    rng = np.random.default_rng(0)
    cut = np.concatenate([_cut(each, rng) for picture in _photographs(folder) for each in _scaled(picture)], axis=1)
    first = np.sort(np.unique(cut[0], axis=0, return_index=True)[1])
    some = np.sort(rng.permutation(first)[:PLACES])
    write(out, {"patches": cut[:, some]})


def _photographs(folder: Path) -> Iterator[Vectors]:
    """All pictures in grey that are not upright, of which no two are versions of the same."""
    from PIL import Image

    known: list[Vectors] = []
    for package, patterns in SOURCES.items():
        files = debian_package(package, folder)
        for path in sorted(path for pattern in patterns for path in files.rglob(pattern)):
            with Image.open(path) as picture:
                if picture.width < picture.height:
                    continue
                picture.draft("RGB", (LONGEST, LONGEST))
                grey = picture.convert("L")
            grey.thumbnail((LONGEST, LONGEST))
            small = np.asarray(grey.resize((SIDE, SIDE)), np.float32).ravel()
            small = unit(small - small.mean())
            if all(small @ each < ALIKE for each in known):
                known.append(small)
                yield np.asarray(grey)


def _scaled(picture: Vectors) -> Iterator[Vectors]:
    """The picture made smaller, so that a place at each of the scales is as wide as a patch."""
    from PIL import Image

    for scale in SCALES:
        height, width = (round(side / scale) for side in picture.shape)
        yield np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.LANCZOS), np.float32)


def _cut(picture: Vectors, rng: Rng) -> np.ndarray:
    """Patches of a picture, (view, place, pixel), some of which overlap; those without contrast are left out."""
    down, right = (np.arange(SIDE, side - SIDE, STEP) for side in picture.shape)
    centres = np.stack(np.meshgrid(down, right, indexing="ij"), axis=-1).reshape(-1, 2)
    centres = centres + rng.uniform(-JITTER, JITTER, centres.shape)
    views = np.stack([_seen(picture, centres, worse, rng) for worse in range(VIEWS)])
    kept = np.nonzero((views.std(axis=2) > CONTRAST).all(axis=0))[0]
    return views[:, rng.permutation(kept)[:EACH]]


def _seen(picture: Vectors, centres: Vectors, worse: int, rng: Rng) -> np.ndarray:
    """Patches around places of a picture, moved, scaled, turned and changed the more, the larger ``worse``."""
    from scipy.ndimage import gaussian_filter, map_coordinates

    turn, scale, gain, gamma, light, *shift = worse * rng.standard_normal((7, len(centres), 1, 1))
    scale, turn = np.exp(0.06 * scale), np.radians(5) * turn
    down, right = np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2
    rows = centres[:, :1, None] + 0.6 * shift[0] + scale * (np.cos(turn) * down - np.sin(turn) * right)
    columns = centres[:, 1:, None] + 0.6 * shift[1] + scale * (np.sin(turn) * down + np.cos(turn) * right)
    made = map_coordinates(picture, [rows, columns], order=1, mode="reflect")
    if worse:
        blurred = gaussian_filter(made, (0, 1, 1))
        made = made + rng.uniform(0, 0.33 * worse, (len(made), 1, 1)) * (blurred - made)
        made = 255 * (made / 255).clip(0, 1) ** np.exp(0.15 * gamma) * np.exp(0.15 * gain) + 10 * light
        made = _compressed(made + rng.uniform(0, 4 * worse, gain.shape) * rng.standard_normal(made.shape), worse, rng)
    return made.round().clip(0, 255).astype(np.uint8).reshape(len(made), -1)


def _compressed(patches: Vectors, worse: int, rng: Rng) -> Vectors:
    """Patches whose blocks of eight by eight are made of few waves, as in JPEG files."""
    from scipy.fft import dctn, idctn

    blocks = patches.reshape(-1, SIDE // 8, 8, SIDE // 8, 8)
    coarser = 1 + np.add.outer(np.arange(8), np.arange(8)) / 2  # the steps of shorter waves
    step = rng.uniform(0.1, 6 * worse, (len(blocks), 1, 1, 1, 1)) * coarser[:, None]
    waves = step * np.round(dctn(blocks, axes=(2, 4), norm="ortho") / step)
    return idctn(waves, axes=(2, 4), norm="ortho").reshape(patches.shape)


# -- features --------------------------------------------------------------------------------------------


def _pixels(patches: Vectors) -> Vectors:
    """Patches of mean zero and length one, whatever the light."""
    flat = patches.reshape(len(patches), -1)
    return unit(flat - flat.mean(axis=1, keepdims=True))


def _gradients(patches: Vectors) -> Vectors:
    """Square roots of histograms of the gradient's direction in four by four cells, each gradient in two directions."""
    ways, cells = 8, 4
    down, right = np.gradient(patches, axis=(1, 2))
    turn = np.arctan2(down, right) * np.float32(ways / (2 * np.pi)) + np.float32(ways / 2)
    length, low = np.hypot(down, right), np.floor(turn).astype(np.int32)
    place = np.arange(SIDE) * cells // SIDE
    cell = (np.arange(len(patches))[:, None, None] * cells + place[:, None]) * cells + place
    size, near = len(patches) * cells * cells * ways, turn - low.astype(np.float32)
    made = np.bincount((cell * ways + low % ways).ravel(), (length * (1 - near)).ravel(), size)
    made += np.bincount((cell * ways + (low + 1) % ways).ravel(), (length * near).ravel(), size)
    made = made.reshape(len(patches), -1).astype(np.float32)
    return np.sqrt(made / made.sum(axis=1, keepdims=True))


def _layer(patches: Vectors, filters: Vectors) -> Vectors:
    """Mean activity of units that look at five by five pixels, in three by three parts of the patch."""
    seen = np.lib.stride_tricks.sliding_window_view(_pixels(patches).reshape(patches.shape), (5, 5), axis=(1, 2))
    seen = np.maximum(seen[:, ::2, ::2].reshape(-1, 25) @ filters, 0)
    return seen.reshape(len(patches), 3, 2, 3, 2, -1).mean(axis=(2, 4)).reshape(len(patches), -1)


def features(rng: Rng, views: np.ndarray) -> Vectors:
    """Pixels, histograms of gradients, or a random layer of each patch."""
    kind = pick(rng, {"pixels": 0.3, "gradients": 0.4, "layer": 0.3})
    filters = rng.standard_normal((25, 24), np.float32)
    filters -= np.float32(rng.uniform(0, 1)) * filters.mean(axis=0)  # some see edges rather than light
    measured = {"pixels": _pixels, "gradients": _gradients, "layer": partial(_layer, filters=filters)}[kind]
    flat = views.reshape(-1, SIDE, SIDE)
    parts = (flat[start : start + CHUNK].astype(np.float32) for start in range(0, len(flat), CHUNK))
    made = np.concatenate([measured(part) for part in parts])
    return made.reshape(*views.shape[:2], -1)


# -- variants --------------------------------------------------------------------------------------------


def patches(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of places and of the same seen again, once or three times; a third view may help, as with drawings."""
    kept = stored(folder / "patches.npz")["patches"]
    chosen: Ints = rng.permutation(kept.shape[1])[: log_integer(rng, FEWEST, kept.shape[1])]
    help_by = pick(rng, {"none": 0.4, "metric": 0.15, "mean": 0.1, "several": 0.35})
    order = np.append(0, rng.permutation(np.arange(1, VIEWS)))[: {"none": 2, "several": VIEWS}.get(help_by, 3)]
    views = components(rng, features(rng, kept[order][:, chosen]), some_dimensions(rng))
    if help_by != "several":
        return aided(rng, views, help_by, LEAST, (0.1, 1.0), 1.0)
    if rng.random() < 0.3:
        views = views @ metric(rng, (views[0], views[int(rng.integers(1, VIEWS))]))
    return several(rng, views[0], nearer(rng, views[0], views[1:], LEAST), 1.0)
