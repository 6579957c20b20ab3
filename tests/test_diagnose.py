"""Each check fires where it must and not where it must not, and clean evidence raises few false alarms."""

import json
import re
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import rankcast as rc
from rankcast import Evidence, errors
from rankcast.datasets import gaussian
from rankcast.diagnose import CHECKS
from rankcast.errors import InputError, RankcastWarning

LABEL = np.arange(200) % 50
NAMES = np.array([f"c{i}" for i in range(50)])


def noise(seed=0, rows=200, columns=50):
    return np.random.default_rng(seed).normal(size=(rows, columns))


def good_scores(seed=0, lead=2.5):
    """50 classes with 4 examples each, about two thirds right, one twelfth of them within reach of any one rival."""
    scores = noise(seed)
    scores[np.arange(200), LABEL] += lead
    return scores


def good(seed=0, **options):
    return Evidence.from_scores(good_scores(seed), LABEL, **options)


def turned():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankcastWarning)
        return Evidence.from_scores(-good_scores(), LABEL)


def few_examples_at_all():
    return Evidence.from_scores(good_scores()[:40], LABEL[:40])


def unequal_classes():
    label = np.repeat(np.arange(50), np.r_[np.ones(49, int), 951])
    scores = noise(rows=1000)
    scores[np.arange(1000), label] += 2.5
    return Evidence.from_scores(scores, label)


def probabilities(logits):
    part = np.exp(logits)
    return part / part.sum(axis=1, keepdims=True)


def searched_lists():
    """The truth is among the first 20 of a search in half of the examples, and was appended to them in the others."""
    rng = np.random.default_rng(0)
    return Evidence.from_ranks(np.where(rng.random(300) < 0.5, rng.geometric(0.3, 300).clip(1, 20), 21), candidates=21)


def poor_but_honest():
    """Some examples mean nothing to the system: their places are even."""
    rng = np.random.default_rng(0)
    return Evidence.from_ranks(np.where(rng.random(300) < 0.5, rng.geometric(0.3, 300), rng.integers(1, 22, 300)), 100)


def with_twins():
    """Each class was collected together with a look-alike."""
    rng = np.random.default_rng(0)
    centre = np.repeat(rng.normal(size=(60, 8)), 2, axis=0) + 0.2 * rng.normal(size=(120, 8))
    return Evidence.from_embeddings(centre, np.arange(120), centre + 0.1 * rng.normal(size=(120, 8)), np.arange(120))


def on_a_line():
    """The random sample with the most mutual neighbours."""
    centre = np.random.default_rng(0).normal(size=(300, 1))
    return Evidence.from_embeddings(centre, np.arange(300), centre + 1e-9, np.arange(300))


def heavy_class():
    label = np.r_[LABEL[:100], np.full(100, 7)]
    scores = noise()
    scores[np.arange(200), label] += 2.5
    return Evidence.from_scores(scores, label, weighting="example")


def attractive_class():
    scores = good_scores()
    scores[:, 13] += 2.0
    return Evidence.from_scores(scores, NAMES[LABEL], classes=NAMES)


def look_alike_pairs():
    scores = good_scores(lead=6.0)
    for a, b in ((0, 1), (2, 3), (4, 5)):
        for one, other in ((a, b), (b, a)):
            scores[one == LABEL, other] = scores[one == LABEL, one] + 1.0
    return Evidence.from_scores(scores, NAMES[LABEL], classes=NAMES)


def one_pair_among_other_errors():
    label = np.r_[LABEL, np.repeat([0, 1], 20)]
    scores = noise(rows=240)
    scores[np.arange(240), label] += 4.0
    scores[np.ix_(label < 2, [0, 1])] = 5.0 + np.eye(2)[1 - label[label < 2]]
    return Evidence.from_scores(scores, label, weighting="example")


def by_class(lead):
    scores = noise()
    scores[np.arange(200), LABEL] += lead[LABEL]
    return Evidence.from_scores(scores, NAMES[LABEL], classes=NAMES)


def two_kinds():
    """Examples that nothing beats, and examples that anything does: far from any normal."""
    rng = np.random.default_rng(0)
    return Evidence.from_ranks(np.where(rng.random(2000) < 0.6, 1, rng.integers(1, 101, 2000)), candidates=100)


EVEN = np.where(np.arange(50) % 2, "odd", "even")
CASES = {
    "direction": ([turned()], [good()], {}),
    "few classes": (
        [Evidence.from_ranks(np.arange(100) % 10 + 1, 10)],
        [Evidence.from_ranks(np.arange(100) % 10 + 1, 20)],
        {},
    ),
    "few examples": ([few_examples_at_all(), unequal_classes()], [good()], {}),
    "few errors": (
        [Evidence.from_ranks(np.ones(100, int), 50), Evidence.from_ranks(np.r_[2, np.ones(99, int)], 50)],
        [good()],
        {},
    ),
    "softmax": (
        [
            Evidence.from_scores(probabilities(good_scores()), LABEL),
            Evidence.from_scores(100 * probabilities(good_scores()).astype(np.float32), LABEL),
            Evidence.from_scores(np.log(probabilities(good_scores())), LABEL),
            Evidence.from_scores(-np.log(probabilities(good_scores())), LABEL, higher_is_better=False),
        ],
        [
            good(),
            Evidence.from_scores(np.exp(good_scores()), LABEL),
            Evidence.from_scores(good_scores() - 9, LABEL),
            Evidence.from_scores(9 - good_scores(), LABEL, higher_is_better=False),
        ],
        {},
    ),
    "hard negatives": ([searched_lists(), with_twins()], [poor_but_honest(), on_a_line(), turned(), good()], {}),
    "ties": (
        [Evidence.from_scores(good_scores().round(), LABEL), Evidence.from_scores(good_scores().clip(max=2), LABEL)],
        [Evidence.from_scores(good_scores().round(3), LABEL)],
        {},
    ),
    "dominance": ([heavy_class(), attractive_class()], [good(), good(weighting="example")], {}),
    "look-alikes": ([look_alike_pairs(), one_pair_among_other_errors()], [good()], {}),
    "order of classes": ([by_class(np.linspace(1, 4, 50))], [by_class(np.tile([1.5, 3.5], 25))], {}),
    "groups of classes": ([by_class(np.tile([1.5, 3.5], 25))], [by_class(np.full(50, 2.5))], {"groups": EVEN}),
    "methods agree": ([two_kinds()], [gaussian.simulate(300, 0.3, rng=0)], {"k": 3000}),
    "distance": ([good()], [Evidence.from_ranks([1] * 50 + [2] * 50, 101)], {"k": 10_000}),
}


def test_every_check_has_its_cases():
    assert list(CASES) == list(CHECKS)


@pytest.mark.parametrize("name", CASES)
def test_it_fires(name):
    firing, _, options = CASES[name]
    for evidence in firing:
        finding = rc.diagnose(evidence, **options).findings[name]
        assert finding.found
        assert finding.means
        assert finding.do


@pytest.mark.parametrize("name", CASES)
def test_it_keeps_quiet(name):
    _, quiet, options = CASES[name]
    for evidence in quiet:
        result = rc.diagnose(evidence, **options)
        assert name not in result.findings
        if not (name == "softmax" and evidence.scores is None):
            assert name in result.fine


def test_false_alarms_on_clean_evidence():
    """Classes of an isotropic Gaussian population: what is found there is chance. (Few errors would be true.)"""
    alarms = Counter()
    for seed in range(25):
        result = rc.diagnose(gaussian.simulate(150, 0.3, rng=seed), 1500, groups=EVEN[np.arange(150) % 50], rng=seed)
        alarms.update(list(result.findings))
    assert sum(alarms.values()) <= 2
    assert max(alarms.values(), default=0) <= 1


def test_the_pairs_and_the_hub_are_named():
    pairs = rc.diagnose(look_alike_pairs()).findings["look-alikes"].found
    assert all(pair in pairs for pair in ("c0 and c1", "c2 and c3", "c4 and c5"))
    assert "Class c13 " in rc.diagnose(attractive_class()).findings["dominance"].found


def test_ties_tell_both_extremes():
    evidence = Evidence.from_ranks([1] * 50 + [2] * 50, 30, tied=[1] * 50 + [0] * 50)
    assert "0.0000 if every tie is lost and 0.5000 if every tie is won" in rc.diagnose(evidence).findings["ties"].found


def test_groups_by_name():
    groups = dict(zip(NAMES.tolist(), EVEN, strict=True))
    result = rc.diagnose(by_class(np.tile([1.5, 3.5], 25)), groups=groups)
    assert re.search(r"in odd, 0\.\d\d in even", result.findings["groups of classes"].found)


def test_ranks_alone_say_what_was_not_checked():
    result = rc.diagnose(poor_but_honest())
    assert set(result.not_checked) == {"softmax", "look-alikes", "groups of classes", "distance"}
    assert "ranks only" in result.not_checked["softmax"]


def test_as_warnings():
    with pytest.warns(errors.SoftmaxWarning, match=r"sum to one.*docs/diagnose\.md#softmax") as caught:
        rc.diagnose(CASES["softmax"][0][0]).warn()
    assert caught[0].filename == __file__


def test_every_warning_has_its_section():
    text = Path(__file__).parents[1].joinpath("docs", "diagnose.md").read_text()
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, RankcastWarning)}
    for kind in kinds - {RankcastWarning}:
        assert re.search(rf'<a id="{kind.section}"></a>\n## .*`{kind.__name__}`', text)


def test_as_data():
    result = rc.diagnose(attractive_class(), 10**6)
    found = json.loads(result.to_json())
    assert [row["check"] for row in found["findings"]] == list(result.findings)
    assert result.to_frame("pandas")["warning"].tolist() == [row["warning"] for row in found["findings"]]
    assert all(line in str(result) for line in ("dominance (DominanceWarning, docs/diagnose.md#dominance)", "fine: "))
    assert rc.diagnose(good(), groups=EVEN, k=50).to_frame("pandas").empty


def test_same_seed_same_answer():
    evidence = by_class(np.linspace(1, 4, 50))
    assert rc.diagnose(evidence, rng=3).to_dict() == rc.diagnose(evidence, rng=3).to_dict()


def test_bad_arguments():
    with pytest.raises(InputError, match="takes an Evidence"):
        rc.diagnose([[1.0, 2.0]])
    with pytest.raises(InputError, match=r"groups has shape \(3,\) for 50 classes"):
        rc.diagnose(good(), groups=[1, 2, 3])
    with pytest.raises(InputError, match=r"groups lacks 49 of the 50 classes, e\.g\. 1"):
        rc.diagnose(good(), groups={0: "a"})
    with pytest.raises(InputError, match="one group for each example"):
        rc.diagnose(poor_but_honest(), groups={0: "a"})
