"""Letters as seen by networks that have learnt to tell other letters apart, as face recognition does it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training.generate import write
from training.real.letters import HAN_AND_HANGUL, TYPEFACES, glyph
from training.real.teaching import teach
from training.real.views import finished, some_classes, some_noise, stored, unit
from training.sampling import Rng, Vectors, pick

SIDE = 24  # of glyph's pictures
STRENGTHS = (0.0, 0.35, 0.6, 0.9)  # of what is done to the pictures that are embedded, as against those taught
# Test sets, and what shows the same characters elsewhere: Telugu, enclosed ideographs, halfwidth Hangul.
KEPT_APART = (*HAN_AND_HANGUL, (0x0C00, 0x0C7F), (0x1F200, 0x1F2FF), (0xFFA0, 0xFFDF))
BATCH, RIVALS = 256, 1000  # letters at a time, and further letters that they are told from


@dataclass(frozen=True)
class Recipe:
    """A network and how it is taught."""

    width: int
    dim: int
    loss: str  # "softmax", "margin" or "triplet"
    loose: float  # of the pictures, in teaching and testing
    noise: float
    steps: int


RECIPES = {
    "narrow": Recipe(12, 64, "softmax", 1.0, 0.15, 700),
    "wide": Recipe(24, 128, "margin", 1.0, 0.1, 700),
    "rough": Recipe(16, 96, "softmax", 1.4, 0.25, 700),
    "triplets": Recipe(16, 64, "triplet", 1.2, 0.15, 900),
}


def prepare_learnt(folder: Path) -> None:
    """Teach each network on half of the letters of the Noto typefaces and embed the other half; five minutes."""
    import torch

    out = folder / "learnt.npz"
    if out.exists():
        return
    torch.manual_seed(0)
    torch.set_num_threads(1)
    letters = pictured()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(letters))
    taught, others = order[: len(order) // 2], order[len(order) // 2 :]
    made: dict[str, np.ndarray] = {}
    for name, recipe in RECIPES.items():
        network = _taught(recipe, letters[taught], rng)
        for look, strength in enumerate(STRENGTHS):
            seen = seen_anew(letters[others], recipe, strength, rng)
            made[f"{name} {look}"] = _embedded(network, seen)
    write(out, made)


def pictured() -> Vectors:
    """A straight picture of each letter, none of them blank, no two the same."""
    from fontTools.ttLib import TTFont
    from PIL import ImageFont

    rng, drawn = np.random.default_rng(0), {}
    for path in sorted(TYPEFACES.glob("NotoSans*-Regular.ttf")):
        if "Telugu" in path.name:
            continue
        font = ImageFont.truetype(str(path), 36, layout_engine=ImageFont.Layout.BASIC)
        for code in TTFont(path, lazy=True).getBestCmap():
            if code not in drawn and not any(low <= code <= high for low, high in KEPT_APART):
                drawn[code] = glyph(chr(code), font, 0.0, rng)
    pictures = np.array(list(drawn.values()), np.float32)
    first = np.unique(pictures.round(2), axis=0, return_index=True)[1]
    return pictures[np.sort(first[pictures[first].std(axis=1) > 0.02])]


def seen_anew(pictures: Vectors, recipe: Recipe, strength: float, rng: Rng) -> Vectors:
    """Pictures turned, moved, scaled, made thin or bold and noisy, the more the stronger."""
    import torch
    from torch.nn import functional

    number = len(pictures)
    loose = recipe.loose * strength
    turn = np.deg2rad(5 * loose) * rng.standard_normal(number)
    scale = np.exp(0.06 * loose * rng.standard_normal((2, number)))
    shift = 0.06 * loose * rng.standard_normal((2, number))
    maps = np.stack(
        [
            np.stack([scale[0] * np.cos(turn), -np.sin(turn), shift[0]], axis=1),
            np.stack([np.sin(turn), scale[1] * np.cos(turn), shift[1]], axis=1),
        ],
        axis=1,
    )
    grid = functional.affine_grid(torch.tensor(maps, dtype=torch.float32), [number, 1, SIDE, SIDE], align_corners=False)
    flat = torch.from_numpy(np.ascontiguousarray(pictures)).reshape(number, 1, SIDE, SIDE)
    moved = functional.grid_sample(flat, grid, align_corners=False).numpy()
    weight = np.exp(0.25 * loose * rng.standard_normal((number, 1, 1, 1))).astype(np.float32)
    moved = np.clip(moved, 0, 1) ** weight
    return moved + np.float32(recipe.noise * strength) * rng.standard_normal(moved.shape, np.float32)


def body(recipe: Recipe) -> Any:
    """Three convolutions and a linear layer, untaught."""
    from torch import nn

    width = recipe.width
    return nn.Sequential(
        nn.Conv2d(1, width, 5, stride=2, padding=2),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
        nn.BatchNorm2d(2 * width),
        nn.ReLU(),
        nn.Conv2d(2 * width, 4 * width, 3, stride=2, padding=1),
        nn.BatchNorm2d(4 * width),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(36 * width, recipe.dim),
        nn.BatchNorm1d(recipe.dim),
    )


def _taught(recipe: Recipe, pictures: Vectors, rng: Rng) -> Any:
    """A network that has learnt to tell these letters apart."""
    import torch
    from torch import nn
    from torch.nn import functional

    network = body(recipe)
    centres = nn.Parameter(torch.randn(len(pictures), recipe.dim) / recipe.dim**0.5)

    def loss() -> "torch.Tensor":
        shown = rng.permutation(len(pictures))[: BATCH + RIVALS]
        twice = np.concatenate([seen_anew(pictures[shown[:BATCH]], recipe, 1.0, rng) for _ in range(2)])
        vectors = functional.normalize(network(torch.from_numpy(twice)))
        if recipe.loss == "triplet":
            near = (vectors[:BATCH] - vectors[BATCH:]).square().sum(dim=1)
            far = torch.cdist(vectors[:BATCH], vectors[BATCH:]).square() + 9 * torch.eye(BATCH)
            return functional.relu(near - far.min(dim=1).values + 0.3).mean()
        labels = torch.arange(BATCH).repeat(2)
        cosine = vectors @ functional.normalize(centres[torch.from_numpy(shown)]).T
        if recipe.loss == "margin":
            cosine = cosine - 0.2 * functional.one_hot(labels, BATCH + RIVALS)
        return functional.cross_entropy(20 * cosine, labels)

    teach([*network.parameters(), centres], loss, recipe.steps, decay=1e-3, rate=6e-3)
    return network.eval()


def _embedded(network: Any, pictures: Vectors) -> Vectors:
    import torch

    with torch.no_grad():
        parts = [network(torch.from_numpy(pictures[i : i + 1000])).numpy() for i in range(0, len(pictures), 1000)]
    return unit(np.concatenate(parts)).astype(np.float16)


def learnt(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Embeddings of two pictures of each letter by one network, or by two whose vectors are put together."""
    made = stored(folder / "learnt.npz")
    name = pick(rng, dict.fromkeys(RECIPES, 1.0))
    looks = rng.permutation(len(STRENGTHS))[:2]
    names = [name]
    if rng.random() < 0.25:
        names.append(pick(rng, {other: 1.0 for other in RECIPES if other != name}))
    one, other = (np.concatenate([made[f"{each} {look}"] for each in names], axis=1) for look in looks)
    chosen = some_classes(rng, len(one))
    one, other = one[chosen].astype(np.float32), other[chosen].astype(np.float32)
    if rng.random() < 0.4:
        kept = rng.permutation(one.shape[1])[: max(16, int(rng.uniform(0.15, 0.8) * one.shape[1]))]
        one, other = one[:, kept], other[:, kept]
    return finished(rng, unit(one), unit(other), some_noise(rng, 1.5))
