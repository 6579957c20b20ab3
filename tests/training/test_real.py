from pathlib import Path

import numpy as np
import pytest

from training.families import FAMILIES
from training.features import extract
from training.folds import FOLDS, fold_of
from training.generate import write
from training.real import features, hands, record, speech, views
from training.real.kinds import KINDS
from training.real.words import grams, misspelt


def blobs(rng, folder):
    gallery = rng.standard_normal((900, 8)).astype(np.float32)
    tests = gallery + 0.5 * rng.standard_normal((2, 900, 8)).astype(np.float32)
    return gallery, tests


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(KINDS, "blobs", blobs)


def test_a_task_is_the_same_for_the_same_seed(toy):
    first, again = (record.tasks("blobs", 3, Path()) for _ in range(2))
    assert len(first) == record.DRAWS
    np.testing.assert_array_equal(first[0]["scores"], again[0]["scores"])


def test_truth_is_the_share_of_nearest_neighbours_that_are_right():
    gallery, tests = blobs(np.random.default_rng(0), Path())
    k, truth, error = record.truth_of(gallery, tests, "euclidean", np.random.default_rng(1))
    apart = np.linalg.norm(tests[:, :, None] - gallery[None, None], axis=-1)
    assert k[-1] == len(gallery)
    assert truth[-1] == pytest.approx(np.mean(apart.argmin(axis=2) == np.arange(len(gallery))))
    assert error.max() == 0  # every example was tested


def test_reports_keep_the_ranks(toy):
    for task in record.tasks("blobs", 5, Path()):
        right = np.mean(task["scores"].argmax(axis=1) == task["label"])
        at = np.interp(np.log(task["scores"].shape[1]), np.log(task["k"]), task["truth"])
        assert right == pytest.approx(at, abs=0.15)


def test_recorded_tasks_can_be_described(toy, tmp_path):
    task = record.tasks("blobs", 1, Path())[0]
    write(tmp_path / "task.npz", task)
    extract(tmp_path / "task.npz", tmp_path / "features.npz")
    with np.load(tmp_path / "features.npz") as found:
        assert int(found["all_k1"]) == task["scores"].shape[1]


def test_no_real_kind_has_the_name_of_a_simulated_family():
    assert not set(KINDS) & set(FAMILIES)


def test_real_kinds_are_dealt_into_all_folds():
    assert {fold_of(kind) for kind in KINDS} == set(range(FOLDS))


def test_kinds_that_were_added_left_the_folds_of_others_as_they_were():
    assert [fold_of(kind) for kind in ("classifiers", "dictionaries", "words", "chemicals")] == [0, 0, 0, 1]


def test_distinct_leaves_no_two_classes_with_the_same_text():
    texts = {"a": ["One", "two", "one!", "four"], "b": ["x", "y", "z", "y"]}
    kept = features.distinct(texts, 10)
    assert len(kept["a"]) == len({text.lower().strip("!") for text in kept["a"]}) == len(set(kept["b"]))


def test_texts_become_vectors_of_as_many_classes(tmp_path):
    rng = np.random.default_rng(0)
    words = [misspelt("recognition", 6, "abcdefgh", rng) for _ in range(1600)]
    texts = {side: [" ".join(rng.permutation(words)[:6]) for _ in range(700)] for side in ("a", "b")}
    features.store(tmp_path / "texts.npz", texts, {})
    gallery, tests = features.of_texts(rng, views.stored(tmp_path / "texts.npz"), {("a", "b"): 1.0})
    assert gallery.shape == tests.shape
    assert np.isfinite(gallery).all()
    assert np.isfinite(tests).all()


def test_a_variant_of_texts_leaves_what_is_stored_as_it_was(tmp_path):
    texts = {side: [f"same same other{i} word{i % 7}" for i in range(600)] for side in ("a", "b")}
    features.store(tmp_path / "texts.npz", texts, {})
    kept = views.stored(tmp_path / "texts.npz")
    before = {name: array.copy() for name, array in kept.items()}
    for seed in range(4):
        features.of_texts(np.random.default_rng(seed), kept, {("a", "b"): 1.0})
    for name, array in before.items():
        np.testing.assert_array_equal(kept[name], array)


def test_a_decoder_finds_a_linear_map():
    rng = np.random.default_rng(0)
    seen = rng.standard_normal((400, 5)).astype(np.float32)
    true = seen @ rng.standard_normal((5, 3)).astype(np.float32) + 2
    np.testing.assert_allclose(features.decoded(seen[:300], true[:300], seen[300:], 1e-9), true[300:], atol=1e-3)


def test_a_learnt_metric_makes_differences_alike():
    rng = np.random.default_rng(0)
    one = rng.standard_normal((3000, 2)).astype(np.float32)
    other = one + np.array([0.1, 2.0], np.float32) * rng.standard_normal(one.shape).astype(np.float32)
    apart = (one - other) @ views.metric(rng, (one, other))
    assert apart.std(axis=0).max() < 3 * apart.std(axis=0).min()


def test_classifiers_recognise_what_they_have_learnt(tmp_path):
    rng = np.random.default_rng(0)
    words = rng.standard_normal((300, speech.FRAMES, speech.BANDS))
    voices = {voice[0]: (words + 0.3 * rng.standard_normal(words.shape)).astype(np.float16) for voice in speech.VOICES}
    np.savez(tmp_path / "speech.npz", **voices)
    seed = next(seed for seed in range(99) if np.random.default_rng(seed).random() > 0.75)  # the last of three: speech
    weight, tests = hands.hands(np.random.default_rng(seed), tmp_path)
    right = np.mean([(each @ weight.T).argmax(axis=1) == np.arange(len(weight)) for each in tests])
    assert right > 0.8


def test_a_softmax_regression_tells_apart_what_it_was_taught():
    pytest.importorskip("torch", reason="it learns in torch")
    rng = np.random.default_rng(1)
    seen = rng.standard_normal((60, 20)) + 0.1 * rng.standard_normal((4, 60, 20))
    weight = hands._softmax_regression(rng, hands.with_one(seen[:3]))
    right = (hands.with_one(seen[3:])[0] @ weight.T).argmax(axis=1) == np.arange(60)
    assert right.mean() > 0.9


def test_grams_mark_the_ends_of_a_word():
    assert len(grams("ab", (2,), 2**16)) == 3  # ^a, ab and b$


def test_moved_tests_reach_the_accuracy_aimed_at():
    rng = np.random.default_rng(0)
    there, apart = rng.standard_normal((2, 500, 20)).astype(np.float32)
    factor = features._closeness(there, apart, 0.5)
    assert features._accuracy(there, apart, factor) == pytest.approx(0.5, abs=0.1)
