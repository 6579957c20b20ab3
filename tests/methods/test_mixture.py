"""The smooth binomial mixture: recovery, limits, derivatives, and the bootstrap."""

import warnings

import numpy as np
import pytest
from scipy.special import ndtr

from rankcast import Evidence, Favourability
from rankcast.datasets import gaussian, toy
from rankcast.errors import BelowChanceWarning, InputError
from rankcast.likelihood import CountTable
from rankcast.methods.gaussian import Gaussian
from rankcast.methods.mixture import LogDensity, Mixture
from rankcast.metrics import get_metric

TOP1 = get_metric("top1")
LAPSES = Favourability([3.6, 0.0], [0.85, 0.15], [0.7, 1.0])


def draw(population, n, rivals, rng):
    lost = rng.binomial(rivals, -np.expm1(population.sample(n, rng, log=True)))
    return Evidence.from_ranks(lost + 1, np.broadcast_to(np.asarray(rivals) + 1, n))


def quiet(rank, candidates):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BelowChanceWarning)
        return Evidence.from_ranks(rank, candidates)


def model_of(evidence, amplitude):
    table = CountTable.of(evidence)
    normal, theta = Gaussian().locate(table)
    return LogDensity(normal, theta, amplitude), normal.rows(table.weight[:, None])


def test_recovers_the_toy_model():
    u = np.linspace(0, 1, 201)
    exact = toy.cdf(u, 0.9)
    far = [np.abs(Mixture().fit(toy.simulate(1000, 0.9, rng=s), None).cdf(u) - exact).max() for s in range(6)]
    # 1000 exact U* would be within 0.027 on average (Kolmogorov)
    assert np.mean(far) < 0.03


def test_extrapolates_where_the_normal_family_is_wrong():
    k = [5000, 10_000]
    evidences = [draw(LAPSES, 500, 499, np.random.default_rng(seed)) for seed in range(6)]
    error = {
        method.name: np.mean([(method.fit(ev, None).value(k) - LAPSES.value(k)) ** 2 for ev in evidences])
        for method in (Mixture(), Gaussian())
    }
    assert error["mixture"] < 0.25 * error["gaussian"]


def test_costs_little_where_the_normal_family_is_right():
    k = [1000, 10_000]
    evidences = [gaussian.simulate(500, 0.2, rng=seed) for seed in range(6)]
    truth = gaussian.aga(k, 0.2)
    rmse = [
        np.sqrt(np.mean([(method.fit(ev, None).value(k) - truth) ** 2 for ev in evidences]))
        for method in (Mixture(), Gaussian())
    ]
    assert rmse[0] < rmse[1] + 0.01


def test_infinite_smoothing_is_the_normal():
    evidence = gaussian.simulate(200, 0.2, rng=0)
    k = [2, 200, 2000]
    expected = Gaussian().fit(evidence, None).value(k)
    np.testing.assert_allclose(Mixture(smooth=np.inf).fit(evidence, None).value(k), expected, atol=1e-5)


def test_no_smoothing_fits_the_counts_best():
    evidence = draw(LAPSES, 300, 299, np.random.default_rng(1))
    table = CountTable.of(evidence)
    normal, _ = Gaussian().locate(table)
    fit = [
        table.weight @ np.log(normal.matrix[:-2] @ Mixture(smooth).estimate(evidence).weight)
        for smooth in (0, 0.25, 1.0, np.inf)
    ]
    assert fit == sorted(fit, reverse=True)


def test_smoothing_is_chosen_by_the_data():
    plain = Mixture().estimate(gaussian.simulate(500, 0.3, rng=2))
    odd = Mixture().estimate(draw(LAPSES, 500, 499, np.random.default_rng(2)))
    assert plain.probability[0] > 0.05
    assert odd.probability[0] < 1e-3


def test_it_is_a_distribution():
    found = Mixture().estimate(draw(LAPSES, 100, 99, np.random.default_rng(3)))
    assert found.weight.min() >= 0
    assert found.weight.sum() == pytest.approx(1.0)
    assert found.probability.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("amplitude", [0.0, 1.0, 4.0])
def test_derivatives(amplitude, rng):
    model, rows = model_of(draw(LAPSES, 150, 60, rng), amplitude)
    par = 0.3 * rng.normal(size=(2 + model.basis.shape[1], 1))
    slope, bend = model.gradient(par, rows)[:, 0], model.bends(par, rows)[0]
    for i in range(min(len(par), 6)):
        step = np.zeros_like(par)
        step[i] = 1e-5
        change = (model.value(par + step, rows) - model.value(par - step, rows))[0]
        assert slope[i] == pytest.approx(change / 2e-5, rel=1e-4, abs=1e-4)
        turn = (model.gradient(par + step, rows) - model.gradient(par - step, rows))[:, 0]
        np.testing.assert_allclose(-bend[i], turn / 2e-5, rtol=1e-4, atol=1e-3)


def test_the_mode_has_no_slope():
    model, rows = model_of(draw(LAPSES, 300, 299, np.random.default_rng(4)), 2.0)
    mode = model.climb(np.zeros((2 + model.basis.shape[1], 1)), rows)
    assert np.abs(model.gradient(mode, rows)).max() < 1e-2


def test_unequal_rivals():
    rng = np.random.default_rng(6)
    rivals = rng.integers(50, 2000, 1500)
    fit = Mixture().fit(draw(LAPSES, 1500, rivals, rng), rng)
    np.testing.assert_allclose(fit.value([2, 100, 2000]), LAPSES.value([2, 100, 2000]), atol=0.04)


def test_sampled_negatives_recover_the_full_catalogue():
    """Metrics on 100 sampled negatives mislead; the mixture does not."""
    population = Favourability([2.0], [1.0], 0.9)
    fit = Mixture().fit(draw(population, 4000, 100, np.random.default_rng(7)), None)
    assert fit.value(1000) == pytest.approx(float(population.value(1000)), abs=0.03)


def test_classes_count_equally(rng):
    one = draw(LAPSES, 80, 50, rng)
    copies = rng.integers(1, 5, 80)
    rank = one.rivals - one.beaten + 1
    many = Evidence.from_ranks(np.repeat(rank, copies), 51, labels=np.repeat(np.arange(80), copies))
    np.testing.assert_allclose(Mixture().fit(many, rng).value([51]), Mixture().fit(one, rng).value([51]), atol=1e-6)


@pytest.mark.parametrize("smooth", [None, 0, 1.0])
@pytest.mark.parametrize("lost", [[0], [1], [99], [0] * 50, [99] * 50, [0] * 30 + [1], [0] * 20 + [99] * 20])
def test_degenerate_counts_give_a_sane_answer(lost, smooth):
    fit = Mixture(smooth).fit(quiet(np.array(lost) + 1, 100), None)
    values = fit.value([2, 100, 10_000, 10**9])
    assert fit.proper
    assert np.all((values >= 0) & (values <= 1 + 1e-12))
    assert np.all(np.diff(values) <= 1e-12)


def test_narrow_distribution():
    lost = np.random.default_rng(8).binomial(5000, ndtr(-1.0), 200)
    fit = Mixture().fit(Evidence.from_ranks(lost + 1, 5001), None)
    assert fit.value(2) == pytest.approx(ndtr(1.0), abs=1e-3)
    assert fit.probit_cdf(1.05) - fit.probit_cdf(0.95) > 0.95


@pytest.mark.parametrize("smooth", [0, 0.5, None])
def test_replicate_with_the_own_weights_is_the_fit(smooth, measured, rng):
    method = Mixture(smooth)
    found = method.replicate(measured, measured.weight[None, :], np.array([100, 1000]), TOP1, rng)
    np.testing.assert_allclose(found[0], method.fit(measured, rng).value([100, 1000]), atol=1e-4)


def test_replicates_are_the_modes_of_the_reweighted_counts(rng):
    evidence = draw(LAPSES, 300, 299, rng)
    weights = rng.multinomial(300, np.full(300, 1 / 300), size=3) / 300.0
    table = CountTable.of(evidence)
    normal, theta = Gaussian().locate(table)
    model = LogDensity(normal, theta, 2.0)
    found = Mixture(smooth=0.5).replicate(evidence, weights, np.array([5000]), TOP1, rng)
    for value, column in zip(found[:, 0], table.reweighted(weights).T, strict=True):
        mode = model.climb(np.zeros((2 + model.basis.shape[1], 1)), normal.rows(column[:, None]))
        alone = Favourability(normal.nodes, model.shares(mode)[:, 0], normal.step)
        assert value == pytest.approx(float(alone.value(5000)), abs=1e-4)


@pytest.mark.parametrize("smooth", [-1.0, 1e-9, float("nan")])
def test_settings_are_checked(smooth):
    with pytest.raises(InputError, match="smooth must be None, 0"):
        Mixture(smooth)
