"""Linear classifiers of what several hands have drawn or several voices spoken, tested on others.

Those that are taught need PyPI's torch.
"""

from pathlib import Path

import numpy as np

from training.real import drawings, patches, pictures, speech
from training.real.teaching import teach
from training.real.views import components, shrunk, some_classes, some_dimensions, stored
from training.sampling import Rng, Vectors, log_integer, log_uniform, pick

STYLES = (*pictures.STYLES, *(f"{style}-fill" for style in pictures.STYLES))
FEWEST, MOST, BATCH = 400, 4000, 256  # classes that a softmax regression is taught, and examples at a time


def hands(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Weights and bias of each class, and test examples (example, class, feature) whose inner products are its scores.

    Discriminant analysis, with the covariance within classes, or least squares, with that of all.
    """
    kind = pick(rng, {"emoji": 0.3, "icons": 0.3, "speech": 0.4})
    learnt, tests = _parted(rng, seen(rng, kind, folder))
    mean = learnt.mean(axis=0)
    apart = (learnt - mean if rng.random() < 0.6 else learnt).reshape(-1, learnt.shape[2])
    weight = np.linalg.solve(shrunk(apart, log_uniform(rng, 0.01, 3.0)), mean.T).T
    bias = -rng.uniform(0.2, 0.6) * (weight * mean).sum(axis=1)
    tests = mean + np.float32(rng.uniform(0.8, 1.8)) * (tests - mean)
    return np.column_stack([weight, bias]).astype(np.float32), with_one(tests)


def taught(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """The same of softmax regressions, which were taught to tell all classes apart, few or many."""
    kind = pick(rng, {"emoji": 0.15, "icons": 0.15, "speech": 0.2, "patches": 0.2, "drawings": 0.3})
    views = seen(rng, kind, folder)
    views = views[:, : log_integer(rng, FEWEST, min(MOST, views.shape[1]))] / views.std()
    learnt, tests = _parted(rng, views)
    mean = learnt.mean(axis=0)
    weight = _softmax_regression(rng, with_one(learnt))
    return weight, with_one(mean + np.float32(rng.uniform(0.4, 1.4)) * (tests - mean))


def seen(rng: Rng, kind: str, folder: Path) -> Vectors:
    """Features of drawings or sounds by several hands or voices, or of places seen again (view, class, feature)."""
    if kind == "patches":
        return _places(rng, folder)
    if kind == "drawings":
        return drawings.features(rng, folder)
    views = {"emoji": pictures.VENDORS, "icons": STYLES, "speech": speech.VOICES}[kind]
    names = [str(name) for name in rng.permutation([view if isinstance(view, str) else view[0] for view in views])]
    measured, features = stored(folder / f"{kind}.npz"), (speech if kind == "speech" else pictures).features
    chosen = some_classes(rng, len(next(iter(measured.values()))))
    return components(rng, features(rng, measured, names, chosen), some_dimensions(rng))


def _places(rng: Rng, folder: Path) -> Vectors:
    """Features of places in photographs and of the same seen again."""
    kept = stored(folder / "patches.npz")["patches"]
    chosen = rng.permutation(kept.shape[1])[:MOST]
    return components(rng, patches.features(rng, kept[:, chosen]), some_dimensions(rng))


def _parted(rng: Rng, views: Vectors) -> tuple[Vectors, Vectors]:
    """Two views or more to learn from, and the others."""
    learnt, tests = np.split(views, [int(rng.integers(2, len(views)))])
    return learnt, tests


def with_one(vectors: Vectors) -> Vectors:
    """Vectors with a one at their end, which a bias is multiplied by."""
    return np.concatenate([vectors, np.ones((*vectors.shape[:2], 1))], axis=2).astype(np.float32)


def _softmax_regression(rng: Rng, learnt: Vectors) -> Vectors:
    """Weights and bias of each class, by steps on some examples at a time, to which noise is added."""
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    views, classes, dim = learnt.shape
    noise = np.float32(log_uniform(rng, 0.05, 1.0))
    weight = torch.zeros(classes, dim, requires_grad=True)
    steps, decay, rate = log_integer(rng, 150, 1000), log_uniform(rng, 1e-3, 1.0), log_uniform(rng, 0.01, 0.1)

    def loss() -> "torch.Tensor":
        shown = rng.integers(classes, size=BATCH)
        x = learnt[rng.integers(views, size=BATCH), shown]
        x = x + noise * rng.standard_normal(x.shape, np.float32)
        return functional.cross_entropy(torch.from_numpy(x) @ weight.T, torch.from_numpy(shown))

    teach([weight], loss, steps, decay, rate)
    return weight.detach().numpy()
