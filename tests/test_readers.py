"""Files → evidence, by the names of their arrays."""

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.errors import InputError
from rankcast.readers import read_evidence


def test_scores(scores, tmp_path):
    np.savez(tmp_path / "s.npz", scores=scores[0], labels=scores[1])
    assert read_evidence(tmp_path / "s.npz").fingerprint == Evidence.from_scores(*scores).fingerprint


def test_scores_with_class_names(scores, tmp_path):
    names = np.array([f"n{i}" for i in range(25)])
    np.savez(tmp_path / "s.npz", scores=scores[0], labels=names[scores[1]], classes=names)
    found = read_evidence(tmp_path / "s.npz")
    assert found.classes.tolist() == names.tolist()
    assert found.fingerprint == Evidence.from_scores(*scores).fingerprint


def test_distances_and_weighting(scores, tmp_path):
    np.savez(tmp_path / "s.npz", scores=-scores[0], labels=scores[1])
    found = read_evidence(tmp_path / "s.npz", higher_is_better=False, weighting="example")
    assert found.fingerprint == Evidence.from_scores(*scores, weighting="example").fingerprint


@pytest.mark.parametrize("similarity", ["euclidean", "cosine"])
@pytest.mark.parametrize("exemplars", ["nearest", "mean"])
def test_embeddings(rng, tmp_path, similarity, exemplars):
    arrays = {
        "gallery": rng.normal(size=(20, 3)),
        "gallery_labels": np.arange(20) // 2,
        "probes": rng.normal(size=(10, 3)),
        "probe_labels": np.arange(10),
    }
    np.savez(tmp_path / "e.npz", **arrays)
    expected = Evidence.from_embeddings(*arrays.values(), similarity=similarity, exemplars=exemplars)
    found = read_evidence(tmp_path / "e.npz", similarity=similarity, exemplars=exemplars)
    assert found.fingerprint == expected.fingerprint


@pytest.mark.parametrize("labels", [None, ["a", "a", "b"]])
@pytest.mark.parametrize("candidates", [10, [10, 20, 30]])
def test_ranks(tmp_path, labels, candidates):
    extra = {} if labels is None else {"labels": labels}
    np.savez(tmp_path / "r.npz", rank=[1, 2, 3], candidates=candidates, tied=[0, 1, 0], **extra)
    expected = Evidence.from_ranks([1, 2, 3], candidates, labels, tied=[0, 1, 0])
    assert read_evidence(tmp_path / "r.npz").fingerprint == expected.fingerprint


def test_separate_files_are_mapped(scores, tmp_path):
    np.save(tmp_path / "a.npy", scores[0])
    np.save(tmp_path / "b.npy", scores[1])
    found = read_evidence(None, {"scores": tmp_path / "a.npy", "labels": tmp_path / "b.npy"})
    assert found.fingerprint == Evidence.from_scores(*scores).fingerprint
    assert isinstance(found.scores.matrix, np.memmap)


def test_separate_files_beside_an_archive(scores, tmp_path):
    np.savez(tmp_path / "s.npz", scores=scores[0])
    np.save(tmp_path / "b.npy", scores[1])
    assert len(read_evidence(tmp_path / "s.npz", {"labels": tmp_path / "b.npy"})) == 75


def test_saved_evidence(measured, tmp_path):
    measured.save(tmp_path / "e.npz")
    assert read_evidence(tmp_path / "e.npz").fingerprint == measured.fingerprint


def test_an_incomplete_layout_says_what_is_needed(scores, tmp_path):
    np.savez(tmp_path / "s.npz", scores=scores[0], label=scores[1])
    with pytest.raises(InputError, match=r"found label, scores; needed are scores, labels; or gallery"):
        read_evidence(tmp_path / "s.npz")


def test_two_layouts_at_once(scores, tmp_path):
    np.savez(tmp_path / "s.npz", scores=scores[0], labels=scores[1], rank=[1], candidates=3)
    with pytest.raises(InputError, match="both scores and ranks: keep one"):
        read_evidence(tmp_path / "s.npz")


def test_bad_contents_name_the_file(scores, tmp_path):
    np.savez(tmp_path / "s.npz", scores=scores[0], labels=scores[1] + 1)
    with pytest.raises(InputError, match=r"s\.npz: labels must be column numbers 0 to 24, found 25"):
        read_evidence(tmp_path / "s.npz")
