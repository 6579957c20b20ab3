"""How many classes and examples an interval takes."""

import json

import numpy as np
import pytest

import rankcast as rc
from rankcast.datasets import gaussian
from rankcast.errors import InputError
from rankcast.plan import _rate, _round_up

QUICK = {"repetitions": 1, "replicates": 40}


@pytest.fixture(scope="module")
def pilot():
    return gaussian.simulate(100, 0.2, rng=1)


@pytest.fixture(scope="module")
def made(pilot):
    return rc.plan(pilot, 1000, 0.05, method="gaussian", rng=0, **QUICK)


def test_narrower_takes_more(pilot, made):
    narrow = rc.plan(pilot, 1000, 0.01, method="gaussian", rng=0, **QUICK)
    assert narrow.classes[0] / made.classes[0] == pytest.approx(5 ** (1 / made.rate), rel=0.1)
    assert narrow.factor > made.factor > 1


def test_the_width_at_hand_takes_about_the_classes_at_hand(pilot, made):
    again = rc.plan(pilot, 1000, made.measured_width, method="gaussian", rng=0, **QUICK)
    assert again.classes[0] == pytest.approx(100, rel=0.5)


def test_one_example_per_class_says_nothing_of_more(made):
    assert made.examples.tolist() == [1]
    assert np.isnan(made.within)
    assert "cannot be told" in str(made)
    assert json.loads(made.to_json())["within"] is None


def ranks(rng, classes):
    """Ranks that spread widely, from 1 up, among 100 candidates."""
    return np.minimum(1 + np.floor(rng.exponential(3, size=classes) ** 1.5).astype(int), 100)


def test_copies_of_an_example_bring_nothing(rng):
    rank = np.repeat(ranks(rng, 60), 3)
    evidence = rc.Evidence.from_ranks(rank, 100, labels=np.repeat(np.arange(60), 3))
    found = rc.plan(evidence, 500, 0.05, method="gaussian", rng=0, **QUICK)
    assert found.within == pytest.approx(0, abs=1e-6)
    assert len(set(found.classes.tolist())) == 1


def test_where_classes_are_alike_examples_are_as_good(rng):
    evidence = rc.Evidence.from_ranks(ranks(rng, 400), 100, labels=np.repeat(np.arange(100), 4))
    found = rc.plan(evidence, 500, 0.05, method="gaussian", rng=0, repetitions=1, replicates=100)
    assert found.within > 0.7
    assert found.classes[0] > 2 * found.classes[-1]


@pytest.mark.filterwarnings("ignore::rankcast.errors.BelowChanceWarning")
def test_on_measured_numbers_and_other_metrics(measured):
    found = rc.plan(measured, 50, 0.05, "mrr", "gaussian", rng=0, **QUICK)
    assert found.examples.tolist() == [1, 2, 5, 10, 20]
    assert np.all(np.diff(found.classes) <= 0)
    assert 0 < found.within < 1


def test_the_rate_is_that_of_the_widths_unless_they_are_few():
    classes = np.array([400, *[200] * 4, *[100] * 4, *[50] * 4])
    rate, doubt, width = _rate(classes, 2.0 * (classes / 400.0) ** -0.9)
    assert rate == pytest.approx(0.9, abs=0.07)
    assert doubt < 0.1
    assert width == pytest.approx(2.0, rel=0.15)
    assert _rate(np.array([40]), np.array([0.3]))[:2] == pytest.approx((0.7, 0.15))


def test_numbers_are_rounded_up_to_two_digits():
    assert _round_up(np.array([7.2, 99.1, 101.0, 1_240_000.0, 1200.0])).tolist() == [8, 100, 110, 1_300_000, 1200]


def test_as_data(made):
    assert made.to_frame("pandas").shape == (1, 3)
    assert json.loads(made.to_json())["plan"]["classes"] == made.classes.tolist()
    assert "give one" in str(made)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"width": 0}, "width must be positive"),
        ({"width": float("nan")}, "width must be positive"),
        ({"k": [100, 200]}, "one number of classes"),
    ],
)
def test_bad_arguments(pilot, changes, part):
    with pytest.raises(InputError, match=part):
        rc.plan(pilot, **({"k": 1000} | changes))


def test_too_little_to_plan_from():
    with pytest.raises(InputError, match="20 classes are too few to plan from"):
        rc.plan(gaussian.simulate(20, 0.2, rng=0), 100)
    with pytest.raises(InputError, match="the interval has no width"):
        rc.plan(rc.Evidence.from_ranks([1] * 50, 50), 100, method="gaussian", rng=0, **QUICK)


def test_a_part_whose_interval_has_no_width_says_nothing():
    with_it = _rate(np.array([100, 50, 50]), np.array([0.1, 0.17, 1e-16]))
    assert with_it == _rate(np.array([100, 50]), np.array([0.1, 0.17]))
