import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from rankcast import Evidence
from rankcast.pretrained.neighbours import Rows, cells, exceeding, kept, pooled_share
from rankcast.pretrained.rows import ROW_ESTIMATES, describe_rows


@given(st.integers(1, 2000), st.integers(0, 10))
def test_cells_are_of_one_size(rows: int, seed: int):
    cell = cells(np.random.default_rng(seed).standard_normal((2, rows)))
    count = np.bincount(cell)
    assert count.max() - count.min() <= 1
    assert len(count) == 1 or count.min() >= 35
    assert len(count) in (1, 2, 4, 8, 16)


def test_cells_halve_the_first_feature_and_then_the_second():
    first, second = np.random.default_rng(0).standard_normal((2, 200))
    cell = cells(np.stack([first, second]))
    assert np.array_equal(cell % 2 == 1, first >= np.median(first))
    for half in (0, 1):
        mine = cell % 2 == half
        assert np.array_equal(cell[mine] >= 2, second[mine] >= np.median(second[mine]))


@given(st.integers(0, 100))
def test_share_within_a_cell_is_counted(seed: int):
    rng = np.random.default_rng(seed)
    values = -np.sort(-rng.standard_normal((60, 50)), axis=1)
    at = rng.uniform(-2, 1, 60)
    cell = np.arange(60) % 2
    found = pooled_share(values, 50, np.arange(60), at, cell)
    counted = [np.log((values[cell == cell[i]] > at[i]).mean()) for i in range(60)]
    assert found == pytest.approx(counted)


def test_share_is_unknown_below_what_was_kept():
    values = -np.sort(-np.random.default_rng(0).standard_normal((60, 50)), axis=1)[:, :10]
    found = pooled_share(values, 50, np.arange(60), np.repeat([-1.0, 2.0], 30), np.zeros(60, int))
    assert np.isnan(found[:30]).all()
    assert np.isfinite(found[30:]).all()


def test_end_of_a_cell_goes_on_like_the_whole():
    """A tail that is the same in all cells is read as far as all of them reach, whatever its scale in a cell."""
    rng = np.random.default_rng(1)
    scale = np.repeat([1.0, 3.0], 100)
    values = -np.sort(-np.abs(rng.standard_normal((200, 100))), axis=1) * scale[:, None]
    at = 3.3 * scale
    found = pooled_share(values, 100, np.arange(200), at, np.repeat([0, 1], 100))
    assert found == pytest.approx(np.log(2 * norm.sf(3.3)), abs=0.5)


@given(st.integers(2, 3000))
def test_what_is_kept_reaches_beyond_the_threshold(rivals: int):
    assert 1 <= exceeding(rivals) <= kept(rivals) <= rivals


def test_nothing_but_flat_rows():
    pooling = Rows.blank(3, 4)
    truth, outranked = np.array([-1.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.125])
    pooling.add(slice(0, 3), np.zeros((3, 4)), truth, outranked, np.zeros((2, 3)))
    for found in pooling.estimates():
        assert np.isfinite(found).all()


def estimates(scores: np.ndarray, label: np.ndarray) -> dict[str, np.ndarray]:
    found = describe_rows(Evidence.from_scores(scores, label).scores, label)[0]
    return dict(zip(ROW_ESTIMATES, found.T, strict=True))


def test_rows_of_two_kinds_are_told_apart():
    """Half of the rows have normal rivals, half exponential ones elsewhere: each kind has the tail of its own."""
    rng = np.random.default_rng(2)
    n = 400
    normal = rng.standard_normal((n // 2, n))
    steep = 10 + rng.exponential(size=(n // 2, n))
    scores, label = np.concatenate([normal, steep]), np.arange(n)
    scores[label, label] = np.repeat([3.0, 10 - np.log(norm.sf(3.0))], n // 2)
    found = estimates(scores, label)["local"]
    assert found.reshape(2, -1).mean(axis=1) == pytest.approx([3.0, 3.0], abs=0.1)


@pytest.mark.parametrize("name", ["local", "upper"])
def test_units_do_not_matter(name: str):
    rng = np.random.default_rng(3)
    scores, label = rng.standard_normal((150, 150)) + 3 * np.eye(150), np.arange(150)
    before, after = estimates(scores, label)[name], estimates(7 - 5 * (1 - scores), label)[name]
    assert after == pytest.approx(before, abs=1e-3)
