"""What every method promises, whatever it does inside."""

import numpy as np
import pytest

from rankcast import Evidence, forecast
from rankcast.datasets import gaussian
from rankcast.errors import MethodError
from rankcast.methods import REGISTRY, get_method
from rankcast.metrics import TOP1

K = np.array([2, 50, 1000, 10**6])
FAST = [name for name in REGISTRY if name != "cleanex"]
SCORE_METHODS = [name for name in FAST if REGISTRY[name].needs == "scores"]


def awkward() -> dict[str, Evidence]:
    """Evidence that breaks careless arithmetic."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(40, 25))
    label = np.arange(40) % 25
    scores[np.arange(40), label] += 2
    constant = scores.copy()
    constant[:15] = 1.0  # truth and rivals alike
    level = scores.copy()
    level[:15] = 0.0
    level[np.arange(15), label[:15]] = 1.0  # rivals alike, truth above them
    perfect = scores.copy()
    perfect[np.arange(40), label] += 100
    hopeless = scores.copy()
    hopeless[np.arange(40), label] -= 4
    hopeless[0, label[0]] = 50
    two = rng.normal(size=(30, 2)) + 2 * np.eye(2)[np.arange(30) % 2]
    return {
        "plain": Evidence.from_scores(scores, label),
        "constant rows": Evidence.from_scores(constant, label),
        "level rivals": Evidence.from_scores(level, label),
        "duplicated columns": Evidence.from_scores(np.repeat(scores, 2, axis=1), 2 * label),
        "one rival": Evidence.from_scores(two, np.arange(30) % 2),
        "huge": Evidence.from_scores(scores * 1e300, label),
        "tiny": Evidence.from_scores(scores * 1e-300, label),
        "far from zero": Evidence.from_scores(scores + 1e9, label),
        "rounded": Evidence.from_scores(np.round(scores), label),
        "perfect": Evidence.from_scores(perfect, label),
        "one example": Evidence.from_scores(scores[:1], label[:1]),
        "three examples": Evidence.from_scores(scores[:3], label[:3]),
        "uneven": Evidence.from_scores(scores[np.r_[0:5, np.zeros(20, int)]], label[np.r_[0:5, np.zeros(20, int)]]),
    }


AWKWARD = awkward()


@pytest.mark.parametrize("kind", AWKWARD)
@pytest.mark.parametrize("name", FAST)
def test_awkward_evidence_gives_a_sane_distribution(name, kind):
    fit = get_method(name).fit(AWKWARD[kind], np.random.default_rng(0))
    values = fit.value(K)
    assert np.all(np.isfinite(values))
    assert np.all((values >= -1e-9) & (values <= 1 + 1e-9))
    assert np.all(np.diff(values) <= 1e-9)
    assert fit.proper


@pytest.mark.parametrize("name", FAST)
def test_all_rivals_above_the_truth(name):
    evidence = Evidence.from_scores(np.tile([[0.0, 1.0, 2.0, 3.0, 9.0]], (6, 1)), [0, 4, 4, 0, 4, 4])
    assert np.all(np.isfinite(get_method(name).fit(evidence, np.random.default_rng(0)).value(K)))


@pytest.mark.parametrize("name", FAST)
def test_same_seed_same_fit(name):
    one, two = (get_method(name).fit(AWKWARD["plain"], np.random.default_rng(3)).value(K) for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", SCORE_METHODS)
def test_shifting_and_stretching_a_row_of_scores_changes_nothing(name):
    evidence = AWKWARD["plain"]
    matrix = evidence.scores.matrix
    stretch, shift = np.random.default_rng(1).uniform(0.5, 2, (2, 40, 1))
    moved = Evidence.from_scores(matrix * stretch + shift, evidence.label)
    one, two = (get_method(name).fit(ev, np.random.default_rng(0)).value(K) for ev in (evidence, moved))
    np.testing.assert_allclose(one, two, atol=1e-5)


@pytest.mark.parametrize("name", [name for name in FAST if REGISTRY[name].needs == "ranks"])
def test_rank_methods_take_unequal_numbers_of_rivals(name):
    rng = np.random.default_rng(0)
    rivals = rng.integers(20, 60, 2000)
    beaten = rng.binomial(rivals, rng.beta(30, 1, 2000))
    evidence = Evidence.from_ranks(rivals + 1 - beaten, rivals + 1)
    values = get_method(name).fit(evidence, np.random.default_rng(0)).value([2, 21])
    assert values == pytest.approx([30 / 31, 30 / 50], abs=0.06)  # E U^(k-1) for U ~ Beta(30, 1)


@pytest.mark.parametrize("name", FAST)
def test_replicates_scatter_around_the_fit(name):
    evidence = gaussian.simulate(80, 0.2, rng=0)
    weights = np.random.default_rng(1).exponential(size=(30, 80))
    method, k = get_method(name), np.array([160, 400])
    draws = method.replicate(evidence, weights / weights.sum(axis=1, keepdims=True), k, TOP1, np.random.default_rng(0))
    assert draws.shape == (30, 2)
    assert np.all(np.isfinite(draws))
    fit = method.fit(evidence, np.random.default_rng(0)).value(k)
    assert np.all(np.abs(np.median(draws, axis=0) - fit) < 4 * draws.std(axis=0) / np.sqrt(30) + 0.05)


@pytest.mark.parametrize("name", FAST)
def test_forecast_by_name(name):
    result = forecast(gaussian.simulate(60, 0.2, rng=0), [30, 120, 600], method=name, rng=0, replicates=20)
    assert result.method == name
    assert np.all((result.low <= result.estimate) & (result.estimate <= result.high))


@pytest.mark.parametrize("name", SCORE_METHODS)
def test_scores_asked_of_ranks(name):
    evidence = Evidence.from_ranks(np.ones(30, int), 100)
    with pytest.raises(MethodError, match=r"needs scores.*use one of auto, classexreg, gaussian, mixture"):
        forecast(evidence, 1000, method=name)
