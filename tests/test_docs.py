"""What README and docs show is true: blocks of code run, output is as printed, links lead somewhere."""

import re
import runpy
import shlex
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

import rankcast as rc
from rankcast import cli
from rankcast.datasets import gaussian, han
from rankcast.methods import REGISTRY
from rankcast.methods.base import ExampleMethod

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MADE = {DOCS / "api", DOCS / "start"}  # by Sphinx
PAGES = [ROOT / "README.md", *(page for page in sorted(DOCS.rglob("*.md")) if not MADE & set(page.parents))]
BLOCK = re.compile(r"(?P<skip><!-- not run: .*-->\n)?^```(?P<kind>python|sh|text)\n(?P<code>.*?)^```$", re.M | re.S)
CLASSES = 120
ELSEWHERE = {"demo", "paper"}  # commands that are tested elsewhere


def blocks(kind, start=""):
    """The blocks of that kind in each page that has any, to be run together."""
    found = []
    for page in PAGES:
        codes = [
            block["code"] for block in BLOCK.finditer(page.read_text()) if block["kind"] == kind and not block["skip"]
        ]
        if codes := [code for code in codes if code.startswith(start)]:
            found.append(pytest.param(codes, id=str(page.relative_to(ROOT))))
    return found


@pytest.fixture(scope="module")
def names():
    """What the pages take for granted: arrays and evidence under the names they use."""
    naive_bayes = pytest.importorskip("sklearn.naive_bayes", reason="needs the extra sklearn")
    gallery, probes = gaussian.draw(CLASSES, 0.2, rng=0)
    label = np.arange(CLASSES)
    better = gallery + 0.1 * np.random.default_rng(1).standard_normal(gallery.shape)
    scores = -np.linalg.norm(probes[:, None] - gallery[None], axis=2)
    X_train = np.concatenate([gallery, better])
    parts = np.array_split(label, 3)
    return {
        "rc": rc,
        "scores": scores,
        "labels": label,
        "gallery": gallery,
        "gallery_labels": label,
        "probes": probes,
        "probe_labels": label,
        "truth": gallery,
        "truth_names": label,
        "shards": [(gallery[part], part) for part in parts],
        "rank": 1 + (scores > np.diag(scores)[:, None]).sum(axis=1),
        "ev": rc.Evidence.from_scores(scores, label),
        "ev_a": rc.Evidence.from_scores(scores, label),
        "ev_b": rc.Evidence.from_embeddings(better, label, probes, label),
        "X_train": X_train,
        "y_train": np.tile(label, 2),
        "model": naive_bayes.GaussianNB().fit(X_train, np.tile(label, 2)),
        "X_test": probes,
        "y_test": label,
    }


@pytest.fixture
def folder(names, tmp_path, monkeypatch):
    """A folder with the files that the pages name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    h5py = pytest.importorskip("h5py", reason="needs the extra io")
    pair = {key: names[key] for key in ("scores", "labels")}
    faces = {key: names[key] for key in ("gallery", "gallery_labels", "probes", "probe_labels")}
    np.savez("scores.npz", **pair)
    np.savez("faces.npz", **faces)
    with h5py.File("gallery.h5", "w") as file:
        file["vectors"] = names["gallery"]
    for name, array in (("gallery", names["gallery"]), ("probes", names["probes"]), ("rank", names["rank"])):
        np.save(f"{name}.npy", array)
    for name in ("names", "truth"):
        np.save(f"{name}.npy", names["labels"])
    np.save("candidates.npy", np.full(CLASSES, CLASSES))
    Path("results.csv").write_text("rank,candidates\n" + "".join(f"{rank},{CLASSES}\n" for rank in names["rank"]))
    for number, (shard, own) in enumerate(names["shards"]):
        part = rc.Evidence.from_embeddings(
            shard, own, names["probes"], names["labels"], truth=names["gallery"], truth_labels=names["labels"]
        )
        part.save(f"shard{number}.npz")
    han.evidence().save("han300.npz")
    rng = np.random.default_rng(1)
    centre, label = rng.standard_normal((100, 10)), np.repeat(np.arange(100), 4)
    pilot = centre + 0.35 * rng.standard_normal(centre.shape), centre[label] + 0.35 * rng.standard_normal((400, 10))
    rc.Evidence.from_embeddings(pilot[0], np.arange(100), pilot[1], label).save("pilot.npz")
    gaussian.simulate(200, 0.12, p=10, rng=3).save("a.npz")
    gaussian.simulate(200, 0.125, p=11, rng=3).save("b.npz")
    logits = 2 * np.random.default_rng(0).standard_normal((200, 50))
    own = np.arange(200) % 50
    logits[np.arange(200), own] += 5
    np.savez("probabilities.npz", scores=np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True), labels=own)
    return tmp_path


class Quick(ExampleMethod):
    """Stands in for the default method, which is tested elsewhere: the share of rivals beaten, stretched."""

    name, needs = "auto", "ranks"
    reference = cost = fails = "none"

    def example_z(self, evidence, rng):
        return 2.5 * ndtri((evidence.beaten + 0.5) / (evidence.rivals + 1))


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setitem(REGISTRY, "auto", Quick)


def command(words, monkeypatch, capsys):
    """What a command prints."""
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    out, err = capsys.readouterr()
    assert not stopped.value.code, f"{shlex.join(words)}: {err}"
    return out


@pytest.mark.filterwarnings("ignore::rankcast.RankcastWarning")
@pytest.mark.parametrize("codes", blocks("python"))
def test_python_runs(codes, names, folder, quick):
    known = dict(names)
    for code in codes:
        exec(compile(code, "<page>", "exec"), known)


@pytest.mark.filterwarnings("ignore::rankcast.RankcastWarning")
@pytest.mark.parametrize("codes", blocks("sh"))
def test_commands_run(codes, folder, quick, monkeypatch, capsys):
    lines = "\n".join(codes).replace("\\\n", " ").splitlines()
    for line in lines:
        if line.startswith("rankcast ") and line.split()[1] not in ELSEWHERE:
            command(shlex.split(line, comments=True), monkeypatch, capsys)


@pytest.mark.filterwarnings("ignore::rankcast.RankcastWarning")
@pytest.mark.parametrize("codes", blocks("text", start="$ rankcast "))
def test_output_is_as_printed(codes, folder, monkeypatch, capsys):
    for code in codes:
        line, _, printed = code.partition("\n")
        assert command(shlex.split(line)[1:], monkeypatch, capsys).rstrip() == printed.rstrip()


def anchors(page):
    """Names that links into a page can end with."""
    slug = runpy.run_path(str(DOCS / "_ext" / "pages.py"))["slug"]
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", text, re.M)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_reference_has_every_public_name():
    listed = set(re.findall(r"^   (\w+)$", (DOCS / "api.rst").read_text(), re.M))
    assert set(rc.__all__) <= listed


def test_every_method_has_a_page_with_its_picture():
    for name in REGISTRY:
        page = DOCS / "auto.md" if name == "auto" else DOCS / "methods" / f"{name}.md"
        assert f"img/method_{name}.png" in page.read_text()


@pytest.mark.parametrize("script", sorted((DOCS / "gallery").glob("*.py")), ids=lambda script: script.stem)
def test_examples_run(script):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="needs the extra plot")
    pyplot.switch_backend("agg")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(script))
    assert pyplot.get_fignums()
    pyplot.close("all")
