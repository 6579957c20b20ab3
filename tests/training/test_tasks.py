import numpy as np
import pytest
from scipy.special import ndtr

from training.tasks import LADDER, examples, make_task


@pytest.fixture(scope="module")
def task():
    return make_task(3, k1=25)


def test_the_seed_decides_everything(task):
    again = make_task(3, k1=25)
    assert task.evidence.fingerprint == again.evidence.fingerprint
    np.testing.assert_array_equal(task.truth, again.truth)
    np.testing.assert_array_equal(task.oracle, again.oracle)


def test_effort_leaves_the_evidence_alone(task):
    assert make_task(3, k1=25, effort=0.5).evidence.fingerprint == task.evidence.fingerprint


def test_truth_falls_along_the_ladder(task):
    np.testing.assert_array_equal(task.k, 25 * LADDER)
    reached = np.isfinite(task.truth)
    assert reached[:8].all()
    assert (np.diff(task.truth[reached]) <= 2 * task.error[reached][1:]).all()


def test_oracle_agrees_with_its_favourabilities(task):
    weight = task.evidence.weight[task.oracle_rows]
    value = weight @ ndtr(task.oracle_z) ** (task.k[2] - 1) / weight.sum()
    assert abs(value - task.oracle[2]) < 0.01


def test_halves_are_kept_apart():
    assert make_task(0, "held-out", k1=20).held_out
    assert not make_task(0, "train", k1=20).held_out


def test_examples_are_capped():
    for seed in range(50):
        owner = examples(np.random.default_rng(seed), 400)
        assert 1 <= len(owner) <= 5000
        assert owner.max() < 400
