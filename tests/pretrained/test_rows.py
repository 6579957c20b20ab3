"""What is read off each row of scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankcast.pretrained import rows
from rankcast.pretrained.rows import ROW_ESTIMATES, ROW_SHAPES, describe_rows
from rankcast.ranking import ScoreTable


def described(scores, label):
    return describe_rows(ScoreTable(np.asarray(scores, float), True), np.asarray(label))


@pytest.fixture
def scores():
    return np.random.default_rng(0).normal(size=(40, 200))


class TestInvariance:
    @given(st.floats(-50, 50), st.floats(0.01, 100))
    def test_shift_and_stretch_of_a_row_change_nothing(self, shift, stretch):
        scores, label = np.random.default_rng(0).normal(size=(6, 80)), np.arange(6)
        before, after = described(scores, label), described(scores * stretch + shift, label)
        kept = [name not in ("near", "bent") for name in ROW_ESTIMATES]
        np.testing.assert_allclose(before[0][:, kept], after[0][:, kept], atol=1e-3)
        kept = [name not in ("perfect", "relative", "dimension") for name in ROW_SHAPES]
        np.testing.assert_allclose(before[1][:, kept], after[1][:, kept], atol=1e-3)

    @given(st.floats(0.01, 100))
    def test_distances_in_other_units_are_the_same(self, unit):
        scores, label = -np.random.default_rng(0).gamma(9, size=(6, 80)), np.arange(6)
        for one, two in zip(described(scores, label)[:2], described(scores * unit, label)[:2], strict=True):
            np.testing.assert_allclose(one, two, atol=1e-3)

    def test_the_order_of_rivals_does_not_matter(self, scores):
        label = np.zeros(40, int)
        mixed = np.column_stack([scores[:, :1], scores[:, :0:-1]])
        for one, two in zip(described(scores, label)[:2], described(mixed, label)[:2], strict=True):
            np.testing.assert_allclose(one, two, atol=1e-5)

    def test_the_truth_is_not_among_its_rivals(self, scores):
        label = np.arange(40)
        scores[np.arange(40), label] = 1e6  # would ruin mean and spread
        shapes = described(scores, label)[1]
        assert np.all(np.abs(shapes[:, ROW_SHAPES.index("skewness")]) < 1)


class TestEstimates:
    def test_exponential_tail_of_exponential_scores(self):
        scores, label = np.random.default_rng(1).exponential(size=(300, 2001)), np.full(300, 2000)
        scores[:, 2000] = 10.0
        found = described(scores, label)[0][:, ROW_ESTIMATES.index("tail32")]
        assert np.median(found) == pytest.approx(-stats.norm.ppf(np.exp(-10.0)), abs=0.1)

    @pytest.mark.parametrize("skewness", [-1.0, 0.0, 0.5, 1.5])
    def test_pearson_law(self, skewness):
        at = np.array([-0.9, 0.0, 1.0, 1.2])
        found = rows._pearson(at, np.full(4, skewness))
        assert found == pytest.approx(stats.norm.ppf(stats.pearson3.cdf(at, skewness)), abs=0.06)

    def test_moments_of_normal_scores(self, scores):
        scores[:, 0] = 3.0
        found = described(scores, np.zeros(40, int))[0][:, ROW_ESTIMATES.index("moments")]
        assert found.mean() == pytest.approx(3.0, abs=0.2)

    def test_a_power_law_of_distances(self):
        rng = np.random.default_rng(2)
        scores = -(rng.random((300, 1001)) ** (1 / 5))  # rivals that fill a ball of five dimensions
        scores[:, 0] = -0.2
        found = described(scores, np.zeros(300, int))[0][:, ROW_ESTIMATES.index("near")]
        assert np.median(found) == pytest.approx(-stats.norm.ppf(0.2**5), abs=0.1)

    def test_without_a_perfect_match_the_power_law_is_the_exponential(self, scores):
        found = described(scores, np.zeros(40, int))[0]
        near, tail = (found[:, ROW_ESTIMATES.index(name)] for name in ("near", "tail32"))
        np.testing.assert_allclose(near, tail, atol=1e-2)

    @pytest.mark.parametrize("name", ["line", "broad", "lines", "bent"])
    def test_lines_of_normal_scores(self, name):
        scores = np.random.default_rng(3).normal(size=(300, 500))
        scores[:, 0] = 4.0
        found = described(scores, np.zeros(300, int))[0][:, ROW_ESTIMATES.index(name)]
        assert found.mean() == pytest.approx(4.0, abs=0.1)

    @pytest.mark.parametrize("power", [1, 2])
    @pytest.mark.parametrize("dimension", [10, 30])
    def test_distances_of_normal_vectors_are_bent_to_normal_scores(self, power, dimension):
        square = stats.ncx2(dimension, dimension)  # of an example at a typical place to a random class
        favour = np.array([2.0, 3.0, 4.0])
        scores = -(square.rvs((600, 500), random_state=4) ** (power / 2))
        scores[:, 0] = -np.tile(square.ppf(stats.norm.sf(favour)) ** (power / 2), 200)
        found = described(scores, np.zeros(600, int))[0][:, ROW_ESTIMATES.index("bent")].reshape(200, 3)
        assert found.mean(axis=0) == pytest.approx(favour, abs=0.12)


class TestOddRows:
    @pytest.mark.parametrize(
        "scores",
        [
            np.ones((5, 10)),
            np.array([[1.0, 0.0]] * 3),
            np.random.default_rng(0).normal(size=(5, 10)) * 1e300,
            np.random.default_rng(0).normal(size=(5, 10)) * 1e-300,
            np.tile([5.0, *np.zeros(20)], (4, 1)),
        ],
        ids=["constant", "one rival", "huge", "tiny", "flat rivals"],
    )
    def test_nothing_breaks(self, scores):
        *found, margins = described(scores, np.zeros(len(scores), int))
        for each in (*found, margins.chances(np.shape(scores)[1] - 1, [1.0, 1e6])):
            assert np.all(np.isfinite(each))
