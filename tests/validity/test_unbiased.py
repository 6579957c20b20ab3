"""ATA_k is unbiased for AGA_k: the mean over 2000 simulated label sets against the closed form."""

import numpy as np
import pytest

from rankcast import Evidence, curve
from rankcast.datasets import gaussian, toy

LABEL_SETS = 2000
K = np.array([2, 3, 8, 20, 30])


def simulated(make):
    return np.array([curve(make(), K) for _ in range(LABEL_SETS)])


def check(values, truth):
    # 5 strongly dependent comparisons; |z| < 4 fails once in about 5000 for an unbiased estimate
    z = (values.mean(axis=0) - truth) / (values.std(axis=0, ddof=1) / np.sqrt(LABEL_SETS))
    assert np.all(np.abs(z) < 4), z


@pytest.mark.parametrize(("rho", "examples"), [(0.9, 1), (0.99, 2)])
def test_toy_model(rho, examples):
    rng = np.random.default_rng(101)
    check(simulated(lambda: toy.simulate(30, rho, examples, rng)), toy.aga(K, rho))


def test_gaussian_model():
    rng = np.random.default_rng(102)
    check(simulated(lambda: gaussian.simulate(30, 0.4, p=3, rng=rng)), gaussian.aga(K, 0.4, p=3))


def test_unequal_rivals_and_ties():
    """Rounding distances makes ties; breaking them at random must not bias AGA of the rounded system."""
    rng = np.random.default_rng(103)

    def make():
        y = rng.standard_normal(30)
        x = 0.95 * y + np.sqrt(1 - 0.95**2) * rng.standard_normal(30)
        scores = -np.rint(np.abs(x[:, None] - 0.95 * y) / 0.25)
        return Evidence.from_scores(scores, np.arange(30))

    small = np.array([curve(make(), [2, 8]) for _ in range(LABEL_SETS)])

    def direct(k):
        """Accuracy of the first label among k, ties broken at random."""
        y = rng.standard_normal((200_000, k))
        x = 0.95 * y[:, :1] + np.sqrt(1 - 0.95**2) * rng.standard_normal((200_000, 1))
        steps = np.rint(np.abs(x - 0.95 * y) / 0.25)
        best = steps.min(axis=1)
        return (steps[:, 0] == best) / (steps == best[:, None]).sum(axis=1)

    for column, k in enumerate((2, 8)):
        hits = direct(k)
        error = np.hypot(small[:, column].std() / np.sqrt(LABEL_SETS), hits.std() / np.sqrt(len(hits)))
        assert abs(small[:, column].mean() - hits.mean()) < 4 * error
