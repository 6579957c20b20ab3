"""Letters as read by networks that were taught to tell all of them apart: the classes are those of their last layer.

Needs Debian's fonts-noto-core, and PyPI's fonttools, pillow and torch when prepared.
"""

from pathlib import Path
from typing import Any

import numpy as np

from training.generate import write
from training.real.learnt import BATCH, Recipe, body, pictured, seen_anew
from training.real.teaching import teach
from training.real.views import LEAST_CLASSES, stored
from training.sampling import Rng, Vectors, log_integer, pick

# each network and how it is taught, and how many letters, others each time; one has no layer but the last
RECIPES = {
    "quick": (Recipe(12, 64, "softmax", 1.0, 0.15, 350), 7000),
    "long": (Recipe(16, 128, "softmax", 1.2, 0.2, 900), 7000),
    "rough": (Recipe(16, 96, "softmax", 1.6, 0.35, 600), 7000),
    "few": (Recipe(12, 64, "softmax", 1.3, 0.3, 300), 600),
    "many units": (Recipe(16, 400, "softmax", 1.4, 0.3, 500), 1500),
    "hasty": (Recipe(12, 48, "softmax", 0.8, 0.2, 200), 4000),
    "easy": (Recipe(16, 96, "softmax", 0.8, 0.1, 400), 1500),
    "flat": (Recipe(0, 0, "softmax", 0.7, 0.15, 500), 1000),
}
STRENGTHS = (0.7, 0.9, 1.0, 1.0, 1.2, 1.5)  # of what is done to the letters read, as against those taught


def prepare_readers(folder: Path) -> None:
    """Teach each network some of the letters, and keep its last layer and what it gets to read; eight minutes."""
    import torch

    out = folder / "readers.npz"
    if out.exists():
        return
    torch.manual_seed(0)
    torch.set_num_threads(1)
    letters, rng = pictured(), np.random.default_rng(1)
    made: dict[str, np.ndarray] = {}
    for name, (recipe, number) in RECIPES.items():
        taught = letters[rng.permutation(len(letters))[:number]]
        weight, read = _taught(recipe, taught, rng)
        made |= {f"{name} weight": weight, f"{name} read": read.astype(np.float16)}
    write(out, made)


def _taught(recipe: Recipe, pictures: Vectors, rng: Rng) -> tuple[Vectors, Vectors]:
    """Weights and bias of each class, and the layer before them for letters read (look, class, feature), then one."""
    import torch
    from torch import nn
    from torch.nn import functional

    before, last = (body(recipe), nn.Linear(recipe.dim, len(pictures))) if recipe.width else _flat(pictures)
    network = nn.Sequential(before, nn.ReLU(), last)

    def loss() -> "torch.Tensor":
        shown = rng.permutation(len(pictures))[: 2 * BATCH]
        answer = network(torch.from_numpy(seen_anew(pictures[shown], recipe, 1.0, rng)))
        return functional.cross_entropy(answer, torch.from_numpy(shown))

    teach(network.parameters(), loss, recipe.steps, decay=1e-2, rate=8e-3)
    network.eval()
    with torch.no_grad():
        looks = [
            torch.cat([network[:2](torch.from_numpy(part)) for part in np.array_split(seen, 8)]).numpy()
            for seen in (seen_anew(pictures, recipe, strength, rng) for strength in STRENGTHS)
        ]
        weight = torch.column_stack([last.weight, last.bias]).numpy()
    read = np.stack(looks)
    return weight, np.concatenate([read, np.ones((*read.shape[:2], 1), np.float32)], axis=2)


def _flat(pictures: Vectors) -> tuple[Any, Any]:
    """A last layer that sees pixels."""
    from torch import nn

    return nn.Flatten(), nn.Linear(pictures[0].size, len(pictures))


def readers(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Weights of each class of one network, and letters read, perhaps with units left out or several looks averaged."""
    made = stored(folder / "readers.npz")
    name = pick(rng, dict.fromkeys(RECIPES, 1.0))
    weight, read = made[f"{name} weight"], made[f"{name} read"]
    chosen = rng.permutation(len(weight))[: log_integer(rng, min(2 * LEAST_CLASSES, len(weight)), len(weight))]
    looks = rng.permutation(len(read))[: log_integer(rng, 1, len(read))]
    tests = read[np.ix_(looks, chosen)].astype(np.float32)
    units = np.ones(weight.shape[1], np.float32)
    units[:-1] = rng.random(len(units) - 1) < pick(rng, {1.0: 0.5, 0.7: 0.25, 0.4: 0.25})
    if rng.random() < 0.25:  # as an ensemble of pictures is read
        tests = tests.mean(axis=0, keepdims=True)
    return weight[chosen] * units, tests * units
