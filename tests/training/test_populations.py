from dataclasses import replace

import numpy as np
import pytest

from training.calibration import calibrate, pilot_accuracy
from training.families import FAMILIES, HELD_OUT, STRUCTURED, TRAIN
from training.geometry import UNSHARED, Composition, Joined, Spread, zipf_odds
from training.ingredients import SET_ASIDE, cloud, groups, plain_cloud
from training.matching import Match, Report
from training.sampling import LAWS, Cloud, power_axes
from training.validate import isotropic
from training.vectors import Gallery


def drawn(name, seed=0):
    rng = np.random.default_rng([seed, sorted(FAMILIES).index(name)])
    return FAMILIES[name](rng), rng


def test_lists_split_the_families():
    assert len(FAMILIES) >= 14
    assert sorted(TRAIN + HELD_OUT + STRUCTURED) == sorted(FAMILIES)
    assert abs(len(TRAIN) - len(HELD_OUT)) <= 1


@pytest.mark.parametrize("law", LAWS)
def test_clouds_have_variance_one(law):
    points = Cloud(law, power_axes(20, 0.5), 0.3 if law == "sparse" else 8.0).points(20_000, np.random.default_rng(0))
    expected = 8 / 6 if law.startswith("student") else 1.0  # t with 8 degrees of freedom
    assert np.isclose((points**2).sum(axis=1).mean(), expected, rtol=0.1)


def test_no_normal_cloud_resembles_the_test_set():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        found = cloud(rng, "normal")
        assert found.dim not in SET_ASIDE or found.axes[0] > 1.2 * found.axes[-1]


@pytest.mark.parametrize("dim", SET_ASIDE)
def test_no_group_resembles_the_test_set(dim):
    rng = np.random.default_rng(0)
    for _ in range(100):
        outer = plain_cloud(rng, dim, dim)
        inner = groups(rng, np.zeros((3, dim), np.float32), outer, sizes=np.ones(3, np.float32)).inner
        assert inner.law != "normal" or inner.axes[0] > 1.2 * inner.axes[-1]


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_scores_agree_with_the_comparisons_behind_the_truth(name):
    """The rank of the truth in the reported scores is the one that the inner products give."""
    for seed in range(3):
        population, rng = drawn(name, seed)
        population, _ = calibrate(population, 50, 0.7, 0)
        population = population.reporting(Report())
        classes = population.classes(60, rng)
        index = np.repeat(np.arange(60), 2)
        probes = population.tests(classes, index, rng)
        scores = population.score(probes, classes)
        assert np.isfinite(scores).all()
        lost = (scores > scores[np.arange(120), index][:, None]).sum(axis=1)
        above = population.core(probes, classes.entries) > probes.own[:, None]
        above[np.arange(120), index] = False
        if classes.key is not None:
            above &= (probes.key[:, None] != classes.key) | (classes.key == UNSHARED)
        # single precision may swap neighbours
        assert np.mean(lost != above.sum(axis=1)) < 0.03


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_accuracy_falls_with_noise(name):
    population, _ = drawn(name)
    quiet, loud = (pilot_accuracy(population.at_level(level), 100, 0) for level in (1e-3, 30.0))
    assert loud < max(0.2, quiet)


def test_calibration_hits_its_target():
    _, accuracy = calibrate(isotropic(5, 1.0), 200, 0.6, 0)
    assert abs(accuracy - 0.6) < 0.02


def test_equal_keys_have_identical_scores():
    population, rng = drawn("namesakes")
    classes = population.classes(4000, rng)
    key = classes.key[classes.key != UNSHARED]
    twin = np.nonzero(classes.key == np.argmax(np.bincount(key)))[0]
    scores = population.score(population.tests(classes, np.arange(20), rng), classes)
    assert len(twin) > 1
    assert (scores[:, twin] == scores[:, twin[:1]]).all()


def test_a_composition_adds_up_its_parts():
    heads, tails = np.eye(4, dtype=np.float32)[:2], np.eye(4, dtype=np.float32)[2:]
    plain = Composition(
        (heads, tails), (zipf_odds(2, 0.0), zipf_odds(2, 0.0)), Cloud("normal", np.zeros(4, np.float32))
    )
    found = {tuple(x) for x in plain.sample(200, np.random.default_rng(0)).test.tolist()}
    assert found == {(1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0), (0, 1, 0, 1)}


def test_without_a_nuisance_all_pictures_of_a_class_are_alike():
    population, rng = drawn("morphs")
    population = replace(
        population.at_level(0.0), match=Match("dot"), nuisance=replace(population.nuisance, mislabelled=0)
    )
    classes = population.classes(5, rng)
    query = population.tests(classes, np.arange(5), rng).query
    np.testing.assert_allclose(query, classes.entries[0], rtol=1e-5)


def test_without_edits_an_example_is_its_class():
    population, rng = drawn("edits")
    population = replace(population.at_level(0.0), match=Match("dot"))
    classes = population.classes(5, rng)
    np.testing.assert_allclose(population.tests(classes, np.arange(5), rng).query, classes.entries[0], rtol=1e-5)


def test_edits_leave_the_parts_that_they_should():
    population, rng = drawn("edits")
    bags = np.full((2000, 10), 7)
    changed = population._changed(bags, np.full(2000, 0.3), 1.0, rng)
    assert set(np.unique(changed)) == {0, 7}
    assert np.mean(changed == 0) == pytest.approx(0.3, abs=0.02)


def test_parts_side_by_side_keep_their_scales():
    parts = tuple(Spread(Cloud("normal", power_axes(dim, 0.0))) for dim in (3, 5))
    found = Joined(parts, (1.0, 2.0)).sample(20_000, np.random.default_rng(0)).test
    assert (found[:, :3] ** 2).sum(axis=1).mean() == pytest.approx(1, rel=0.05)
    assert (found[:, 3:] ** 2).sum(axis=1).mean() == pytest.approx(4, rel=0.05)


def test_a_blend_goes_all_the_way_to_other_classes():
    population, _ = drawn("blends")
    noise = replace(population.noise, cloud=Cloud("normal", np.zeros(population.geometry.dim, np.float32)))
    population = replace(population.at_level(1e3), noise=noise, blend=1e3, gallery=Gallery(0.0), distortion=None)
    assert pilot_accuracy(population, 100, 0) < 0.1


def test_the_textbook_case_does_not_resemble_the_test_set():
    for seed in range(300):
        axes = drawn("textbook", seed)[0].geometry.cloud.axes
        assert len(axes) not in SET_ASIDE or axes[0] > 1.2 * axes[-1]


@pytest.mark.parametrize("kind", ["euclidean", "sqeuclidean", "cosine", "dot"])
def test_scores_by_brute_force(kind):
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal((2, 7, 5)).astype(np.float32)
    match = Match(kind, double=True)
    query, row = match.queries(x)
    found = match.finish(query @ match.entries(g[None], rng)[0].T, row)
    apart = ((x[:, None].astype(float) - g) ** 2).sum(axis=2)
    inner = x.astype(float) @ g.T.astype(float)
    norms = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(g, axis=1)
    expected = {"euclidean": -np.sqrt(apart), "sqeuclidean": -apart, "cosine": inner / norms, "dot": inner}
    np.testing.assert_allclose(found, expected[kind], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", ["plain", "scaled", "exp", "power", "log", "standardised", "log-softmax", "softmax"])
def test_reports_keep_the_order(kind):
    scores = -np.random.default_rng(0).gamma(5.0, size=(10, 30))
    report = Report(kind, 1.5).fitted(scores)
    found = report.apply(scores.copy())
    assert (np.argsort(found, axis=1) == np.argsort(scores, axis=1)).all()
