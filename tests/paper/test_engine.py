"""The engine: measures what is missing, continues after an interruption, and gathers what is finished."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from rankcast.datasets import toy
from rankcast.datasets.populations import Sample
from rankcast.errors import InputError
from rankcast.methods.auto import Auto
from rankcast.methods.gaussian import Gaussian
from rankcast.methods.loglinear import LogLinear
from rankcast.paper import engine, study
from rankcast.paper.cells import Cells
from rankcast.paper.study import ORACLE, TRUTH, Findings, Row, Study, fingerprint

CALLS = []


@dataclass(frozen=True)
class Tiny(Study):
    """Two rows of a toy population."""

    name: ClassVar[str] = "tiny"
    title: ClassVar[str] = "A study for tests"
    stop: int | None = None

    def rows(self):
        return [Row("0.9", 20, (40, 80), 5, 2), Row("0.99", 20, (40,), 2)]

    def columns(self):
        return {"gaussian": Gaussian(), "line": LogLinear()}

    def sample(self, row, rng):
        CALLS.append(row.name)
        if self.stop is not None and len(CALLS) > self.stop:
            raise KeyboardInterrupt
        evidence = toy.simulate(row.k1, float(row.name), rng=rng)
        return Sample(evidence, lambda k: np.full(len(k), 0.5))

    def truth(self, row):
        return toy.aga(list(row.k), float(row.name))

    def findings(self, results):
        return Findings("", [])


@pytest.fixture
def cells(tmp_path):
    CALLS.clear()
    return Cells(tmp_path)


def test_blocks_cover_every_repetition_once():
    blocks = Tiny().rows()[0].blocks
    assert [list(block) for block in blocks] == [[0, 1], [2, 3], [4]]


def test_measures_everything_once(cells):
    tiny = Tiny()
    assert engine.measure(tiny, cells) == 2 + 3 + 1  # two truths, then blocks
    assert CALLS == ["0.9"] * 5 + ["0.99"] * 2
    assert engine.measure(tiny, cells) == 0
    assert len(CALLS) == 7


def test_results_are_what_the_methods_say_of_the_same_evidence(cells):
    tiny = Tiny()
    engine.measure(tiny, cells)
    results = engine.gather(tiny, cells)
    row = tiny.rows()[0]
    again = tiny.measure(row, range(3, 4), ["gaussian", ORACLE])
    assert results[row, "gaussian"].shape == (5, 2)
    np.testing.assert_array_equal(results[row, "gaussian"][3], again["gaussian"][0])
    np.testing.assert_array_equal(results[row, ORACLE], np.full((5, 2), 0.5))
    np.testing.assert_allclose(results.truth(row), toy.aga([40, 80], 0.9))
    np.testing.assert_allclose(results.errors(row, "line"), results[row, "line"] - results.truth(row))


def test_an_interrupted_run_continues(cells):
    with pytest.raises(KeyboardInterrupt):
        engine.measure(Tiny(stop=3), cells)
    done = len(list(engine.missing(Tiny(), cells)))
    CALLS.clear()
    assert engine.measure(Tiny(), cells) == done
    assert CALLS == ["0.9"] * 3 + ["0.99"] * 2  # the first block was kept
    kept = engine.gather(Tiny(), cells)
    whole = Cells(cells.folder / "whole")
    engine.measure(Tiny(), whole)
    for key, values in engine.gather(Tiny(), whole).items():
        np.testing.assert_array_equal(kept[key], values)


def test_a_damaged_cell_is_measured_again(cells):
    tiny = Tiny()
    engine.measure(tiny, cells)
    row = tiny.rows()[1]
    cells.path("line", tiny.key(row, "line", row.blocks[0])).write_text("{")
    (job,) = engine.missing(tiny, cells)
    assert (job.row, job.columns) == (row, ("line",))


def test_some_columns_only(cells):
    tiny = Tiny()
    engine.measure(tiny, cells, only=["line"])
    results = engine.gather(tiny, cells)
    assert {column for _, column in results} == {"line", TRUTH}
    assert results.errors(tiny.rows()[0], "gaussian") is None


def test_nothing_to_gather(cells):
    with pytest.raises(InputError, match="run it first"):
        engine.gather(Tiny(), cells)


def test_other_settings_of_a_method_are_other_cells():
    assert fingerprint(Gaussian()) != fingerprint(LogLinear())
    row = Tiny().rows()[0]
    key = Tiny().key(row, "gaussian", range(2))
    assert key != Tiny().key(row, "gaussian", range(2, 4))
    assert key != Tiny().key(replace(row, k=(40,)), "gaussian", range(2))


def test_new_networks_are_another_auto(monkeypatch):
    before = fingerprint(Auto())
    monkeypatch.setattr(study, "_networks", lambda: "others")
    assert fingerprint(Auto()) != before
