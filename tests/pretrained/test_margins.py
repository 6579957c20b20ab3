"""Forecasts from margins."""

import numpy as np
import pytest
from scipy import stats

from rankcast.pretrained.margins import MARGINS, UNBOUNDED, Margins, _step
from rankcast.pretrained.rows import describe_rows
from rankcast.ranking import ScoreTable


def margins(scores, truth):
    table = np.column_stack([scores, truth])
    return describe_rows(ScoreTable(table, True), np.full(len(table), table.shape[1] - 1))[2]


def forecasts(scores, truth, ratio):
    chances = margins(scores, truth).chances(scores.shape[1], [ratio])[0]
    return dict(zip(MARGINS, chances.mean(axis=1), strict=True))


@pytest.mark.parametrize(
    ("law", "methods"),
    [
        (stats.expon(), ("exponential32",)),
        (stats.norm(), ("line", "broad", "pooled32")),
    ],
)
def test_the_right_law_forecasts_right(law, methods):
    rng, rivals = np.random.default_rng(0), 400
    scores = law.rvs(size=(3000, rivals), random_state=rng)
    truth = law.ppf(1 - 1 / rivals) + rng.normal(1, 3, 3000)
    for ratio in (1.0, 10.0):
        expected = np.mean(law.cdf(truth) ** (ratio * rivals))
        found = forecasts(scores, truth, ratio)
        for name in methods:
            assert found[name] == pytest.approx(expected, abs=0.03), (name, ratio)


def test_distances_in_a_plane():
    rng, rivals = np.random.default_rng(1), 300
    distance = np.sqrt(rng.random((3000, rivals)))  # the share within a distance is its square
    own = np.exp(rng.normal(-3, 0.7, 3000))
    expected = np.mean((1 - np.minimum(own, 1) ** 2) ** (20 * rivals))
    assert forecasts(-distance, -own, 20.0)["power"] == pytest.approx(expected, abs=0.03)


def test_without_a_perfect_match_there_are_no_distances():
    rng = np.random.default_rng(2)
    found = margins(rng.normal(size=(20, 50)), rng.normal(2, 1, 20))
    assert np.all(found.perfect == UNBOUNDED)
    chances = found.chances(50, [5.0])[0]
    np.testing.assert_array_equal(chances[MARGINS.index("power")], chances[MARGINS.index("exponential32")])


def test_more_rivals_lower_every_forecast():
    rng = np.random.default_rng(3)
    scores, truth = -rng.gamma(9, size=(200, 60)), -rng.gamma(5, size=200)
    ladder = np.array([list(forecasts(scores, truth, ratio).values()) for ratio in (1, 2, 5, 20, 100)])
    assert np.all(np.diff(ladder, axis=0) <= 1e-9)


def test_smoothing_keeps_the_mean_of_smooth_margins_and_lessens_the_noise():
    rng = np.random.default_rng(4)
    exact, smooth = [], []
    for _ in range(300):
        margin = rng.normal(1.5, 3.0, 400)
        exact.append(np.mean(margin > 0))
        smooth.append(np.mean(_step(margin)))
    assert np.mean(smooth) == pytest.approx(stats.norm.cdf(0.5), abs=0.004)
    assert np.std(smooth) < 0.95 * np.std(exact)


def test_a_tie_is_half_right():
    tied = Margins(np.array([[1.0, 0.5]]), np.ones(1), np.full(1, UNBOUNDED), np.ones(1), np.ones(1))
    assert tied.chances(10, [1.0])[0, :, 0] == pytest.approx(0.5)
