"""How sure the network is."""

import numpy as np
import pytest
from scipy import stats

from rankcast import Evidence
from rankcast.favourability import Favourability
from rankcast.metrics import TOP1, get_metric
from rankcast.pretrained.describe import describe
from rankcast.pretrained.uncertainty import circumstances, growth, least_shifts, shifted, uncertainty


class TestShifted:
    def test_against_the_definition(self):
        fit = Favourability(np.linspace(0, 4, 30), np.full(30, 1 / 30))
        shifts = np.array([[-0.5, 0.2], [0.0, 0.0], [0.7, -0.3]])
        found = shifted(fit, shifts, np.array([100, 10_000]), TOP1)
        for row, shift in zip(found, shifts, strict=True):
            for j, k in enumerate((100, 10_000)):
                assert row[j] == pytest.approx(Favourability(fit.z + shift[j], fit.weight).value(k), abs=1e-3)

    def test_any_metric(self):
        fit = Favourability(np.array([2.0]), np.array([1.0]))
        five = shifted(fit, np.array([[0.0], [0.1]]), np.array([100]), get_metric("top5"))
        assert five[0, 0] == pytest.approx(fit.value(100, "top5"), abs=1e-6)
        assert five[1, 0] > five[0, 0]


class TestLeastShifts:
    def test_accuracy_cannot_fall_faster_than_jensen_allows(self):
        evidence = Evidence.from_ranks(np.ones(1000), 1000)
        fit = Favourability(np.linspace(4, 5, 50), np.full(50, 0.02))
        k = np.array([2000, 50_000])
        least = least_shifts(fit, evidence, k)
        surely = stats.beta.ppf(0.005, 1000, 1)
        for shift, each in zip(least, k, strict=True):
            moved = Favourability(fit.z + shift, fit.weight)
            assert moved.value(each) == pytest.approx(surely ** ((each - 1) / 999), abs=0.02)

    def test_no_bound_where_little_was_right(self):
        evidence = Evidence.from_ranks([1, 50, 60, 70], 100)
        assert least_shifts(Favourability([1.0], [1.0]), evidence, np.array([1000]))[0] < -3


class TestCircumstances:
    @staticmethod
    def spread(users):
        """Of the shift at ten times the classes, if every other of so many users is right among 100."""
        evidence = Evidence.from_ranks(np.tile([1, 10], users // 2), 100)
        seen = describe(evidence, np.random.default_rng(0))
        about = circumstances(evidence, seen, Favourability([2.3], [1.0], 0.5), np.array([1000]))
        return uncertainty("ranks").spread(about)[0]

    def test_fewer_examples_leave_more_to_luck(self):
        assert self.spread(20) > 1.5 * self.spread(100)

    def test_no_surer_than_errors_were_seen(self):
        assert self.spread(10_000) > 0.7 * self.spread(100)


def test_errors_grow_beyond_where_they_were_seen():
    assert growth(np.array([2.0, 1000.0, 1e6])) == pytest.approx([1, 1, 2])


class TestLaw:
    def test_paths_are_alike_for_neighbours(self):
        law = uncertainty("scores")
        paths = law.paths(np.array([2.0, 2.1, 900.0]), 20_000, np.random.default_rng(0))
        assert paths.std(axis=0) == pytest.approx(1.0, abs=0.03)
        near, far = np.corrcoef(paths.T)[0, 1:]
        assert near > 0.95
        assert far < near

    def test_shifts_grow_with_their_level(self):
        law = uncertainty("scores")
        about = np.tile(law.layers["mean"], (3, 1))
        levels = np.repeat(np.linspace(-2.5, 2.5, 21)[:, None], 3, axis=1)
        assert np.all(np.diff(law.shifts(about, levels), axis=0) >= 0)

    def test_the_middle_is_near_zero(self):
        law = uncertainty("scores")
        about = law.layers["mean"][None, :]
        assert abs(law.shifts(about, np.zeros((1, 1)))[0, 0]) < law.spread(about)[0]
