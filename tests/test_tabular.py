"""Tables in files: every layout gives the evidence that the arrays would, and what is wrong is said in one line."""

import sys

import numpy as np
import pytest

import rankcast as rc
from rankcast import Evidence
from rankcast.errors import InputError, MissingExtraError
from rankcast.readers import read_evidence
from rankcast.tabular import read_columns, read_groups


@pytest.fixture(params=["csv", "tsv", "parquet"])
def write(request, tmp_path):
    """Write columns to a table of each kind."""

    def make(columns):
        path = tmp_path / f"table.{request.param}"
        if request.param == "parquet":
            pa = pytest.importorskip("pyarrow")
            import pyarrow.parquet as pq

            pq.write_table(pa.table({name: np.asarray(values).tolist() for name, values in columns.items()}), path)
            return path
        mark = "," if request.param == "csv" else "\t"
        rows = [list(columns), *zip(*[np.asarray(values).tolist() for values in columns.values()], strict=True)]
        path.write_text("".join(mark.join(map(str, row)) + "\n" for row in rows))
        return path

    return make


def long_columns(matrix, labels, names):
    row, column = np.divmod(np.random.default_rng(0).permutation(matrix.size), matrix.shape[1])
    probe = np.array([f"p{r:03d}" for r in row])
    return {"probe": probe, "candidate": names[column], "score": matrix[row, column], "label": names[labels[row]]}


NAMES = np.array([f"n{i:02d}" for i in range(25)])


@pytest.mark.parametrize("labels", [None, ["b", "a", "b"], [7, 5, 7]])
def test_ranks(write, labels):
    columns = {"rank": [1, 2, 3], "candidates": [10, 20, 30]} | ({} if labels is None else {"label": labels})
    expected = Evidence.from_ranks([1, 2, 3], [10, 20, 30], labels)
    found = read_evidence(write(columns))
    assert found.fingerprint == expected.fingerprint
    assert (found.classes is None) == (labels is None)


def test_ranks_with_ties(write):
    found = read_evidence(write({"Rank": [1, 2], "Candidates": [10, 10], "Tied": [2, 0]}))
    assert found.tied.tolist() == [2, 0]


def test_long_scores_of_all_pairs_are_a_matrix(write, scores):
    found = read_evidence(write(long_columns(*scores, NAMES)))
    assert found.fingerprint == Evidence.from_scores(*scores).fingerprint
    assert found.classes.tolist() == NAMES.tolist()


def test_long_distances_by_example(write, scores):
    columns = long_columns(-scores[0], scores[1], NAMES)
    found = read_evidence(write(columns), higher_is_better=False, weighting="example")
    assert found.fingerprint == Evidence.from_scores(*scores, weighting="example").fingerprint


@pytest.mark.parametrize("sign", [1, -1])
def test_long_scores_of_some_pairs_are_ranks(write, scores, sign):
    """As if each example had been scored against a different sample of rivals."""
    matrix, labels = scores
    keep = np.random.default_rng(1).random(matrix.shape) < 0.5
    keep[np.arange(75), labels] = True
    columns = long_columns(sign * matrix, labels, NAMES)
    row = np.array([int(name[1:]) for name in columns["probe"]])
    column = np.searchsorted(NAMES, columns["candidate"])
    found = read_evidence(write({k: v[keep[row, column]] for k, v in columns.items()}), higher_is_better=sign > 0)
    truth = matrix[np.arange(75), labels][:, None]
    assert found.scores is None
    assert found.rivals.tolist() == (keep.sum(axis=1) - 1).tolist()
    assert found.beaten.tolist() == (keep & (matrix < truth)).sum(axis=1).tolist()
    assert found.tied.tolist() == ((keep & (matrix == truth)).sum(axis=1) - 1).tolist()
    assert found.label.tolist() == labels.tolist()


def test_a_probe_is_its_own_class_without_labels(write):
    matrix = np.random.default_rng(0).normal(size=(12, 12)) + 2 * np.eye(12)
    columns = {"probe": np.repeat(np.arange(12), 12), "candidate": np.tile(np.arange(12), 12), "score": matrix.ravel()}
    assert read_evidence(write(columns)).fingerprint == Evidence.from_scores(matrix, np.arange(12)).fingerprint


@pytest.mark.parametrize("by", ["name", "number"])
def test_wide_scores(write, scores, by):
    matrix, labels = scores
    label = NAMES[labels] if by == "name" else labels
    columns = {"probe": np.arange(75), "label": label} | dict(zip(NAMES, matrix.T, strict=True))
    found = read_evidence(write(columns))
    assert found.fingerprint == Evidence.from_scores(matrix, labels).fingerprint


def test_wide_scores_with_classes_named_by_numbers(write):
    """The label 7 is the column of that name, not the eighth column."""
    matrix = np.random.default_rng(0).normal(size=(20, 10))
    columns = {"label": np.arange(20) % 10 + 7} | {str(c + 7): matrix[:, c] for c in range(10)}
    assert read_evidence(write(columns)).fingerprint == Evidence.from_scores(matrix, np.arange(20) % 10).fingerprint


def test_categories_in_parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    label = pa.array(["a", "b", "a"]).dictionary_encode()
    pq.write_table(pa.table({"rank": [1, 2, 3], "candidates": [9, 9, 9], "label": label}), tmp_path / "t.parquet")
    assert read_evidence(tmp_path / "t.parquet").classes.tolist() == ["a", "b"]


def test_a_spreadsheets_csv(tmp_path):
    """A byte-order mark, semicolons, quotes, Windows line ends, an empty last line."""
    (tmp_path / "t.csv").write_bytes('\ufeffrank;candidates;label\r\n1; 9;"a; b"\r\n2;9;007\r\n\r\n'.encode())
    columns = read_columns(tmp_path / "t.csv")
    assert columns["rank"].tolist() == [1, 2]
    assert columns["candidates"].tolist() == [9, 9]
    assert columns["label"].tolist() == ["a; b", "007"]


def test_names_such_as_007_stay_names(tmp_path):
    (tmp_path / "t.csv").write_text("rank,candidates,label\n1,9,007\n2,9,7\n")
    assert read_evidence(tmp_path / "t.csv").classes.tolist() == ["007", "7"]


BAD = {
    "unknown": ("x,y\n1,2\n", "found columns x, y; needed are columns rank, candidates"),
    "no candidates": ("rank,label\n1,2\n", "found columns rank, label; needed are"),
    "ragged": ("rank,candidates\n1,2\n1\n", "line 3 has 1 cells, the header 2"),
    "no rows": ("rank,candidates\n", "holds no rows"),
    "empty": ("", "holds no rows"),
    "same name": ("rank,rank\n1,2\n", "two columns of the name 'rank'"),
    "text for a rank": ("rank,candidates\nfirst,9\n", "rank must be numbers"),
    "missing rank": ("rank,candidates\n,9\n1,9\n", "rank must be numbers"),
    "twice": ("probe,candidate,score\na,a,1\na,a,2\n", "probe a is scored twice against candidate a"),
    "no truth": ("probe,candidate,score\na,b,1\nb,b,2\na,c,2\n", "probe a was not scored against its true class a"),
    "two labels": ("probe,candidate,score,label\na,b,1,b\na,c,2,c\n", "probe a has two labels"),
    "score missing": ("probe,candidate,score\na,a,\na,b,1\n", "score must hold finite numbers"),
    "text among scores": ("label,a,b\na,1,x\nb,1,2\n", "column b should hold scores of the class b, found text"),
    "label unknown": ("label,a,b\na,1,2\nc,1,2\n", "label 'c' is not among the 2 columns of scores, a, b"),
    "number unknown": ("label,a,b\n0,1,2\n2,1,2\n", "column numbers 0 to 1, found 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables(tmp_path, name):
    text, message = BAD[name]
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_evidence(tmp_path / "bad.csv")
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "bad.csv"))


def test_not_text(tmp_path):
    (tmp_path / "bad.csv").write_bytes(b"rank,candidates\n\xff\xfe,1\n")
    with pytest.raises(InputError, match="is not a text table in UTF-8"):
        read_evidence(tmp_path / "bad.csv")


def test_not_there(tmp_path):
    for name in ("none.csv", "none.parquet"):
        with pytest.raises(InputError, match="no such file"):
            read_evidence(tmp_path / name)


def test_damaged_parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"rank": [1, 2], "candidates": [9, None]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="column candidates lacks 1 values"):
        read_evidence(tmp_path / "t.parquet")
    data = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="is not a Parquet file, or is damaged"):
        read_evidence(tmp_path / "t.parquet")


def test_parquet_needs_its_extra(tmp_path, monkeypatch):
    (tmp_path / "t.parquet").touch()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rankcast\[io\]'"):
        read_evidence(tmp_path / "t.parquet")


def test_arrays_beside_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("rank,candidates\n1,2\n")
    with pytest.raises(InputError, match="cannot be added to a table"):
        read_evidence(tmp_path / "t.csv", {"labels": tmp_path / "a.npy"})


def test_groups(write, tmp_path):
    assert read_groups(write({"class": ["a", "b"], "group": [1, 2]})) == {"a": 1, "b": 2}
    with pytest.raises(InputError, match="needed are class, group"):
        read_groups(write({"class": ["a", "b"], "size": [1, 2]}))
    np.save(tmp_path / "g.npy", [1, 2])
    assert read_groups(tmp_path / "g.npy").tolist() == [1, 2]


class TestInspect:
    def test_a_table(self, tmp_path):
        (tmp_path / "my ranks.csv").write_text("rank,candidates\n" + "1,50\n" * 30)
        found = rc.inspect(tmp_path / "my ranks.csv")
        assert found.layout == "ranks"
        assert found.evidence.k1 == 50
        text = str(found)
        assert "a text table of 30 rows and 2 columns" in text
        assert "candidates   int64, 30, from 50 to 50" in text
        assert f"rankcast forecast '{tmp_path / 'my ranks.csv'}' --k 500" in text

    def test_an_archive_and_evidence(self, tmp_path, measured, scores):
        np.savez(tmp_path / "s.npz", scores=scores[0], labels=scores[1])
        measured.save(tmp_path / "e.npz")
        assert rc.inspect(tmp_path / "s.npz").layout == "scores"
        found = rc.inspect(tmp_path / "e.npz")
        assert found.layout == "evidence"
        assert found.evidence.fingerprint == measured.fingerprint

    def test_what_cannot_be_used_says_why(self, tmp_path, scores):
        np.savez(tmp_path / "s.npz", scores=scores[0], labels=scores[1] + 1)
        found = rc.inspect(tmp_path / "s.npz")
        assert found.evidence is None
        assert found.problem == "labels must be column numbers 0 to 24, found 25"
        assert "cannot be used as it is: labels must" in str(found)
        np.savez(tmp_path / "x.npz", x=[1.0])
        assert "an .npz needs scores, labels; or" in str(rc.inspect(tmp_path / "x.npz"))

    def test_warnings_become_notes(self, tmp_path, scores):
        np.savez(tmp_path / "d.npz", scores=-scores[0], labels=scores[1])
        assert "note: the truth beats a random rival in only" in str(rc.inspect(tmp_path / "d.npz"))

    @pytest.mark.parametrize(
        ("array", "hint"),
        [(np.eye(3), "--array scores="), (np.arange(3), "--array rank="), (np.ones((2, 2, 2)), "two dimensions")],
    )
    def test_a_single_array(self, tmp_path, array, hint):
        np.save(tmp_path / "a.npy", array)
        assert hint in str(rc.inspect(tmp_path / "a.npy"))

    def test_as_data(self, tmp_path, scores):
        np.savez(tmp_path / "s.npz", scores=scores[0], labels=scores[1])
        found = rc.inspect(tmp_path / "s.npz")
        assert found.to_dict()["evidence"]["k1"] == 25
        assert found.to_frame("pandas")["name"].tolist() == ["scores", "labels"]

    def test_many_columns_are_not_all_shown(self, tmp_path, scores):
        head = ",".join(["label", *NAMES])
        body = "\n".join(f"{label}," + ",".join(map(str, row)) for row, label in zip(*scores, strict=True))
        (tmp_path / "w.csv").write_text(f"{head}\n{body}\n")
        assert "… and 14 more" in str(rc.inspect(tmp_path / "w.csv"))
