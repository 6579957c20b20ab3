"""The closed forms of the paper's models against simulation that knows nothing of them."""

import numpy as np
import pytest

from rankcast.datasets import gaussian, toy

TIMES = 100_000


def near(hits, truth):
    spread = max(hits.std(), np.sqrt(max(truth * (1 - truth), 0))) if hits.dtype == bool else hits.std()
    error = spread / np.sqrt(len(hits))
    assert abs(hits.mean() - truth) < 4 * error, (hits.mean(), truth, error)


@pytest.mark.parametrize("rho", [0.3, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("k", [2, 5, 20])
def test_aga_of_the_toy_model(rho, k):
    rng = np.random.default_rng(k)
    y = rng.standard_normal((TIMES, k))
    x = rho * y[:, 0] + np.sqrt(1 - rho**2) * rng.standard_normal(TIMES)
    near(np.argmin(np.abs(x[:, None] - rho * y), axis=1) == 0, float(toy.aga(k, rho)))


@pytest.mark.parametrize(("sigma2", "p"), [(0.1, 10), (0.5, 10), (0.3, 2)])
@pytest.mark.parametrize("k", [2, 20])
def test_aga_of_the_gaussian_model(sigma2, p, k):
    rng = np.random.default_rng(k)
    times = TIMES // 4
    own = rng.standard_normal((times, p))
    test = own + np.sqrt(sigma2) * rng.standard_normal((times, p))
    train = np.sqrt(1 + sigma2) * rng.standard_normal((times, k, p))
    train[:, 0] = own + np.sqrt(sigma2) * rng.standard_normal((times, p))
    nearest = np.argmin(((train - test[:, None]) ** 2).sum(axis=2), axis=1)
    near(nearest == 0, float(gaussian.aga(k, sigma2, p)))


@pytest.mark.parametrize("rho", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("k", [2, 3, 12])
def test_ga_of_a_set_of_labels(rho, k):
    rng = np.random.default_rng(k)
    y = rng.standard_normal(k)
    label = rng.integers(k, size=TIMES)
    x = rho * y[label] + np.sqrt(1 - rho**2) * rng.standard_normal(TIMES)
    near(np.argmin(np.abs(x[:, None] - rho * y), axis=1) == label, float(toy.ga(y, rho)))


@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_aga_is_the_mean_of_ga(rho):
    labels = np.random.default_rng(0).standard_normal((20_000, 6))
    near(toy.ga(labels, rho), float(toy.aga(6, rho)))


@pytest.mark.parametrize("rho", [0.3, 0.9])
def test_d_of_the_toy_model(rho):
    """U* by its definition: the share of 400 random rivals that are further away than the truth."""
    rng = np.random.default_rng(1)
    y = rng.standard_normal(4000)
    x = rho * y + np.sqrt(1 - rho**2) * rng.standard_normal(4000)
    u = 1 - toy.outranked(x, np.abs(rho * y - x), rho)
    rivals = rng.standard_normal((4000, 400))
    share = (np.abs(rho * rivals - x[:, None]) > np.abs(rho * y - x)[:, None]).mean(axis=1)
    assert np.abs(share - u).max() < 5.5 * np.sqrt(0.25 / 400)
    for level in (0.1, 0.5, 0.8, 0.95):
        truth = float(toy.cdf(level, rho))
        assert abs(np.mean(u <= level) - truth) < 4 * np.sqrt(truth * (1 - truth) / 4000)
        assert float(toy.favourability(rho).cdf(level)) == pytest.approx(truth, abs=0.02)
