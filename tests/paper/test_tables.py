"""What the pages say: errors summed up, printed figures beside measured ones, tables filled as far as they go."""

import numpy as np
import pytest

from rankcast.datasets import toy
from rankcast.paper.beyond import Beyond
from rankcast.paper.markdown import shown, table
from rankcast.paper.study import ORACLE, TRUTH, Results
from rankcast.paper.summaries import Summary, largest_rmse, rmse
from rankcast.paper.table1 import PRINTED, Table1, distance
from rankcast.paper.table2 import Table2
from rankcast.paper.table3 import Table3
from rankcast.paper.toy import NUMBERS, RHO, Toy


def invented(study, columns):
    """Results in which each column is off by a known amount."""
    results = Results()
    for row in study.rows():
        truth = np.linspace(0.9, 0.5, len(row.k))
        results[row, TRUTH] = truth[None]
        for number, column in enumerate(columns):
            if column in study.columns_of(row):
                results[row, column] = np.tile(truth, (row.repetitions, 1)) + 0.01 * (number + 1)
    return results


def line(page, start):
    return next(each for each in page.splitlines() if each.startswith(start))


class TestSummaries:
    def test_of_known_errors(self):
        found = rmse(np.full(10, -0.03), np.random.default_rng(0))
        assert found == Summary(pytest.approx(0.03), pytest.approx(0, abs=1e-12))

    def test_standard_error_is_that_of_repeated_studies(self):
        rng = np.random.default_rng(1)
        studies = np.sqrt((rng.normal(size=(4000, 40)) ** 2).mean(axis=1))
        found = [rmse(rng.normal(size=40), rng).se for _ in range(30)]
        assert np.mean(found) == pytest.approx(studies.std(), rel=0.1)

    def test_the_maximum_is_nested(self):
        # the standard error is that of the maximum, which varies less than each of what it is taken over
        rng = np.random.default_rng(2)
        found = [largest_rmse(list(rng.normal(size=(20, 50))), rng) for _ in range(20)]
        values = [each.value for each in found]
        assert np.mean(values) > 1.1
        assert np.mean([each.se for each in found]) == pytest.approx(np.std(values), rel=0.5)
        assert np.std(values) < 0.08 < 1 / np.sqrt(2 * 50)

    def test_smoothing_takes_off_most_of_what_noise_adds(self):
        rng = np.random.default_rng(3)
        errors = [list(rng.normal(size=(50, 40))) for _ in range(20)]
        raw, smooth = (np.mean([largest_rmse(each, rng, smooth=n).value for each in errors]) - 1 for n in (0, 11))
        assert 0 < smooth < raw / 2

    def test_smoothing_keeps_the_height_of_a_peak(self):
        level = np.arange(50)
        errors = [np.full(3, np.sqrt(0.01 - 1e-6 * (each - 20) ** 2)) for each in level]
        assert largest_rmse(errors, np.random.default_rng(0), smooth=11).value == pytest.approx(0.1)

    def test_shown(self):
        assert shown(Summary(0.0321, 0.0014)) == "0.032 (0.001)"
        assert shown(Summary(0.0321, 0.0014), bold=True) == "**0.032** (0.001)"
        assert shown(None) == "–"

    def test_table(self):
        assert table(["a", "b"], [["1", "2"]]).splitlines() == ["| a | b |", "|---|---|", "| 1 | 2 |"]


class TestTable1:
    def test_sizes(self):
        rows = Table1().rows()
        assert len(rows) == 100
        assert min(row.repetitions for row in rows) >= 10
        assert [float(rows[i].name) for i in (0, 49, 50, 99)] == [0.01, 0.5, 0.005, 0.25]
        assert set(PRINTED) == {(row.k1, k) for row in rows for k in row.k}

    def test_page(self):
        study = Table1(quick=True)
        found = study.findings(invented(study, ["classexreg (authors)", "kde-ucv", "gaussian", ORACLE]))
        assert line(found.page, "| 500 → 1,000 | –") == (
            "| 500 → 1,000 | – | – | **0.020** (0.000) | 0.030 (0.000) | – | – | 0.040 (0.000) |"
        )
        assert "| 500 → 1,000 | 0.032 (0.001) | 0.010 (0.000) |" in found.page
        assert "0.090 (0.001) | – | – |" in found.page
        assert set(found.figures) == {"table1_rmse", "table1_bias"}

    def test_numbers_hold_every_noise_level(self):
        study = Table1(quick=True)
        numbers = study.findings(invented(study, ["auto"])).numbers
        levels = {(row["k1"], row["sigma2"]) for row in numbers}
        assert len(levels) == len(study.rows()) + 2  # and the largest of each half
        assert all(row["rmse"] == pytest.approx(0.01) for row in numbers)

    def test_distance_allows_for_the_digits_printed(self):
        assert distance(Summary(0.0329, 0.002), 0.032, 0.001) == 0
        assert distance(Summary(0.037, 0.002), 0.032, 0.0015) == pytest.approx(0.004 / 0.0025)
        assert distance(Summary(0.020, 0.002), 0.032, 0.0015) == pytest.approx(-0.011 / 0.0025)


def test_table2_page():
    study = Table2(quick=True)
    found = study.findings(invented(study, ["kde-bcv (authors)", "auto", ORACLE]))
    assert line(found.page, "| 100 | –") == "| 100 | – | – | – | – | – | 0.020 (0.000) | 0.030 (0.000) |"
    assert line(found.page, "| 100 | 0.113") == (
        "| 100 | 0.113 (0.002) | – | 0.053 (0.001) | 0.010 (0.000) | 0.010 (0.000) | 0.082 (0.001) | – | – |"
    )


def test_table3_page():
    study = Table3(quick=True)
    results = invented(study, ["auto"])
    for row in study.rows():
        results[row, TRUTH] = study.truth(row)[None]
        results[row, "auto"] = np.tile(study.truth(row), (3, 1)) + 0.02
    page = study.findings(results).page
    assert line(page, "| mean absolute").endswith("| – | – | – | – | – | 0.020 |")
    # printed under the wrong name: the printed BCV is what R calls UCV
    assert "| 0.7138 | 0.6507 | – | 0.6507 | 0.7139 | – |" in line(page, "| 20 → 100 | deepcnn")
    assert "| 100 → 400 | deepcnn | 0.9860 | 0.9837 | – | – |" in page


def test_beyond_page():
    study = Beyond(quick=True)
    found = study.findings(invented(study, ["gaussian", "auto", ORACLE]))
    head = "| Han 500 → 75,763 | 0.500 | – | – | – | **0.010** (0.000) | – | 0.020 (0.000) | – | 0.030 (0.000) |"
    assert head in found.page
    assert line(found.page, "| mean difference") == "| mean difference |  |  | – | – | – | +0.000 | – | +0.000 | – |"


class TestToy:
    def test_means_are_on_the_theoretical_curve(self):
        draws = Toy(quick=True).accuracies()
        error = draws.std(axis=1) / np.sqrt(draws.shape[1])
        assert np.all(np.abs(draws.mean(axis=1) - toy.aga(list(NUMBERS), RHO)) < 4 * error)

    def test_findings(self):
        found = Toy(quick=True).findings()
        assert set(found.figures) == {"toy_instance", "toy_accuracy", "toy_favourability", "toy_correlations"}
        assert "| 2 | 0.69" in found.page
        known = {(row["rho"], row["k"]): row["theory"] for row in found.numbers if row["what"] == "AGA"}
        assert known[0.3, 2] == pytest.approx(0.5 + np.arctan(0.3 / np.sqrt(2 * (1 - 0.09))) / np.pi)
        values = [row["value"] for row in found.numbers if row["what"] == "D" and row["u"] == 0.5]
        assert np.all(np.diff(values) < 0)  # a stronger correlation, a smaller D
