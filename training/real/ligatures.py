"""Real populations of signs that are put together of letters, as many scripts put theirs together of parts.

Made of the pictures of ``letters``.
"""

from pathlib import Path

import numpy as np

from ..sampling import Ints, Rng, Vectors, log_integer, pick
from .letters import CUTS, LOOSE, SIDE, noisy, picture_features
from .views import stored

HALF = SIDE // 2
SIGNS, PARTS = (8000, 80_000), (40, 600)  # fewest and most signs, and letters that they are made of
LAYOUTS = ("beside", "above", "three")


def ligatures(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of signs of two or three letters, and of the same with loose letters or in another cut, in a picture."""
    drawn = stored(folder / "letters.npz")
    name = pick(rng, {**{f"loose{loose}": 0.1 for loose in LOOSE}, **dict.fromkeys(CUTS, 0.2)})
    known = np.nonzero(drawn.get(f"has {name}", np.ones(len(drawn["plain"]), bool)))[0]
    pool = rng.permutation(known)[: log_integer(rng, *PARTS)]
    signs, layout = _signs(rng, len(pool))
    plain, other = (_composed(drawn[side][pool].reshape(-1, SIDE, SIDE), signs, layout) for side in ("plain", name))
    moved = np.stack([_moved(rng, plain, 0), _moved(rng, other, int(rng.integers(2)))])
    moved[1] = noisy(rng, moved[1])
    gallery, tests = picture_features(rng, moved)
    return gallery, tests


def _signs(rng: Rng, parts: int) -> tuple[Ints, Ints]:
    """Different signs: their three parts, some more frequent than others, of which two may count, and their layouts."""
    number = log_integer(rng, *SIGNS)
    often = 1 / np.arange(1, parts + 1) ** rng.uniform(0, 1)
    shares = rng.dirichlet(np.ones(len(LAYOUTS)))
    layout = rng.choice(len(LAYOUTS), 2 * number, p=shares)
    drawn = rng.choice(parts, (2 * number, 3), p=often / often.sum())
    drawn[layout < LAYOUTS.index("three"), 2] = 0
    kept = np.sort(np.unique(np.column_stack([drawn, layout]), axis=0, return_index=True)[1])[:number]
    return drawn[kept], layout[kept]


def _composed(letters: Vectors, signs: Ints, layout: Ints) -> Vectors:
    """Pictures of signs: one letter beside another, above it, or beside two that stand above each other."""
    narrow = letters.reshape(-1, SIDE, HALF, 2).mean(axis=3)
    low = letters.reshape(-1, HALF, 2, SIDE).mean(axis=2)
    small = narrow.reshape(-1, HALF, 2, HALF).mean(axis=2)
    made = np.empty((len(signs), SIDE, SIDE), np.float32)
    first, second, third = signs.T
    for number, name in enumerate(LAYOUTS):
        here = layout == number
        if name == "above":
            made[here] = np.concatenate([low[first[here]], low[second[here]]], axis=1)
        else:
            right = narrow[second[here]]
            if name == "three":
                right = np.concatenate([small[second[here]], small[third[here]]], axis=1)
            made[here] = np.concatenate([narrow[first[here]], right], axis=2)
    return made


def _moved(rng: Rng, pictures: Vectors, most: int) -> Vectors:
    """Pictures as rows, each moved by up to so many pixels along either axis."""
    steps = rng.integers(-most, most + 1, (len(pictures), 2))
    made = pictures.copy()
    for step in np.unique(steps, axis=0):
        here = (steps == step).all(axis=1)
        made[here] = np.roll(pictures[here], step, axis=(1, 2))
    return made.reshape(len(made), -1)
