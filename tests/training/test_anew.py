"""Classifiers that are taught anew for every number of classes."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="they are taught in torch")

from training import taught_anew
from training.real import anew


def blobs(rng, classes, number, noise):
    centres = rng.standard_normal((classes, 12))
    return (centres + noise * rng.standard_normal((number, classes, 12))).astype(np.float32)


@pytest.fixture
def few(monkeypatch):
    """A population of 200 classes, twelve examples to learn from and three to be tested on."""

    def examples(rng, material):
        made = blobs(rng, 200, 15, 0.6)
        return "blobs", made[:12], made[12:]

    monkeypatch.setattr(anew, "examples", examples)
    monkeypatch.setattr(anew, "CLASSIFIERS", {"discriminant": 1.0})


@pytest.mark.parametrize("kind", anew.CLASSIFIERS)
def test_all_classifiers_tell_apart_what_they_were_taught(kind, monkeypatch):
    monkeypatch.setattr(anew, "CLASSIFIERS", {kind: 1.0})
    rng = np.random.default_rng(2)
    seen = blobs(rng, 30, 20, 0.3)
    _, scores_of = anew.classifier(rng)
    scores = scores_of(seen[:16], seen[16:], rng)
    assert scores.shape == (4, 30, 30)
    assert (scores.argmax(axis=2) == np.arange(30)).mean() > 0.9


def test_a_hinge_is_nothing_where_the_truth_wins_by_one():
    import torch

    answer = torch.tensor([[3.0, 1.0, 2.0], [0.5, 0.0, 0.0], [0.0, 2.0, 0.0]])
    assert anew._hinge(answer, torch.tensor([0, 0, 0])).item() == pytest.approx((0 + 0.5 + 3) / 3)


def test_evidence_is_of_one_classifier_and_the_truth_of_those_for_more(few, tmp_path):
    found = anew.tasks(0, tmp_path)
    assert found
    for task in found:
        k1 = task["scores"].shape[1]
        assert k1 in task["k"]
        assert anew.FURTHER * k1 <= task["k"][-1] == 200
        assert task["truth"][0] > task["truth"][-1]
        assert len(task["scores"]) == len(task["label"])


def test_the_same_seed_gives_the_same_task(few, tmp_path):
    first, again = (anew.tasks(3, tmp_path)[0] for _ in range(2))
    for name, value in first.items():
        np.testing.assert_array_equal(value, again[name])


def test_methods_are_compared_by_the_number_of_classes_measured(few, tmp_path):
    paths = []
    for task in anew.tasks(0, tmp_path):
        paths.append(tmp_path / f"{task['seed']}.npz")
        np.savez(paths[-1], **task)
    k1, off, held = taught_anew.of_task(paths[0])
    assert off.shape == (len(taught_anew.METHODS), len(taught_anew.RATIOS))
    assert np.isfinite(off[:, 0]).all()
    held = np.repeat([[1.0], [0.0]], [7, 3], axis=0) + 0 * held
    told = taught_anew.lines([(k1, np.full_like(off, 0.02), each) for each in held])
    assert f"| gaussian | {' | '.join(['0.020 (+0.020)'] * np.isfinite(held[0]).sum())} |" in told
    assert next(line for line in told if "interval" in line).split("|")[2].strip() == "70%"
