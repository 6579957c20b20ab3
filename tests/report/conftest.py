"""A report of evidence whose names try to break out of it."""

import json
import re

import numpy as np
import pytest

import rankcast as rc

NASTY = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\"&amp;"


@pytest.fixture(scope="session")
def nasty() -> str:
    """A name that must stay a name."""
    return NASTY


@pytest.fixture(scope="session")
def nasty_evidence() -> rc.Evidence:
    """50 classes with four test examples each; three pairs of look-alikes with names that a diagnosis repeats."""
    rng = np.random.default_rng(5)
    label = np.repeat(np.arange(50), 4)
    scores = rng.normal(size=(200, 50))
    scores[np.arange(200), label] += 4.5
    for one, other in ((0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4)):
        scores[label == one, other] = scores[label == one, one] + 1.0
    names = np.array([f"{NASTY}{i}" for i in range(50)])
    return rc.Evidence.from_scores(scores, names[label], classes=names)


@pytest.fixture(scope="session")
def report_file(nasty_evidence, tmp_path_factory):
    """Its report, by two quick methods, with a metric and a file of that kind of name too."""
    own = rc.Metric(NASTY, (1.0, 0.5, 0.25))
    path = tmp_path_factory.mktemp("report") / "report.html"
    rc.report(
        nasty_evidence,
        path,
        [200, 5000],
        method="gaussian",
        metrics=("top1", "top5", own),
        methods=("gaussian", "mixture"),
        rng=0,
        replicates=50,
        repetitions=2,
        title=f"Title {NASTY}",
        source=f"folder/{NASTY}.npz",
    )
    return path


@pytest.fixture(scope="session")
def numbers(report_file):
    """What the page's script reads."""
    text = report_file.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1])
