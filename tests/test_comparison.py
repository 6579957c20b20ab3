import json

import numpy as np
import pytest

import rankcast as rc
from rankcast.comparison import compare_methods, methods
from rankcast.datasets import gaussian
from rankcast.errors import MissingExtraError
from rankcast.methods import REGISTRY, Method


@pytest.fixture
def quick(monkeypatch):
    """Leave out the method that takes seconds."""
    monkeypatch.delitem(REGISTRY, "cleanex", raising=False)


def test_every_method_is_listed():
    table = methods()
    assert [row.name for row in table] == list(REGISTRY)
    assert all(row.needs in ("ranks", "scores") and row.reference and row.cost and row.fails for row in table)
    assert len(str(table).splitlines()) == len(REGISTRY) + 1
    assert table.to_dicts()[0]["name"] == next(iter(REGISTRY))


def test_the_public_name():
    assert rc.methods is methods
    assert rc.compare_methods is compare_methods


def test_side_by_side(quick):
    result = compare_methods(gaussian.simulate(60, 0.2, rng=0), [120, 600], rng=0)
    assert list(result.estimate) == list(REGISTRY)
    values = np.stack(list(result.estimate.values()))
    np.testing.assert_allclose(result.disagreement, values.max(axis=0) - values.min(axis=0))
    assert "disagreement" in str(result)
    assert json.loads(json.dumps(result.to_dict()))["k"] == [120, 600]


def test_a_method_gives_what_it_gives_alone(quick, monkeypatch):
    evidence = gaussian.simulate(60, 0.2, rng=0)
    together = compare_methods(evidence, 600, rng=0).estimate["classexreg"]
    for name in set(REGISTRY) - {"classexreg"}:
        monkeypatch.delitem(REGISTRY, name)
    assert compare_methods(evidence, 600, rng=0).estimate["classexreg"] == together


def test_ranks_only_says_what_was_left_out(quick):
    result = compare_methods(rc.Evidence.from_ranks([1, 1, 2, 1, 7] * 10, 50), 500, rng=0)
    assert "kde-bcv" in result.skipped
    assert "needs scores" in str(result)
    assert "gaussian" in result.estimate


def test_a_missing_extra_is_left_out(quick, monkeypatch):
    class Absent(Method):
        name, needs = "absent", "ranks"
        reference = cost = fails = "-"

        def fit(self, evidence, rng):
            raise MissingExtraError("nothing", "none")

    monkeypatch.setitem(REGISTRY, "absent", Absent)
    result = compare_methods(gaussian.simulate(30, 0.2, rng=0), 60, rng=0)
    assert "pip install" in result.skipped["absent"]
