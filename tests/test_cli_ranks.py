"""`rankcast ranks` and `rankcast merge`."""

import json
import sys

import numpy as np
import pytest

from rankcast import Evidence, cli, counting


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
def folder(rng, tmp_path, monkeypatch):
    """Forty classes with two exemplars each, and a probe for each class."""
    owner = np.array([f"c{i}" for i in np.arange(80) % 40])
    gallery = rng.normal(size=(80, 6)).astype(np.float32)
    probes = gallery[:40] + rng.normal(size=(40, 6)).astype(np.float32)
    for name, array in {"g": gallery, "gl": owner, "p": probes, "pl": owner[:40]}.items():
        np.save(tmp_path / f"{name}.npy", array)
    monkeypatch.chdir(tmp_path)
    return gallery, owner, probes, owner[:40]


LABELS = ("--gallery-labels", "gl.npy", "--probe-labels", "pl.npy")


def same(path, expected):
    found = Evidence.load(path)
    np.testing.assert_array_equal([found.beaten, found.tied], [expected.beaten, expected.tied])
    assert found.names[found.label].tolist() == expected.names[expected.label].tolist()


def test_evidence_that_forecast_takes(run, folder):
    code, out, err = run("ranks", "g.npy", "p.npy", *LABELS, "--similarity", "cosine", "-o", "e.npz")
    assert (code, out) == (0, "")
    assert "Evidence on 40 classes: 40 test examples" in err
    assert "rank methods only" in err
    same("e.npz", Evidence.from_embeddings(*folder, similarity="cosine"))
    code, out, _ = run("forecast", "e.npz", "--k", "100", "--json")
    assert code == 0
    assert json.loads(out)["measured"]["k"] == 40


def test_row_numbers_are_labels_if_none_are_given(run, folder):
    assert run("ranks", "g.npy", "p.npy", "-o", "e.npz", "-q") == (0, "", "")
    same("e.npz", Evidence.from_embeddings(folder[0], range(80), folder[2], range(40)))


def test_vectors_are_kept_if_asked_for(run, folder):
    run("ranks", "g.npy", "p.npy", *LABELS, "--scores", "-o", "e.npz")
    assert Evidence.load("e.npz").scores.shape == (40, 40)


def test_scales(run, folder):
    codes = (folder[0] * 20).astype(np.int8)
    np.save("codes.npy", codes)
    np.save("scales.npy", np.full(80, 0.05))
    for scale in ("0.05", "scales.npy"):
        run("ranks", "codes.npy", "p.npy", *LABELS, "--gallery-scale", scale, "-o", "e.npz")
        same("e.npz", Evidence.from_embeddings(codes * 0.05, *folder[1:]))


def test_shards_are_merged(run, folder):
    gallery, owner, *_ = folder
    for number in range(2):
        part = np.arange(80) % 40 % 2 == number
        np.save(f"g{number}.npy", gallery[part])
        np.save(f"gl{number}.npy", owner[part])
        shard = (f"g{number}.npy", "p.npy", "--gallery-labels", f"gl{number}.npy", "--probe-labels", "pl.npy")
        assert run("ranks", *shard, "--truth", "g.npy", "--truth-labels", "gl.npy", "-o", f"e{number}.npz")[0] == 0
    assert run("merge", "e0.npz", "e1.npz", "-o", "e.npz")[0] == 0
    same("e.npz", Evidence.from_embeddings(*folder))
    code, _, err = run("merge", "e0.npz", "e0.npz", "-o", "e.npz")
    assert code == 2
    assert "overlap" in err


def test_random_designs(run, folder):
    run("ranks", "g.npy", "p.npy", *LABELS, "--max-probes", 9, "--max-rivals", 7, "--seed", 3, "-o", "e.npz")
    same("e.npz", Evidence.from_embeddings(*folder, max_probes=9, max_rivals=7, rng=3))


def test_interrupted_and_continued(run, folder, monkeypatch, tmp_path):
    plain = counting._count_tile

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(counting, "_count_tile", interrupted)
    words = ("ranks", "g.npy", "p.npy", *LABELS, "--checkpoint", "state.npz", "-o", "e.npz")
    code, _, err = run(*words)
    assert (code, err) == (130, "rankcast: stopped; the same command continues from state.npz\n")
    assert (tmp_path / "state.npz").exists()
    monkeypatch.setattr(counting, "_count_tile", plain)
    assert run(*words)[0] == 0
    same("e.npz", Evidence.from_embeddings(*folder))
    assert not (tmp_path / "state.npz").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ranks", "none.npy", "p.npy", "-o", "e.npz"), "none.npy: no such file"),
        (("ranks", "g.npy", "p.npy", "-o", "no/e.npz"), "the folder no does not exist"),
        (("ranks", "g.npy", "p.npy", "-o", "e.csv"), "evidence is written to an .npz file"),
        (("ranks", "g.npy", "p.npy", "-o", "e.npz", "--memory", "lots"), "memory must be a size"),
        (("ranks", "g.npy", "p.npy", "-o", "e.npz", "--weighting", "x"), "weighting must be"),
        (("ranks", "g.npy", "p.npy", "-o", "e.npz", "--truth", "g.npy"), "--truth needs --truth-labels"),
        (("ranks", "gl.npy", "p.npy", "-o", "e.npz"), "gallery must be numbers"),
        (("merge", "e.npz", "-o", "f.npz"), "two or more"),
    ],
)
def test_bad_input_is_one_line(run, folder, words, message):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
