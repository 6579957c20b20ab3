"""Files of the studies, and the command line."""

import csv
import json
import subprocess
import sys

import pytest

from rankcast import cli
from rankcast.errors import InputError
from rankcast.paper import engine, runner
from rankcast.paper.runner import STUDIES, run
from rankcast.paper.study import Findings


@pytest.fixture
def command(monkeypatch, capsys):
    """Run the command line in this process: (exit code, stdout, stderr)."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["rankcast", "paper", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        out, err = capsys.readouterr()
        return stopped.value.code or 0, out, err

    return call


def test_list(command):
    code, out, _ = command("list")
    assert code == 0
    assert [each.split()[0] for each in out.splitlines()] == list(STUDIES)


def test_toy_writes_a_page_numbers_and_figures(command, tmp_path):
    code, out, err = command("toy", "--quick", "--out", tmp_path)
    assert (code, out, err) == (0, f"{tmp_path / 'toy.md'}\n", "")
    numbers = json.loads((tmp_path / "toy.json").read_text())
    with (tmp_path / "toy.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(numbers)
    assert float(rows[0]["theory"]) == numbers[0]["theory"]
    page = (tmp_path / "toy.md").read_text()
    for name in ("instance", "accuracy", "favourability", "correlations"):
        assert f"(toy_{name}.png)" in page
        assert (tmp_path / f"toy_{name}.png").read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in (tmp_path / f"toy_{name}.svg").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["table9"], "unknown study 'table9': choose from toy, table1"),
        (["toy", "--methods", "magic"], "unknown column 'magic': choose from"),
        (["toy", "--fresh", "magic"], "unknown column 'magic': choose from"),
    ],
)
def test_bad_input_is_one_line(command, tmp_path, words, message):
    code, out, err = command(*words, "--out", tmp_path)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_without_data_it_says_what_to_get(command, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code, _, err = command("table2", "--quick", "--data", tmp_path, "--out", tmp_path / "out", "--jobs", "1")
    assert code == 2
    assert "lfw_dlib.npz: no such file" in err
    assert "--data or RANKCAST_DATA" in err


def test_all_does_what_it_can(tmp_path, monkeypatch):
    def findings(name, *_):
        if name == "table2":
            raise InputError("no faces")
        return Findings("# A page", [{"k": 2}])

    monkeypatch.setattr(runner, "_findings", findings)
    with pytest.raises(InputError, match=r"2 of 3 studies are in .*; left out: table2: no faces"):
        run(["toy", "table2", "table3"], tmp_path)
    assert (tmp_path / "table3.md").exists()


def test_an_interruption_is_told(command, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "measure", interrupted)
    code, out, err = command("table1", "--quick", "--out", tmp_path)
    assert (code, out) == (130, "")
    assert "the same command without --fresh continues" in err


def test_in_several_processes_and_again_from_the_cells(shared, tmp_path):
    if not (shared / "data" / "telugu" / "telugu.npz").exists():
        pytest.skip("needs the Telugu data in ../shared/data")
    words = ["paper", "table3", "--quick", "--out", tmp_path, "--data", shared / "data", "--methods", "gaussian"]
    command = [sys.executable, "-c", "from rankcast.cli import main; main()", *map(str, words)]
    done = subprocess.run([*command, "--jobs", "2"], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "table3.md").read_text()
    cells = {path: path.stat().st_mtime_ns for path in (tmp_path / "cells").rglob("*.json")}
    assert len(cells) == 10  # a truth and a block for each row
    run(["table3"], tmp_path, quick=True, data=str(shared / "data"), methods=["gaussian"])
    assert (tmp_path / "table3.md").read_text() == page
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "cells").rglob("*.json")} == cells
