"""The command line: what goes to stdout and stderr, and the exit codes."""

import json
import subprocess
import sys

import numpy as np
import pytest

import rankcast as rc
from rankcast import Evidence, cli, curve, forecast


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line in this process: (exit code, stdout, stderr)."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["rankcast", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        out, err = capsys.readouterr()
        return stopped.value.code or 0, out, err

    return call


@pytest.fixture
def archive(scores, tmp_path):
    path = tmp_path / "scores.npz"
    np.savez(path, scores=scores[0], labels=scores[1])
    return path


def entry_point(*words):
    return subprocess.run(
        [sys.executable, "-c", "from rankcast.cli import main; main()", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class TestEntryPoint:
    """In a process of its own."""

    def test_json_alone_on_stdout(self, archive):
        done = entry_point("forecast", archive, "--k", "100,200", "--json", "--replicates", "20")
        assert done.returncode == 0
        assert [row["k"] for row in json.loads(done.stdout)["forecast"]] == [100, 200]
        assert done.stderr == ""

    def test_bad_input_is_exit_code_2_and_one_line(self, tmp_path):
        done = entry_point("forecast", tmp_path / "none.npz", "--k", "100")
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.splitlines() == [f"rankcast: {tmp_path / 'none.npz'}: no such file"]

    def test_a_bug_is_exit_code_1(self, archive):
        code = (
            "import sys, rankcast.forecast; sys.modules['rankcast.forecast'].forecast = None; "
            "from rankcast.cli import main; main()"
        )
        words = [sys.executable, "-c", code, "forecast", str(archive), "--k", "100"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 1
        assert "Traceback" in done.stderr

    def test_the_script_is_installed(self):
        from importlib.metadata import entry_points

        (script,) = entry_points(group="console_scripts", name="rankcast")
        assert script.load() is cli.main


class TestForecast:
    def test_table_on_stdout_and_evidence_on_stderr(self, run, archive, scores):
        code, out, err = run("forecast", archive, "--k", "50,1e3", "--replicates", "20", "--seed", "3")
        expected = forecast(Evidence.from_scores(*scores), [50, 1000], rng=3, replicates=20)
        assert code == 0
        assert out.rstrip("\n") == repr(expected)
        assert err.startswith("Evidence on 25 classes: 75 test examples")

    def test_json_is_the_forecast(self, run, archive, scores):
        code, out, err = run("forecast", archive, "--k", "50", "--json", "--replicates", 20, "--level", 0.8)
        expected = forecast(Evidence.from_scores(*scores), 50, rng=0, replicates=20, level=0.8)
        assert (code, err) == (0, "")
        assert json.loads(out) == expected.to_dict()

    def test_options(self, run, archive):
        words = ("forecast", archive, "--k", "75_763", "--metric", "top3", "--method", "classexreg", "--json")
        code, out, _ = run(*words, "--replicates", 20, "--weighting", "example", "-q")
        found = json.loads(out)
        assert code == 0
        assert found["metric"] == "top3"
        assert found["forecast"][0]["k"] == 75_763

    def test_quiet_says_nothing_on_stderr(self, run, tmp_path):
        np.savez(tmp_path / "few.npz", rank=[1, 2, 1, 1], candidates=10)
        words = ("forecast", tmp_path / "few.npz", "--k", "100000", "--replicates", 20)
        code, out, err = run(*words, "--quiet")
        assert (code, err) == (0, "")
        assert "note: only 10 classes" in out

    def test_notes_stand_once_in_the_table(self, run, tmp_path):
        np.savez(tmp_path / "few.npz", rank=[1, 2, 1, 1], candidates=10)
        _, out, err = run("forecast", tmp_path / "few.npz", "--k", "100000", "--replicates", 20)
        assert out.count("note:") == 2
        assert "note:" not in err

    def test_notes_do_not_spoil_json(self, run, tmp_path):
        np.savez(tmp_path / "few.npz", rank=[1, 2, 1, 1], candidates=10)
        code, out, err = run("forecast", tmp_path / "few.npz", "--k", "100", "--json", "--replicates", 20)
        assert code == 0
        assert "only 10 classes" in json.loads(out)["warnings"][0]
        assert "rankcast: note:" in err

    def test_plot(self, run, archive, tmp_path):
        code, _, _ = run("forecast", archive, "--k", "100", "--replicates", 20, "--plot", tmp_path / "f.svg")
        assert code == 0
        assert (tmp_path / "f.svg").read_text().startswith("<?xml")

    def test_separate_files(self, run, scores, tmp_path):
        for name, array in zip(("scores", "labels"), scores, strict=True):
            np.save(tmp_path / f"{name}.npy", array)
        arrays = [f"--array={name}={tmp_path / name}.npy" for name in ("scores", "labels")]
        code, out, _ = run("forecast", *arrays, "--k", "100", "--json", "--replicates", 20)
        assert code == 0
        assert json.loads(out)["provenance"]["evidence"] == Evidence.from_scores(*scores).fingerprint

    def test_embeddings_with_a_similarity(self, run, rng, tmp_path):
        gallery, probes = rng.normal(size=(2, 30, 4))
        label = np.arange(30)
        np.savez(tmp_path / "e.npz", gallery=gallery, gallery_labels=label, probes=probes, probe_labels=label)
        _, out, _ = run(
            "forecast", tmp_path / "e.npz", "--k", 99, "--similarity", "cosine", "--json", "--replicates", 20
        )
        expected = Evidence.from_embeddings(gallery, label, probes, label, similarity="cosine")
        assert json.loads(out)["provenance"]["evidence"] == expected.fingerprint

    def test_distances(self, run, scores, tmp_path):
        np.savez(tmp_path / "d.npz", scores=-scores[0], labels=scores[1])
        words = ("forecast", tmp_path / "d.npz", "--k", 100, "--replicates", 20, "--json")
        _, out, err = run(*words, "--distances")
        assert err == ""
        assert json.loads(out)["provenance"]["evidence"] == Evidence.from_scores(*scores).fingerprint
        code, _, err = run(*words)
        assert code == 0
        assert "below chance" in err
        assert "--distances" in err

    def test_same_seed_same_output(self, run, archive):
        words = ("forecast", archive, "--k", "1000", "--json", "--replicates", 20, "--seed", 5)
        assert run(*words)[1] == run(*words)[1]


class TestCurve:
    def test_table(self, run, archive, scores):
        code, out, _ = run("curve", archive)
        lines = out.splitlines()
        assert code == 0
        assert lines[0] == "Exact top1 on random subsets of the 25 classes measured"
        assert [int(line.split()[0]) for line in lines[1:]] == [2, 5, 10, 20, 25]
        assert lines[-1].split()[1] == f"{float(curve(Evidence.from_scores(*scores), 25)):.4f}"

    def test_json(self, run, archive, scores):
        _, out, err = run("curve", archive, "--k", "2,25", "--metric", "top2", "--json")
        expected = curve(Evidence.from_scores(*scores), [2, 25], "top2").tolist()
        assert json.loads(out) == {"metric": "top2", "k": [2, 25], "value": expected}
        assert err == ""


class TestCmc:
    def test_table(self, run, archive, scores):
        code, out, err = run("cmc", archive, "--k", 20, "--n", "1,5")
        assert code == 0
        assert out.rstrip("\n") == repr(rc.cmc(Evidence.from_scores(*scores), 20, [1, 5]))
        assert err.startswith("Evidence on 25 classes")

    def test_json_and_plot(self, run, archive, scores, tmp_path):
        _, out, err = run("cmc", archive, "--k", 1e3, "--json", "--plot", tmp_path / "c.png", "--method", "gaussian")
        assert json.loads(out) == rc.cmc(Evidence.from_scores(*scores), 1000, method="gaussian").to_dict()
        assert err == ""
        assert (tmp_path / "c.png").exists()

    def test_one_number_of_classes(self, run, archive):
        one_line(run("cmc", archive, "--k", "20,30", "--quiet"), "--k: takes one number here, found 2")

    def test_bad_ranks(self, run, archive):
        one_line(run("cmc", archive, "--n", "1,x", "--quiet"), "--n: 'x' is not a number; write e.g. --n 1000")


class TestBacktest:
    def test_table(self, run, archive, scores):
        words = ("backtest", archive, "--method", "gaussian", "--repetitions", 2, "--seed", 4, "--metric", "top2", "-q")
        expected = rc.backtest(Evidence.from_scores(*scores), "top2", "gaussian", rng=4, repetitions=2)
        assert run(*words) == (0, f"{expected}\n", "")
        assert json.loads(run(*words, "--json")[1]) == expected.to_dict()

    def test_too_few_classes(self, run, tmp_path):
        np.savez(tmp_path / "few.npz", rank=[1, 2, 1, 1], candidates=10)
        one_line(run("backtest", tmp_path / "few.npz", "-q"), "10 classes are too few to back-test")


class TestCapacity:
    def test_table(self, run, archive, scores):
        words = ("capacity", archive, "--accuracy", 0.5, "--method", "gaussian", "--seed", 4, "--metric", "mrr", "-q")
        expected = rc.capacity(Evidence.from_scores(*scores), 0.5, "mrr", "gaussian", rng=4)
        assert run(*words) == (0, f"{expected}\n", "")
        assert json.loads(run(*words, "--json")[1]) == expected.to_dict()

    def test_per_cent(self, run, archive):
        one_line(run("capacity", archive, "--accuracy", 95, "-q"), "between 0 and 1, found 95")


class TestCompare:
    def test_table(self, run, archive, scores, tmp_path):
        worse = np.where(scores[0] > 1, 1, scores[0])
        np.savez(tmp_path / "b.npz", scores=worse, labels=scores[1])
        both = Evidence.from_scores(*scores), Evidence.from_scores(worse, scores[1])
        words = ("compare", archive, tmp_path / "b.npz", "--k", "25,100", "--method", "gaussian", "-q")
        for flag, paired in (((), True), (("--unpaired",), False)):
            expected = rc.compare(*both, [25, 100], method="gaussian", rng=0, paired=paired)
            assert run(*words, *flag) == (0, f"{expected}\n", "")
            assert json.loads(run(*words, *flag, "--json")[1]) == expected.to_dict()

    def test_one_file(self, run, archive):
        one_line(run("compare", archive, "--k", 100, "-q"), "compare takes two files")

    def test_not_paired(self, run, archive, tmp_path):
        np.savez(tmp_path / "b.npz", rank=np.arange(1, 21), candidates=30)
        one_line(run("compare", archive, tmp_path / "b.npz", "--k", 100, "-q"), "B has no class labels")


class TestPlan:
    def test_table(self, run, tmp_path):
        rank = np.random.default_rng(0).geometric(0.4, size=80)
        np.savez(tmp_path / "p.npz", rank=rank, candidates=60, labels=np.arange(80) // 2)
        words = ("plan", tmp_path / "p.npz", "--k", 1e3, "--width", 0.1, "--method", "gaussian", "-q")
        evidence = Evidence.from_ranks(rank, 60, labels=np.arange(80) // 2)
        expected = rc.plan(evidence, 1000, 0.1, method="gaussian", rng=0)
        assert run(*words) == (0, f"{expected}\n", "")

    def test_too_few(self, run, archive):
        one_line(run("plan", archive, "--k", 100, "-q"), "25 classes are too few to plan from")


class TestDiagnose:
    def test_table(self, run, archive, scores, tmp_path):
        np.save(tmp_path / "groups.npy", np.arange(25) % 2)
        words = ("diagnose", archive, "--k", "1e6", "--groups", tmp_path / "groups.npy", "-q")
        expected = rc.diagnose(Evidence.from_scores(*scores), 10**6, groups=np.arange(25) % 2)
        assert run(*words) == (0, f"{expected}\n", "")
        assert json.loads(run(*words, "--json")[1]) == expected.to_dict()

    def test_bad_groups(self, run, archive, tmp_path):
        np.save(tmp_path / "groups.npy", np.arange(3))
        one_line(run("diagnose", archive, "--groups", tmp_path / "groups.npy", "-q"), "(3,) for 25 classes")


class TestTables:
    @pytest.fixture
    def table(self, tmp_path):
        path = tmp_path / "ranks.csv"
        path.write_text("rank,candidates,label\n" + "".join(f"{i % 7 + 1},50,c{i % 30}\n" for i in range(90)))
        return path

    @pytest.mark.parametrize(
        "words",
        [("forecast", "--k", 99, "--replicates", 20), ("curve",), ("cmc",), ("diagnose",), ("capacity",)],
        ids=lambda words: words[0],
    )
    def test_every_command_takes_them(self, run, table, words):
        code, out, err = run(words[0], table, *words[1:])
        assert code == 0
        assert out
        assert err.startswith("Evidence on 50 classes: 90 test examples")

    def test_inspect(self, run, table):
        assert run("inspect", table) == (0, f"{rc.inspect(table)}\n", "")
        assert json.loads(run("inspect", table, "--json")[1]) == rc.inspect(table).to_dict()
        one_line(run("inspect", table.with_name("none.csv")), "no such file")

    def test_groups_of_a_table(self, run, table, tmp_path):
        groups = tmp_path / "groups.csv"
        groups.write_text("class,group\n" + "".join(f"c{i},{i % 2}\n" for i in range(30)))
        found = json.loads(run("diagnose", table, "--groups", groups, "--json")[1])
        assert "groups of classes" in found["fine"]


@pytest.mark.parametrize("words", [("backtest",), ("capacity",), ("cmc", "--k", 99), ("plan", "--k", 99)])
def test_a_bad_seed(run, tmp_path, words):
    np.savez(tmp_path / "r.npz", rank=np.arange(1, 41), candidates=60)
    one_line(run(words[0], tmp_path / "r.npz", *words[1:], "--seed", -1, "-q"), "whole number ≥ 0")


def test_a_metric_that_grows(run, archive, scores):
    _, out, _ = run("curve", archive, "--k", "25", "--metric", "mean_rank", "-q")
    assert float(out.split()[-1]) == pytest.approx(
        float(curve(Evidence.from_scores(*scores), 25, "mean_rank")), abs=1e-4
    )
    code, out, _ = run("forecast", archive, "--k", "1e6", "--metric", "mean_rank", "-q", "--replicates", 20)
    assert code == 0
    assert "Forecast of mean_rank" in out


def test_methods(run):
    code, out, _ = run("methods")
    assert code == 0
    assert "classexreg" in out
    rows = json.loads(run("methods", "--json")[1])
    assert all(set(row) == {"name", "needs", "reference", "cost", "fails"} for row in rows)


def test_version(run):
    from importlib.metadata import version

    assert run("--version") == (0, f"rankcast {version('rankcast')}\n", "")


def test_help(run):
    code, out, _ = run("--help")
    assert code == 0
    commands = "demo forecast curve cmc backtest capacity compare plan diagnose inspect methods"
    for command in commands.split():
        assert command in out


def test_demo_shows_the_truth_beside_each_forecast(run, tmp_path):
    code, out, _ = run("demo", "--plot", tmp_path / "demo.png")
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.split()[:1] in (["1,000"], ["10,000"], ["75,763"])]
    assert len(rows) == 3
    assert all(len([word for word in row if word.endswith("%")]) == 4 for row in rows)
    assert (tmp_path / "demo.png").stat().st_size > 10_000


S = np.random.default_rng(1).normal(size=(50, 25))
Y = np.arange(50) % 25
S[np.arange(50), Y] += 2


def with_nan():
    spoiled = S.copy()
    spoiled[3, 4] = np.nan
    return spoiled


BAD_FILES = {
    "nan": ({"scores": with_nan(), "labels": Y}, "found nan at row 3, column 4"),
    "infinite": ({"scores": np.where(S > 2, np.inf, S), "labels": Y}, "scores must be finite"),
    "labels out of range": ({"scores": S, "labels": Y + 1}, "column numbers 0 to 24, found 25"),
    "labels of the wrong length": ({"scores": S, "labels": Y[1:]}, "labels has 49 entries for 50 rows"),
    "labels unknown": ({"scores": S, "labels": Y + 100, "classes": np.arange(25)}, "not among the 25 classes"),
    "transposed": ({"scores": S.T, "labels": Y}, "may be transposed"),
    "one class": ({"scores": S[:, :1], "labels": Y * 0}, "at least 2 classes"),
    "all tied": ({"scores": S * 0, "labels": Y}, "all scores are tied"),
    "rank 0": ({"rank": [0, 1], "candidates": 30}, "ranks start at 1"),
    "rank above candidates": ({"rank": [1, 31], "candidates": 30}, "rank 31 among 30 candidates"),
    "candidates of the wrong length": ({"rank": [1, 2, 3], "candidates": [30, 30]}, "candidates"),
    "no layout": ({"x": [1]}, "found x; needed are scores, labels"),
    "pickled": ({"scores": np.array([{}], dtype=object), "labels": [0]}, "pickled Python objects, which are refused"),
}


def one_line(result, part):
    code, out, err = result
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("rankcast: ")
    assert part in err


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("command", ["forecast", "curve"])
def test_bad_files(run, tmp_path, name, command):
    arrays, part = BAD_FILES[name]
    np.savez(tmp_path / "bad.npz", **arrays)
    result = run(command, tmp_path / "bad.npz", "--k", "2")
    one_line(result, part)
    assert "bad.npz" in result[2]


@pytest.mark.parametrize(
    ("data", "part"),
    [(b"", "damaged or cut short"), (b"hello", "not a numpy file"), (None, "no such file")],
    ids=["empty", "text", "missing"],
)
def test_broken_files(run, tmp_path, data, part):
    if data is not None:
        (tmp_path / "bad.npz").write_bytes(data)
    one_line(run("forecast", tmp_path / "bad.npz", "--k", "100"), part)


def test_truncated_file(run, archive):
    archive.write_bytes(archive.read_bytes()[:-300])
    one_line(run("forecast", archive, "--k", "100"), "damaged or cut short")


def test_a_single_array(run, tmp_path):
    np.save(tmp_path / "scores.npy", S)
    one_line(run("forecast", tmp_path / "scores.npy", "--k", "100"), "single array")


BAD_OPTIONS = {
    "k zero": (["--k", "0"], "k must be at least 1"),
    "k negative": (["--k=-3"], "k must be at least 1"),
    "k fraction": (["--k", "2.5"], "'2.5' is not a whole number"),
    "k text": (["--k", "many"], "'many' is not a number; write e.g. --k 1000,100000"),
    "k empty": (["--k", "100,,200"], "'' is not a number"),
    "k absurd": (["--k", "1e12"], "beyond 10⁹"),
    "k more absurd": (["--k", "1e30"], "beyond 10⁹"),
    "k infinite": (["--k", "inf"], "whole number"),
    "level": (["--k", "100", "--level", "90"], "level must lie between 0 and 1"),
    "method": (["--k", "100", "--method", "magic"], "unknown method 'magic'"),
    "metric": (["--k", "100", "--metric", "auc"], "unknown metric 'auc'"),
    "replicates": (["--k", "100", "--replicates", "2"], "at least 20 replicates"),
    "seed": (["--k", "100", "--seed", "-1"], "whole number ≥ 0"),
    "weighting": (["--k", "100", "--weighting", "pair"], "weighting must be"),
    "array": (["--k", "100", "--array", "labels"], "should be NAME=FILE.npy"),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_bad_options(run, archive, name):
    words, part = BAD_OPTIONS[name]
    one_line(run("forecast", archive, "--quiet", *words), part)


def test_a_plot_that_cannot_be_written(run, archive, tmp_path):
    words = ("forecast", archive, "--k", "100", "--replicates", 20, "--quiet", "--plot")
    code, _, err = run(*words, tmp_path / "none" / "f.png")
    assert (code, len(err.splitlines())) == (2, 1)
    code, _, err = run(*words, tmp_path / "f.xyz")
    assert (code, len(err.splitlines())) == (2, 1)


def test_no_data(run):
    one_line(run("forecast", "--k", "100"), "no data: give an .npz file")


def test_curve_beyond_the_measured_classes(run, archive):
    one_line(run("curve", archive, "--k", "26", "--quiet"), "ends at the 25 classes measured")


def test_a_method_that_needs_scores(run, tmp_path):
    from rankcast.methods import REGISTRY

    needy = [name for name, method in REGISTRY.items() if method.needs == "scores"]
    if not needy:
        pytest.skip("no method needs scores")
    np.savez(tmp_path / "r.npz", rank=np.arange(1, 21), candidates=30)
    one_line(run("forecast", tmp_path / "r.npz", "--k", "100", "--quiet", "--method", needy[0]), "needs scores")


def test_interrupted(run, archive, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rankcast.readers.read_evidence", interrupt)
    code, out, err = run("forecast", archive, "--k", "100")
    assert code not in (0, 2)
    assert out == ""
    assert "Traceback" not in err


class TestReport:
    QUICK = ("--method", "gaussian", "--methods", "gaussian", "--metrics", "mrr", "--repetitions", "1")

    def test_tells_the_answer_and_where_the_page_is(self, run, archive, tmp_path):
        code, out, _ = run("report", archive, "-o", tmp_path / "r.html", "--k", "500", "--title", "T & T", *self.QUICK)
        assert code == 0
        answer, place = out.splitlines()
        assert answer.startswith("On 500 classes, expect top-1 accuracy of ")
        assert place.startswith(f"{tmp_path / 'r.html'}: ")
        page = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert "<h1>T &amp; T</h1>" in page
        assert str(archive) in page  # where the evidence came from

    def test_json(self, run, archive, tmp_path):
        code, out, _ = run("report", archive, "-o", tmp_path / "r.html", "--json", *self.QUICK)
        assert code == 0
        assert json.loads(out)["bytes"] == (tmp_path / "r.html").stat().st_size

    def test_an_unknown_method_leaves_no_file(self, run, archive, tmp_path):
        code, _, err = run("report", archive, "-o", tmp_path / "r.html", "--methods", "guess")
        assert code == 2
        assert "unknown method 'guess'" in err
        assert not (tmp_path / "r.html").exists()
