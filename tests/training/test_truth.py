from pathlib import Path

import numpy as np
import pytest

from rankcast import Evidence, curve
from training.truth import Tally, chance, meet, stages
from training.validate import isotropic, isotropic_check, pairs_check


def test_chance_is_the_exact_curve():
    rng = np.random.default_rng(0)
    lost, tied = rng.integers(0, 10, 50), rng.integers(0, 4, 50)
    k = np.array([1, 2, 3, 10, 40])
    evidence = Evidence.from_ranks(lost + 1, candidates=40, tied=tied)
    values = chance(lost[:, None], tied[:, None], 39, k)
    np.testing.assert_allclose(values.mean(axis=0), curve(evidence, k), atol=1e-9)


def test_chance_of_an_even_tie_is_a_half():
    assert np.isclose(chance(np.array(0), np.array(1), 1, np.array([2]))[0], 0.5)


@pytest.mark.parametrize(("k1", "total"), [(20, 23_000), (5000, 115_000), (300, 1000)])
def test_stages_end_at_the_total(k1, total):
    ends = stages(k1, total)
    assert ends[-1] == total
    assert (np.diff(ends) > 0).all()


def test_sitting_out_changes_nothing(monkeypatch):
    """Examples without hope contribute next to nothing at the k that are read after they left."""
    population = isotropic(4, 0.05)
    k = np.array([100, 1000, 5000])
    found = []
    for limit in (80, 10**9):
        monkeypatch.setattr(f"{meet.__module__}.HOPELESS", limit)
        rng = np.random.default_rng(0)
        classes = population.classes(300, rng)
        probes = population.tests(classes, np.arange(300), rng)
        found.append(meet(population, probes, stages(100, 6000), rng).accuracy(k)[0])
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)


def test_accuracy_beyond_the_rivals_is_missing():
    tally = Tally(np.array([99]), np.zeros((1, 16, 5), int), np.zeros((1, 16, 5), int), np.zeros((1, 5), bool))
    accuracy, _ = tally.accuracy(np.array([100, 101]))
    assert accuracy[0] == 1.0
    assert np.isnan(accuracy[1])


def test_pairs_against_the_closed_form():
    mean, error, exact = pairs_check(np.array([100, 1000, 3000]), 2000)
    assert (np.abs(mean - exact) < 4 * error).all()


def test_isotropic_against_the_closed_form():
    path = Path(__file__).resolve().parents[2] / ".." / "shared" / "fixtures" / "truth_gauss_p10.csv"
    if not path.exists():
        pytest.skip(f"no fixture at {path}")
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    rows = table[(table[:, 0] == 0.2) & (table[:, 1] <= 2000)]
    mean, error = isotropic_check(10, 0.2, rows[:, 1].astype(int), 2000)
    assert (np.abs(mean - rows[:, 2]) < 4 * error).all()
