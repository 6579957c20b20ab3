"""Vectors predicted from another view of the same thing, as the decoding of brain activity does it.

A ridge regression is learnt on some of the classes. The gallery holds the true vectors of the others, the tests are
those predicted.
"""

from pathlib import Path

import numpy as np

from training.real import learnt, pictures, speech
from training.real.views import LEAST_CLASSES, components, some_dimensions, stored, unit
from training.sampling import Ints, Rng, Vectors, log_integer, log_uniform, pick


def decoders(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of one view predicted from those of another, or one network's vectors from another network's."""
    kind = pick(rng, {"emoji": 0.1, "icons": 0.1, "speech": 0.5, "learnt": 0.3})
    material = stored(folder / f"{kind}.npz")
    if kind == "learnt":
        seen, true = _networks(rng, material)
    else:
        seen, true = _views(rng, kind, material)
    number = len(seen)
    order = rng.permutation(number)
    lessons = log_integer(rng, number // 4, min(number - LEAST_CLASSES, number // 2))
    predicted = _ridge(rng, seen, true, order[:lessons])
    asked = order[lessons:]
    asked = asked[: max(LEAST_CLASSES, int(rng.uniform(0.5, 1.0) * len(asked)))]
    gallery, tests = true[asked], predicted[asked]
    if rng.random() < 0.5:  # a ridge predicts too little of what is hard to predict
        tests = tests * (gallery.std(axis=0) / (tests.std(axis=0) + np.float32(1e-6)))
    if rng.random() < 0.5:
        gallery, tests = unit(gallery), unit(tests)
    return np.ascontiguousarray(gallery, np.float32), np.ascontiguousarray(tests, np.float32)


def _views(rng: Rng, kind: str, material: dict[str, np.ndarray]) -> tuple[Vectors, Vectors]:
    """What is seen, in up to three views, and what is to be predicted; their features may be of different sorts."""
    if kind == "speech":
        names, features = [voice[0] for voice in speech.VOICES], speech.features
        number = len(material[names[0]])
    else:
        styles = [style + fill for style in pictures.STYLES for fill in ("", "-fill")]
        names, features = list(pictures.VENDORS) if kind == "emoji" else styles, pictures.features
        number = len(material[f"{names[0]} fine"])
    everything: Ints = np.arange(number)
    sides = []
    for name in rng.permutation(names)[: 1 + pick(rng, {1: 0.4, 2: 0.3, 3: 0.3})]:
        made = features(rng, material, [str(name)], everything)
        sides.append(components(rng, made, some_dimensions(rng))[0])
    return np.concatenate(sides[1:], axis=1), sides[0]


def _networks(rng: Rng, material: dict[str, np.ndarray]) -> tuple[Vectors, Vectors]:
    """Vectors of two pictures of each letter by two networks."""
    names = rng.permutation(list(learnt.RECIPES))[:2]
    looks = rng.permutation(len(learnt.STRENGTHS) - 1)[:2]
    seen, true = (material[f"{name} {look}"].astype(np.float32) for name, look in zip(names, looks, strict=True))
    return seen, true


def _ridge(rng: Rng, seen: Vectors, true: Vectors, learn: Ints) -> Vectors:
    """Predictions for all classes by a regression that was learnt on some; now and then, it has a hidden layer."""
    seen = (seen - seen[learn].mean(axis=0)) / (seen[learn].std(axis=0) + np.float32(1e-6))
    if rng.random() < 0.3:
        weight = rng.standard_normal((seen.shape[1], 300)).astype(np.float32) / np.float32(np.sqrt(seen.shape[1]))
        seen = np.concatenate([seen, np.maximum(seen @ weight, 0)], axis=1)
    seen = seen + np.float32(rng.uniform(0, 0.6) * (rng.random() < 0.3)) * rng.standard_normal(seen.shape, np.float32)
    middle = true[learn].mean(axis=0)
    known = seen[learn].astype(float)
    square = known.T @ known
    square += log_uniform(rng, 0.01, 1.0) * len(learn) * np.eye(len(square))
    weight = np.linalg.solve(square, known.T @ (true[learn] - middle))
    return np.asarray(seen @ weight.astype(np.float32) + middle, np.float32)
