"""ClassExReg: exact where the truth lies in its basis, constrained as asked, and stable."""

import numpy as np
import pytest

from rankcast import Evidence, curve
from rankcast.bases import RadialBasis, SplineBasis, largest_knot
from rankcast.datasets import toy
from rankcast.errors import InputError
from rankcast.methods import classexreg
from rankcast.methods.classexreg import GRID, ClassExReg
from rankcast.metrics import TOP1


@pytest.fixture
def exact(monkeypatch):
    """Feed the regression the exact accuracies of a distribution in place of a measured curve."""

    def feed(truth, k1=60):
        monkeypatch.setattr(classexreg, "curve", lambda _, k, *__: truth.value(k))
        return Evidence.from_ranks(np.arange(k1) % k1 // 2 + 1, k1)

    return feed


class TestRecovery:
    @pytest.mark.parametrize("constraint", ["nonnegative", "simplex", "free"])
    @pytest.mark.parametrize("kind", ["radial", "spline"])
    def test_accuracy_far_beyond_when_d_is_in_the_span(self, exact, kind, constraint):
        largest = largest_knot(60)
        basis = RadialBasis(0.8, largest) if kind == "radial" else SplineBasis(0.8, largest)
        columns = basis.moments(np.array([2])).shape[1]
        weight = np.zeros(columns)
        weight[[columns // 2, columns // 2 + 2, -1]] = [0.5, 0.3, 0.2]
        truth = basis.favourability(weight)
        evidence = exact(truth)
        method = ClassExReg(basis=kind, widths=(0.8,), constraint=constraint)
        fit = method.fit(evidence, np.random.default_rng(0))
        k = np.array([2, 30, 60, 120, 600])
        np.testing.assert_allclose(fit.value(k), truth.value(k), atol=2e-3 if constraint == "free" else 1e-4)

    def test_from_a_large_sample(self):
        # 20,000 examples of a U* in the span of the basis, with ranks drawn among 99 rivals
        basis = RadialBasis(0.7, largest_knot(100))
        weight = np.zeros(len(basis.knots) + 2)
        weight[[12, 15, 17]] = [0.3, 0.4, 0.3]
        truth = basis.favourability(weight)
        rng = np.random.default_rng(3)
        beaten = rng.binomial(99, truth.sample(20_000, rng))
        evidence = Evidence.from_ranks(100 - beaten, 100)
        fit = ClassExReg(resamples=5).fit(evidence, rng)
        np.testing.assert_allclose(fit.value([200, 500]), truth.value([200, 500]), atol=0.02)

    @pytest.mark.parametrize("rho", [0.9, 0.99])
    def test_toy_model_on_average(self, rho):
        found = [
            float(ClassExReg(resamples=5).fit(toy.simulate(100, rho, rng=s), np.random.default_rng(s)).value(400))
            for s in range(12)
        ]
        error = np.std(found) / np.sqrt(12)
        assert abs(np.mean(found) - float(toy.aga(400, rho))) < 3 * error + 0.02


class TestConstraints:
    @pytest.mark.parametrize("seed", range(4))
    def test_simplex_weights_sum_to_one(self, seed):
        evidence = toy.simulate(50, 0.99, rng=seed)
        method = ClassExReg(constraint="simplex", widths=(0.4,))
        weight = method._solve(0.4, evidence)
        assert weight.min() >= 0
        assert weight.sum() == pytest.approx(1, abs=1e-12)
        assert method.fit(evidence, np.random.default_rng(0)).proper

    @pytest.mark.parametrize("seed", range(8))
    def test_the_default_fit_is_a_distribution(self, seed):
        evidence = toy.simulate(60, [0.5, 0.9, 0.99, 0.999][seed % 4], rng=seed)
        fit = ClassExReg().fit(evidence, np.random.default_rng(0))
        d = fit.cdf(np.linspace(0, 1, 201))
        assert fit.proper
        assert np.all(np.diff(d) >= -1e-9)
        assert d.min() >= -1e-9

    def test_cone_is_the_best_nonnegative_fit(self, measured):
        method = ClassExReg(constraint="cone", widths=(0.5,))
        numbers = method._numbers(60, 60)
        design = method._basis(0.5, measured).moments(numbers)
        target = curve(measured, numbers)
        weight = method._solve(0.5, measured)
        slope = design.T @ (design @ weight - target)  # the conditions for a minimum over weights ≥ 0
        assert weight.min() >= 0
        assert slope.min() > -1e-8
        np.testing.assert_allclose(slope[weight > 0], 0, atol=1e-8)

    def test_free_fits_at_least_as_closely_and_stays_finite(self, measured):
        numbers = ClassExReg()._numbers(60, 60)
        target = curve(measured, numbers)
        residual = {}
        for constraint in ("free", "nonnegative", "simplex"):
            method = ClassExReg(constraint=constraint, widths=(0.2,))
            weight = method._solve(0.2, measured)
            assert np.abs(weight).max() < 1e6
            residual[constraint] = np.linalg.norm(method._basis(0.2, measured).moments(numbers) @ weight - target)
        assert residual["free"] <= residual["nonnegative"] + 1e-6
        assert residual["nonnegative"] <= residual["simplex"] + 1e-6


class TestWidth:
    def test_a_single_width_is_used_as_it_is(self, measured):
        trial = ClassExReg(widths=(0.37,))._choose(measured, np.random.default_rng(0))
        assert trial.widths == (0.37,)

    def test_the_best_of_the_grid_is_chosen(self, measured):
        trial = ClassExReg(widen=False)._choose(measured, np.random.default_rng(0))
        assert trial.widths == GRID
        assert trial.losses.shape == (20, len(GRID))
        assert trial.best == GRID[int(np.argmin(trial.losses.sum(axis=0)))]

    @pytest.mark.parametrize("widths", [(0.9, 1.0), (0.02, 0.025), (2.0, 2.5), (0.4, 0.5)])
    def test_the_grid_widens_until_the_best_is_inside_or_at_its_limit(self, measured, widths):
        trial = ClassExReg(widths=widths, resamples=5)._choose(measured, np.random.default_rng(0))
        assert set(widths) <= set(trial.widths)
        inside = trial.widths[0] < trial.best < trial.widths[-1]
        assert inside or trial.best <= 0.03 or trial.best >= 3

    def test_without_widening_the_grid_stays(self, measured):
        trial = ClassExReg(widths=(0.9, 1.0), widen=False)._choose(measured, np.random.default_rng(0))
        assert trial.widths == (0.9, 1.0)

    def test_same_seed_same_choice(self, measured):
        one, two = (ClassExReg()._choose(measured, np.random.default_rng(6)).losses for _ in range(2))
        np.testing.assert_array_equal(one, two)

    def test_ranks_alone_suffice(self, measured):
        ranks = Evidence.from_ranks(measured.rivals - measured.beaten + 1, 60, measured.label)
        fits = [ClassExReg().fit(ev, np.random.default_rng(0)).value([120, 600]) for ev in (ranks, measured)]
        np.testing.assert_allclose(*fits, atol=0.05)


class TestReplicate:
    @pytest.mark.parametrize("constraint", ["nonnegative", "simplex", "free"])
    @pytest.mark.parametrize("metric", ["top1", "top3"])
    def test_equals_the_fit_when_weights_are_the_evidences(self, measured, constraint, metric):
        from rankcast.metrics import get_metric

        method = ClassExReg(widths=(0.5,), constraint=constraint)
        k = np.array([100, 1000])
        draws = method.replicate(
            measured, np.stack([measured.weight] * 2), k, get_metric(metric), np.random.default_rng(0)
        )
        fit = method.fit(measured, np.random.default_rng(0)).value(k, metric)
        np.testing.assert_allclose(draws, [fit, fit], atol=1e-6)

    def test_other_weights_are_other_fits(self, measured, rng):
        method = ClassExReg(widths=(0.5,), knots="authors")
        weights = rng.dirichlet(np.ones(len(measured)), size=3)
        k = np.array([100, 1000])
        draws = method.replicate(measured, weights, k, TOP1, rng)
        expected = [method.fit(measured.reweight(row), rng).value(k) for row in weights]
        np.testing.assert_allclose(draws, expected, atol=1e-6)

    def test_the_width_varies_between_replicates(self, measured):
        weights = np.stack([measured.weight] * 40)
        draws = ClassExReg().replicate(measured, weights, np.array([6000]), TOP1, np.random.default_rng(0))
        assert len(np.unique(draws.round(12))) > 1


class TestSettings:
    def test_points(self):
        assert ClassExReg(points=None)._numbers(7, 7).tolist() == [1, 2, 3, 4, 5, 6, 7]
        spread = ClassExReg(points=50)._numbers(10_000, 10_000)
        assert spread[[0, -1]].tolist() == [2, 10_000]
        assert len(spread) <= 50

    def test_evenly_spread_points(self):
        # as in the authors' simulation: the numbers of the half are the first of those of the whole
        even = ClassExReg.authors(points=100)
        assert even._numbers(500, 500).tolist() == list(range(5, 501, 5))
        assert even._numbers(250, 500).tolist() == list(range(5, 251, 5))
        assert even._numbers(3, 7).tolist() == [1, 2, 3]

    def test_the_authors_settings(self):
        authors = ClassExReg.authors()
        assert (authors.widths, authors.widen, authors.atoms, authors.points) == (GRID, False, (1.0,), None)

    def test_examples_per_class_raise_the_largest_knot(self):
        one, many = toy.simulate(50, 0.9, rng=0), toy.simulate(50, 0.9, examples=8, rng=0)
        assert ClassExReg()._basis(0.5, one).largest == pytest.approx(largest_knot(50))
        assert ClassExReg()._basis(0.5, many).largest == pytest.approx(largest_knot(50, 8))
        assert ClassExReg.authors()._basis(0.5, many).largest == pytest.approx(largest_knot(50))

    @pytest.mark.parametrize(
        ("setting", "part"),
        [
            ({"basis": "fourier"}, "basis must be one of"),
            ({"knots": "many"}, "knots must be one of"),
            ({"constraint": "none"}, "constraint must be one of"),
            ({"spread": "odd"}, "spread must be one of"),
            ({"widths": ()}, "widths must be a tuple"),
            ({"widths": (0.5, 100.0)}, "widths must be a tuple"),
            ({"widths": 0.5}, "widths"),
            ({"atoms": (0.5,)}, "atoms can be 0.0 and 1.0"),
            ({"points": 1}, "points at least 2"),
            ({"resamples": 0}, "resamples must be at least 1"),
        ],
        ids=str,
    )
    def test_bad_settings(self, setting, part):
        with pytest.raises(InputError, match=part):
            ClassExReg(**setting)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore::rankcast.errors.BelowChanceWarning")
def test_odd_evidence_gives_a_sane_answer(seed):
    rng = np.random.default_rng(seed)
    n, candidates = int(rng.integers(1, 60)), int(rng.integers(2, 90))
    rank = rng.integers(1, candidates + 1, size=n)
    tied = rng.integers(0, candidates - rank + 1)
    evidence = Evidence.from_ranks(rank, candidates, rng.integers(0, 7, size=n), tied=tied)
    fit = ClassExReg(resamples=4).fit(evidence, rng)
    values = fit.value([2, 10, 10**4, 10**9])
    assert np.isfinite(values).all()
    assert np.all((values > -1e-9) & (values < 1 + 1e-9))
