"""The cumulative match characteristic: every top-n at one k."""

import json

import numpy as np
import pytest

import rankcast as rc
from rankcast.errors import FewClassesWarning, InputError
from rankcast.methods import DEFAULT


@pytest.mark.parametrize("k", [1, 2, 17, 60])
def test_exact_values_are_those_of_the_curve(measured, k):
    found = rc.cmc(measured, k)
    assert found.method is None
    assert found.n.tolist() == list(range(1, k + 1))
    np.testing.assert_allclose(found.value, [rc.curve(measured, k, f"top{n}") for n in found.n], atol=1e-13)


@pytest.mark.filterwarnings("ignore::rankcast.errors.BelowChanceWarning")
def test_ties_and_unequal_rivals():
    evidence = rc.Evidence.from_ranks([1, 3, 2, 8], [9, 20, 10, 12], tied=[2, 0, 5, 4])
    found = rc.cmc(evidence)
    np.testing.assert_allclose(found.value, [rc.curve(evidence, 9, f"top{n}") for n in range(1, 10)], atol=1e-13)


def test_beyond_the_measured_classes(measured):
    found = rc.cmc(measured, 5000, [1, 10, 100], rng=3)
    fit = rc.forecast(measured, 5000, rng=3).favourability
    assert found.method == DEFAULT
    np.testing.assert_allclose(found.value, [fit.value(5000, f"top{n}") for n in (1, 10, 100)], atol=1e-12)


def test_rises_to_one_and_prints_round_ranks(measured):
    found = rc.cmc(measured, 1000, rng=0, method="gaussian")
    assert found.n[-1] == 1000
    assert found.value[-1] == pytest.approx(1)
    assert np.all(np.diff(found.value) >= 0)
    assert [line.split()[0] for line in str(found).splitlines()[2:]] == [
        *("1", "2", "5", "10", "20", "50", "100", "200", "500", "1,000")
    ]


def test_as_data(measured):
    found = rc.cmc(measured, 5)
    assert json.loads(found.to_json())["value"] == found.value.tolist()
    assert found.to_frame("polars").columns == ["n", "value"]


@pytest.mark.parametrize("n", [61, 0, 1.5])
def test_bad_ranks(measured, n):
    with pytest.raises(InputError, match=r"from 1 to 60|at least 1|whole"):
        rc.cmc(measured, 60, n)


def test_plot(measured, tmp_path):
    ax = rc.cmc(measured, 30).plot()
    rc.cmc(measured, 3000, method="gaussian").plot(ax, tmp_path / "cmc.png")
    assert len(ax.lines[0].get_xdata()) == 30
    assert (tmp_path / "cmc.png").stat().st_size > 5000


def test_notes_of_the_forecast():
    with pytest.warns(FewClassesWarning):
        found = rc.cmc(rc.Evidence.from_ranks([1, 2, 1, 1], 10), 100, rng=0)
    assert "note: only 10 classes" in str(found)
