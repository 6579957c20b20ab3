"""Linear classifiers of what several hands have drawn or several voices spoken, tested on others."""

from pathlib import Path

import numpy as np

from training.real import pictures, speech
from training.real.views import components, some_classes, some_dimensions, stored
from training.sampling import Rng, Vectors, log_uniform, pick

STYLES = (*pictures.STYLES, *(f"{style}-fill" for style in pictures.STYLES))


def hands(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Weights and bias of each class, and test examples (example, class, feature) whose inner products are its scores.

    Discriminant analysis, with the covariance within classes, or least squares, with that of all.
    """
    kind = pick(rng, {"emoji": 0.3, "icons": 0.3, "speech": 0.4})
    views = {"emoji": pictures.VENDORS, "icons": STYLES, "speech": speech.VOICES}[kind]
    names = [str(name) for name in rng.permutation([view if isinstance(view, str) else view[0] for view in views])]
    measured, features = stored(folder / f"{kind}.npz"), (speech if kind == "speech" else pictures).features
    chosen = some_classes(rng, len(next(iter(measured.values()))))
    seen = components(rng, features(rng, measured, names, chosen), some_dimensions(rng))
    learnt, tests = np.split(seen, [int(rng.integers(2, len(seen)))])
    mean = learnt.mean(axis=0)
    apart = (learnt - mean if rng.random() < 0.6 else learnt).reshape(-1, learnt.shape[2]).astype(float)
    spread = apart.T @ apart / len(apart)
    spread += log_uniform(rng, 0.01, 3.0) * np.trace(spread) / len(spread) * np.eye(len(spread))
    weight = np.linalg.solve(spread, mean.T).T
    bias = -rng.uniform(0.2, 0.6) * (weight * mean).sum(axis=1)
    tests = mean + np.float32(rng.uniform(0.8, 1.8)) * (tests - mean)
    ones = np.ones((*tests.shape[:2], 1))
    return np.column_stack([weight, bias]).astype(np.float32), np.concatenate([tests, ones], axis=2).astype(np.float32)
