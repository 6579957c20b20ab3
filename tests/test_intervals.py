"""The bootstrap over classes."""

import numpy as np
import pytest

from rankcast import Evidence, curve, intervals
from rankcast.intervals import bootstrap, bootstrap_weights
from rankcast.methods.classexreg import ClassExReg
from rankcast.metrics import TOP1


def test_weights_sum_to_one_and_move_whole_classes(measured, rng):
    weights = bootstrap_weights(measured, 50, rng)
    assert weights.shape == (50, len(measured))
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    for own in range(60):
        mine = weights[:, measured.label == own]
        np.testing.assert_allclose(mine, mine[:, :1] * np.ones(mine.shape[1]))


def test_copies_of_a_class_are_binomial(measured, rng):
    copies = bootstrap_weights(measured, 4000, rng)[:, 0] * 60 * 2
    np.testing.assert_allclose(copies, np.rint(copies), atol=1e-9)
    assert copies.mean() == pytest.approx(1, abs=4 / np.sqrt(4000))
    assert copies.var() == pytest.approx(1 - 1 / 60, abs=0.1)


def test_classes_without_examples_are_not_drawn(rng):
    evidence = Evidence.from_scores(rng.normal(size=(6, 30)), [0, 0, 1, 1, 2, 2])
    assert np.isfinite(bootstrap_weights(evidence, 200, rng)).all()


def test_draws_within_the_measured_classes_are_exact_curves(measured):
    k = np.array([2, 30, 60])
    draws = bootstrap(measured, ClassExReg(widths=(0.5,)), k, TOP1, 25, np.random.default_rng(3))
    streams = np.random.default_rng(3).spawn(2)[0].spawn(2)
    weights = [bootstrap_weights(measured, number, stream) for number, stream in zip((20, 5), streams, strict=True)]
    expected = [curve(measured.reweight(row), k) for row in np.concatenate(weights)]
    np.testing.assert_allclose(draws, expected, atol=1e-13)


def test_chunks_change_nothing(measured, monkeypatch):
    k = np.array([10, 60])
    method = ClassExReg(widths=(0.5,))
    whole = bootstrap(measured, method, k, TOP1, 30, np.random.default_rng(3))
    monkeypatch.setattr(intervals, "_HELD", 7 * len(measured))
    np.testing.assert_allclose(bootstrap(measured, method, k, TOP1, 30, np.random.default_rng(3)), whole)


def test_chunks_change_nothing_beyond_the_measured_classes(measured, monkeypatch):
    k = np.array([600])
    whole = bootstrap(measured, ClassExReg(), k, TOP1, 30, np.random.default_rng(3))
    monkeypatch.setattr(intervals, "_HELD", 7 * len(measured))
    parted = bootstrap(measured, ClassExReg(), k, TOP1, 30, np.random.default_rng(3))
    np.testing.assert_allclose(parted.mean(), whole.mean(), atol=0.05)


def test_spread_is_that_of_the_mean_over_classes():
    hits = np.random.default_rng(2).random(400) < 0.6
    evidence = Evidence.from_ranks(np.where(hits, 1, 2), 50)
    draws = bootstrap(evidence, ClassExReg(widths=(0.5,)), np.array([50]), TOP1, 2000, np.random.default_rng(0))
    expected = np.sqrt(hits.mean() * (1 - hits.mean()) / 400)
    assert draws.std() == pytest.approx(expected, rel=0.1)
