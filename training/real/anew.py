"""Classifiers that are taught anew for every number of classes: evidence from one, and the truth from those for more.

    python -m training.real.anew --material cache/material --out cache/anew --seeds 0:200

This is how most classifiers grow, and no method's model: the scores of a class change with the classes beside it.
Letters (other looks at each, as many as are asked for), drawings, icons, sounds and places, told apart by softmax
regressions, support vector machines, discriminant analysis and networks with one layer between. One npz file a task, as
``training.real.record`` writes them. No network learns from these. Needs PyPI's torch, and the typefaces of ``learnt``.
"""

import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from training.real.hands import seen
from training.real.learnt import Recipe, pictured, seen_anew
from training.real.record import ACCURACIES, arguments, record, reported
from training.real.teaching import teach
from training.real.views import components, shrunk, some_dimensions
from training.record import MOST_ROWS
from training.sampling import Array, Rng, Vectors, log_integer, log_uniform, pick

if TYPE_CHECKING:
    import torch

SOURCES = {"letters": 0.45, "emoji": 0.1, "icons": 0.1, "speech": 0.15, "patches": 0.1, "drawings": 0.1}
CLASSES = (500, 2500)  # of a population
LEARNT, TESTED = (4, 50), (1, 50)  # examples of each class
MOST = 60_000  # examples of a population
DIMENSIONS = 100
CLASSIFIERS = {"softmax": 0.35, "vectors": 0.25, "discriminant": 0.2, "network": 0.2}
FIRST, STEP = (20, 45), 2.2  # numbers of classes: the first, and how much more the next is
TOGETHER, TIMES = 800, 30  # classes that are tested at each number, and classifiers taught, at most
FURTHER = 5  # times as many classes are known of, at least
BATCH = 256
LEAST_ERROR = 0.002  # of an accuracy: classifiers differ by how they were taught

Classifier = Callable[[Vectors, Vectors, Rng], Array]


# -- examples --------------------------------------------------------------------------------------------


def examples(rng: Rng, material: Path) -> tuple[str, Vectors, Vectors]:
    """What they are of; and examples to learn from, and to be tested on (example, class, feature)."""
    source, learnt, tested = pick(rng, SOURCES), log_integer(rng, *LEARNT), log_integer(rng, *TESTED)
    classes = min(log_integer(rng, *CLASSES), max(CLASSES[0], MOST // (learnt + tested)))
    make = _letters if source == "letters" else partial(_mixed, source=source, material=material)
    made = make(rng, classes, learnt + tested)
    return source, made[:learnt], made[learnt:]


_pictures = cache(pictured)


def _letters(rng: Rng, classes: int, number: int) -> Vectors:
    pictures = _pictures()
    pictures = pictures[rng.permutation(len(pictures))[:classes]]
    recipe = Recipe(0, 0, "", log_uniform(rng, 0.5, 3.0), log_uniform(rng, 0.05, 0.5), 0)
    looks = np.stack([seen_anew(pictures, recipe, 1.0, rng).reshape(classes, -1) for _ in range(number)])
    looks = components(rng, looks, some_dimensions(rng, DIMENSIONS))
    return looks / looks.std()


def _mixed(rng: Rng, classes: int, number: int, source: str, material: Path) -> Vectors:
    """Views of each class, with what sets views of other classes apart, and noise, added."""
    views = seen(rng, source, material)
    views = views[:, :classes, :DIMENSIONS] / views.std()
    apart = views - views.mean(axis=0)
    share, noise = np.float32(rng.uniform(0.3, 1.5)), np.float32(log_uniform(rng, 0.1, 1.0))

    def example() -> Vectors:
        view, other, whose = (rng.integers(most, size=views.shape[1]) for most in (*[len(views)] * 2, views.shape[1]))
        shown = views[view, np.arange(views.shape[1])] + share * apart[other, whose]
        return shown + noise * rng.standard_normal(shown.shape, np.float32)

    return np.stack([example() for _ in range(number)])


# -- classifiers -----------------------------------------------------------------------------------------


def classifier(rng: Rng) -> tuple[str, Classifier]:
    """A way to teach: from examples of classes to the scores of tests (example, class, class)."""
    kind = pick(rng, CLASSIFIERS)
    if kind == "discriminant":
        return kind, partial(_discriminant, ridge=log_uniform(rng, 0.01, 1.0))
    course = {"steps": log_integer(rng, 150, 500), "decay": log_uniform(rng, 1e-3, 1.0)}
    course["rate"] = log_uniform(rng, 0.01, 0.1)
    units = log_integer(rng, 32, 256) if kind == "network" else 0
    return kind, partial(_by_steps, course=course, units=units, loss=_hinge if kind == "vectors" else _entropy)


def _discriminant(learnt: Vectors, tests: Vectors, rng: Rng, ridge: float) -> Array:
    """Linear discriminant analysis, the covariance within classes drawn towards a sphere."""
    mean = learnt.mean(axis=0)
    weight = np.linalg.solve(shrunk((learnt - mean).reshape(-1, learnt.shape[2]), ridge), mean.T).T
    return tests @ weight.T - 0.5 * (weight * mean).sum(axis=1)


def _by_steps(
    learnt: Vectors,
    tests: Vectors,
    rng: Rng,
    course: dict[str, float],
    units: int,
    loss: "Callable[[torch.Tensor, torch.Tensor], torch.Tensor]",
) -> Array:
    """A linear layer, or two, taught by steps of which there are more, the more classes."""
    import torch
    from torch import nn

    torch.manual_seed(int(rng.integers(2**31)))
    each, classes, dim = learnt.shape
    layers = [nn.Linear(dim, units), nn.ReLU()] if units else []
    network = nn.Sequential(*layers, nn.Linear(units or dim, classes))

    def step() -> "torch.Tensor":
        shown = rng.integers(classes, size=BATCH)
        answer = network(torch.from_numpy(learnt[rng.integers(each, size=BATCH), shown]))
        return loss(answer, torch.from_numpy(shown))

    steps = int(course["steps"] * np.clip(np.sqrt(classes / 100), 0.6, 4))
    teach(network.parameters(), step, steps, course["decay"], course["rate"])
    with torch.no_grad():
        return np.stack([network(torch.from_numpy(test)).numpy() for test in tests])


def _entropy(answer: "torch.Tensor", shown: "torch.Tensor") -> "torch.Tensor":
    from torch.nn import functional

    return functional.cross_entropy(answer, shown)


def _hinge(answer: "torch.Tensor", shown: "torch.Tensor") -> "torch.Tensor":
    """By how much the truth fails to beat its best rival by one."""
    import torch

    truth = answer.gather(1, shown[:, None])
    rival = answer.scatter(1, shown[:, None], -torch.inf).max(dim=1).values
    return torch.relu(1 + rival - truth[:, 0]).mean()


# -- tasks -----------------------------------------------------------------------------------------------


def tasks(seed: int, material: Path) -> list[dict[str, Array]]:
    """Evidence from one classifier of each number of classes, and what others of the same kind made of more."""
    rng = np.random.default_rng([seed, 13])
    source, learnt, tests = examples(rng, material)
    kind, scores_of = classifier(rng)
    total = learnt.shape[1]
    ladder = [log_integer(rng, *FIRST)]
    while ladder[-1] * STEP < total:
        ladder.append(int(ladder[-1] * STEP))
    ladder.append(total)
    truth, error, evidence = np.empty(len(ladder)), np.empty(len(ladder)), []
    for i, k in enumerate(ladder):
        times = min(int(np.clip(TOGETHER // k, 1, TIMES)), total // k)
        right = []
        for number, classes in enumerate(np.split(rng.permutation(total)[: times * k], times)):
            scores = scores_of(learnt[:, classes], tests[:, classes], rng)
            right.append((scores.argmax(axis=2) == np.arange(k)).mean(axis=0))
            if number == 0 and FURTHER * k <= total:
                evidence.append(scores)
        each = np.concatenate(right)
        truth[i] = each.mean()
        error[i] = each.std() * np.sqrt((1 - len(each) / total) / len(each)) + LEAST_ERROR
    found: list[dict[str, Array]] = []
    for measured, scores in zip(truth, evidence, strict=False):
        if not ACCURACIES[0] < measured < ACCURACIES[1]:
            continue
        shown = scores[: log_integer(rng, 1, len(scores))]
        label = np.tile(np.arange(scores.shape[1]), len(shown))
        rows = np.sort(rng.permutation(len(label))[:MOST_ROWS])
        shown, report = reported(shown.reshape(len(label), -1)[rows], "taught", "dot", rng)
        found.append(
            {
                "scores": shown.astype(np.float32),
                "label": label[rows].astype(np.int32),
                "k": np.array(ladder, float),
                "truth": truth,
                "error": error,
                "family": np.array("anew"),
                "score": np.array(f"{source}, {kind}, {report}"),
                "seed": np.array(10 * seed + len(found)),
            }
        )
    return found


def main(argv: list[str] | None = None) -> int:
    """Read the command line and record; what is there is skipped."""
    given = arguments("Record tasks of classifiers that are taught anew.", "0:200").parse_args(argv)
    return record({str(seed): partial(tasks, seed, given.material) for seed in given.seeds}, given.out, given.jobs)


if __name__ == "__main__":
    sys.exit(main())
