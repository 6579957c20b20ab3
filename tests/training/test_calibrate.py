"""How far forecasts are off, learnt from errors whose law is known."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="the spread is learnt in torch")

from rankcast.favourability import Favourability
from rankcast.pretrained.uncertainty import Uncertainty
from training import calibrate
from training.calibrate import ends, fit_law, fit_spread, needed, oracle_error, wider
from training.features import RATIOS


@pytest.fixture(scope="module")
def errors():
    """Shifts of standard deviation 0.2 whatever the circumstances, of 600 tasks."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(600):
        k = int(rng.integers(30, 3000)) * RATIOS
        about = np.column_stack(
            [np.log(RATIOS), rng.normal(size=(len(RATIOS), 6)), np.tile([np.log(k[0]), 1], (10, 1))]
        )
        found.append({"about": about, "shift": rng.normal(0, 0.2, 10), "noise": np.full(10, 1e-3), "k": k})
    return found


def test_the_spread_is_found(errors):
    spread = fit_spread(errors, steps=400)
    values = np.concatenate([spread.spread(each["about"]) for each in errors])
    assert np.median(values) == pytest.approx(0.2, rel=0.15)  # the law that is fitted has slightly longer tails


def test_normal_errors_have_a_normal_law():
    rng = np.random.default_rng(0)
    law = fit_law(rng.normal(size=(4000, len(RATIOS))), rng.integers(30, 3000, 4000))
    assert law["scale"] == pytest.approx(1, abs=0.1)
    assert np.interp([0.05, 0.5, 0.95], law["level"], law["quantile"]) == pytest.approx([-1.645, 0, 1.645], abs=0.06)


def test_the_width_that_is_needed(errors):
    rng = np.random.default_rng(0)
    law = fit_law(rng.normal(size=(4000, len(RATIOS))), rng.integers(30, 3000, 4000))
    made = Uncertainty(dict(fit_spread(errors, steps=50).layers) | law)
    each = errors[0] | {"fit": Favourability(np.linspace(3, 6, 60), np.full(60, 1 / 60))}
    each["forecast"] = each["fit"].value(each["k"])
    task = {"truth": ends(made, each)[1], "error": np.zeros(len(RATIOS))}
    assert needed(made, each, task) == pytest.approx(1)
    assert np.all(needed(wider(made, 1.5), each, task) < 1)


def test_the_oracle_errs_by_the_luck_of_the_draw():
    k = 50 * RATIOS  # U* is uniform: AGA is 1/k
    task = {"truth": 1 / k, "label": np.arange(50)}
    expected = np.sqrt((1 / (2 * k - 1) - 1 / k**2) / 50)
    assert oracle_error(task)[:-1] == pytest.approx(expected[:-1], rel=0.05)
    assert np.isnan(oracle_error(task)[-1])


def test_a_table_for_each_group_that_there_are_tasks_of(monkeypatch):
    monkeypatch.setattr(calibrate, "table", lambda tasks, found: {"sum": np.full(5, float(sum(found)))})
    tasks = [{"k1": k1, "family": "words"} for k1 in (20, 99, 500)]
    text = "\n".join(calibrate.lines(tasks, [1, 2, 4], calibrate.BY_SIZE | calibrate.ORIGINS | calibrate.ALL))
    assert "k₁ from 20 to 99: 2 tasks" in text
    assert "k₁ from 100 to 499" not in text
    assert "simulated families" not in text
    assert [line.split(" | ")[1] for line in text.splitlines() if "sum" in line] == ["3.000", "4.000", "7.000", "7.000"]
