"""Sets of networks beside each other on data to develop on."""

import numpy as np
import pytest

pytest.importorskip("torch")

from rankcast.datasets import gaussian
from training import develop
from training.features import RATIOS


def test_noise_gives_the_accuracy_asked_for():
    assert gaussian.aga(500, develop._noise(0.85, 5), 5) == pytest.approx(0.85, abs=1e-3)


def test_errors_are_by_group_and_size_and_unknown_truths_are_left_out():
    truth = np.where(RATIOS <= 5, 0.5, np.nan)
    tasks = [{"family": "normal, 5", "k1": 100, "truth": truth} for _ in range(2)]
    found = {"package": np.array([0.5, 0.6])[:, None] + 0 * RATIOS}
    shown = develop.lines(tasks, found)
    cell = f"{np.sqrt(0.005):.4f} (+0.050)"
    assert f"| normal, 5, 100 | package | {cell} | {cell} | {cell} | – | – |" in shown
