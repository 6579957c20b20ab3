"""Cells: stored whole, found again, and never mistaken for others."""

import json

import pytest

from rankcast.paper.cells import Cells

KEY = {"study": "table1", "row": "0.1", "k1": 500, "k": [1000, 2000]}


@pytest.fixture
def cells(tmp_path):
    return Cells(tmp_path)


def test_a_stored_cell_is_found_again(cells):
    assert cells.get("auto", KEY) is None
    cells.put("auto", KEY, {"values": [[0.25, 0.125]]})
    assert cells.get("auto", KEY) == {"values": [[0.25, 0.125]]}


@pytest.mark.parametrize("change", [{"row": "0.2"}, {"k1": 501}, {"k": [1000]}, {"study": "table2"}])
def test_other_settings_are_other_cells(cells, change):
    cells.put("auto", KEY, {"values": []})
    assert cells.get("auto", KEY | change) is None


def test_another_column_is_another_cell(cells):
    cells.put("auto", KEY, {"values": []})
    assert cells.get("oracle", KEY) is None


@pytest.mark.parametrize("content", ["", '{"key": {}, "values"', "[1, 2]", '{"values": {}}', "\x00\x01"])
def test_a_damaged_file_counts_as_none(cells, content):
    cells.put("auto", KEY, {"values": []})
    cells.path("auto", KEY).write_text(content)
    assert cells.get("auto", KEY) is None


def test_a_file_that_answers_another_question_counts_as_none(cells):
    cells.put("auto", KEY, {"values": []})
    cells.path("auto", KEY).write_text(json.dumps({"key": KEY | {"k1": 7}, "values": {}}))
    assert cells.get("auto", KEY) is None


def test_one_column_is_forgotten_in_every_study(cells):
    for study in ("table1", "table2"):
        for column in ("auto", "kde-bcv (authors)"):
            cells.put(column, KEY | {"study": study}, {"values": []})
    assert cells.forget("kde-bcv (authors)") == 2
    assert cells.get("kde-bcv (authors)", KEY) is None
    assert cells.get("auto", KEY) is not None


def test_nothing_but_whole_files(cells, tmp_path):
    cells.put("auto", KEY, {"values": []})
    with pytest.raises(TypeError):
        cells.put("auto", KEY | {"k1": 3}, {"values": object()})
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1
