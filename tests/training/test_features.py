"""From recorded tasks to what the network is trained on."""

import numpy as np
import pytest

from training.features import KINDS, RATIOS, extract, truth_at
from training.record import FOLDER, fine_ladder, record
from training.tasks import make_task


def test_the_truth_is_read_off_the_fine_ladder():
    k = fine_ladder(100_000)
    file = {"k": k, "truth": 0.9 ** np.log10(k), "error": np.full(len(k), 0.01)}
    truth, error = truth_at(file, np.array([2, 5000, 200_000]))
    assert truth[:2] == pytest.approx(0.9 ** np.log10([2, 5000]), abs=1e-3)
    assert error[0] == pytest.approx(0.01)
    assert np.isnan(truth[2])


def test_a_recorded_task_and_parts_of_it(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "raw"))
    task = make_task(3, effort=0.2, k1=60)
    record(task)
    extract(tmp_path / "raw" / "00000003.npz", tmp_path / "described.npz")
    with np.load(tmp_path / "described.npz") as file:
        assert file["all_k1"] == 60
        assert all(20 <= file[f"{kind}_k1"] <= 40 for kind in KINDS[1:])
        assert file["all_truth"][:2] == pytest.approx(task.truth[:2], abs=0.01)
        for kind in KINDS:
            assert np.all(np.isfinite(file[f"{kind}_example"]))
            assert file[f"{kind}_truth"].shape == RATIOS.shape
            assert file[f"{kind}_weight"].sum() == pytest.approx(1, abs=1e-5)
