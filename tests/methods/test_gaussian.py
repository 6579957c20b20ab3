"""The two-parameter family: recovery, curvature, prior, and the bootstrap."""

import warnings

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom, norm

from rankcast import Evidence
from rankcast.errors import BelowChanceWarning, InputError
from rankcast.likelihood import STEP, CountTable, even_grid
from rankcast.methods.gaussian import Gaussian, ProbitNormal
from rankcast.metrics import get_metric

TOP1 = get_metric("top1")


def draw(n, rivals, mu, tau, rng):
    lost = rng.binomial(rivals, ndtr(-rng.normal(mu, tau, n)))
    return Evidence.from_ranks(lost + 1, np.broadcast_to(np.asarray(rivals) + 1, n))


def quiet(rank, candidates, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BelowChanceWarning)
        return Evidence.from_ranks(rank, candidates, **more)


@pytest.mark.parametrize(
    ("n", "rivals", "mu", "tau"),
    [(1000, 1999, 3.0, 0.75), (1000, 50, 0.5, 1.2), (200, 100_000, 2.0, 1.0), (500, 1000, 1.0, 0.05)],
)
def test_recovers_its_parameters(n, rivals, mu, tau):
    fits = [Gaussian().estimate(draw(n, rivals, mu, tau, np.random.default_rng(seed))) for seed in range(8)]
    scaled = [np.array([fit.mu - mu, np.log(fit.tau / tau)]) / np.sqrt(np.diag(fit.covariance)) for fit in fits]
    # the mean of 8 standard normals is within 1.2 in all but 7 of 10,000 cases
    assert np.abs(np.mean(scaled, axis=0)).max() < 1.2


def test_covariance_is_the_spread_of_the_estimates():
    fits = [Gaussian().estimate(draw(200, 199, 2.0, 0.8, np.random.default_rng(seed))) for seed in range(50)]
    spread = np.std([[fit.mu, np.log(fit.tau)] for fit in fits], axis=0)
    stated = np.sqrt(np.mean([np.diag(fit.covariance) for fit in fits], axis=0))
    np.testing.assert_allclose(spread, stated, rtol=0.3)


def test_loglik_is_the_integral(rng):
    evidence = draw(30, 20, 1.0, 0.8, rng)
    fit = Gaussian().estimate(evidence)
    z = np.linspace(-8, 10, 4001)
    density = norm.pdf(z, fit.mu, fit.tau) * (z[1] - z[0])
    lost = evidence.rivals - evidence.beaten
    exact = np.log(binom.pmf(lost[:, None], 20, ndtr(-z)) @ density).sum()
    assert fit.loglik == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("theta", [(2.0, -0.3), (7.5, 0.9), (-4.0, 1.8)])
def test_derivatives(rng, theta):
    table = CountTable.of(draw(200, 60, 2.0, 1.0, rng))
    model = ProbitNormal(table, Gaussian(), even_grid(), STEP)
    rows = model.rows(table.weight[:, None])
    point, small = np.array(theta)[:, None], 1e-5
    _, slope, bend = model.derivatives(point, rows)
    for i in range(2):
        step = np.zeros((2, 1))
        step[i] = small
        up, down = (model.derivatives(point + sign * step, rows) for sign in (1, -1))
        assert slope[i, 0] == pytest.approx((up[0] - down[0])[0] / (2 * small), rel=1e-4, abs=1e-5)
        np.testing.assert_allclose(bend[0, i], (up[1] - down[1])[:, 0] / (2 * small), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_prior_hardly_matters_with_a_few_dozen_errors(seed):
    evidence = draw(500, 499, 4.2, 0.7, np.random.default_rng(seed))
    assert 20 < np.sum(evidence.beaten < evidence.rivals) < 60
    with_prior = Gaussian().estimate(evidence)
    without = Gaussian(examples=1e-9, tau_sd=1e6).estimate(evidence)
    shift = np.array([with_prior.mu - without.mu, np.log(with_prior.tau / without.tau)])
    assert np.all(np.abs(shift) < 0.2 * np.sqrt(np.diag(without.covariance)))


@pytest.mark.parametrize("n", [50, 500])
@pytest.mark.parametrize("rivals", [99, 4999])
def test_perfect_examples(n, rivals):
    fit = Gaussian().fit(Evidence.from_ranks(np.ones(n, int), rivals + 1), None)
    losing = 1 - fit.value(2)
    assert 0.02 < losing * n * rivals < 20
    assert 0.9 < fit.value(10 * rivals) < 1


def test_hopeless_examples():
    fit = Gaussian().fit(quiet(np.full(50, 100), 100), None)
    assert 0 <= fit.value(2) < 0.01


@pytest.mark.parametrize("lost", [[0], [1], [0, 1], [0] * 30 + [1], [0] * 30 + [99], [0] * 20 + [99] * 20])
def test_a_handful_of_examples_gives_a_sane_answer(lost):
    fit = Gaussian().estimate(quiet(np.array(lost) + 1, 100))
    assert np.isfinite([fit.mu, fit.tau, fit.loglik]).all()
    assert np.linalg.eigvalsh(fit.covariance).min() > 0
    assert 0.001 < fit.tau < 1000


def test_unequal_rivals():
    rng = np.random.default_rng(5)
    fit = Gaussian().estimate(draw(3000, rng.integers(5, 5000, 3000), 2.0, 0.9, rng))
    assert fit.mu == pytest.approx(2.0, abs=4 * np.sqrt(fit.covariance[0, 0]))
    assert np.log(fit.tau) == pytest.approx(np.log(0.9), abs=4 * np.sqrt(fit.covariance[1, 1]))


def test_ties_equal_their_expansion(rng):
    rank, tied = rng.integers(1, 6, 60), rng.integers(0, 3, 60)
    evidence = Evidence.from_ranks(rank, 40, tied=tied)
    expanded = Evidence.from_ranks(
        np.repeat(rank, tied + 1) + np.concatenate([np.arange(t + 1) for t in tied]),
        40,
        labels=np.repeat(np.arange(60), tied + 1),
    )
    a, b = (CountTable.of(given) for given in (evidence, expanded))
    np.testing.assert_allclose(a.weight, b.weight, atol=1e-15)
    model, theta = Gaussian().locate(a)
    again = model.climb(theta, model.rows(b.weight[:, None]))
    np.testing.assert_allclose(again, theta, atol=1e-6)


def test_classes_count_equally(rng):
    one = draw(100, 50, 1.5, 0.8, rng)
    rank = one.rivals - one.beaten + 1
    copies = rng.integers(1, 5, 100)
    many = Evidence.from_ranks(np.repeat(rank, copies), 51, labels=np.repeat(np.arange(100), copies))
    assert Gaussian().estimate(many).mu == pytest.approx(Gaussian().estimate(one).mu, abs=1e-6)


def test_replicates_are_fits_to_the_reweighted_counts(rng):
    evidence = draw(300, 299, 3.0, 0.8, rng)
    weights = rng.multinomial(300, np.full(300, 1 / 300), size=4) / 300.0
    found = Gaussian().replicate(evidence, weights, np.array([1000, 5000]), TOP1, rng)
    table = CountTable.of(evidence)
    model, _ = Gaussian().locate(table)
    for values, column in zip(found, table.reweighted(weights).T, strict=True):
        rows = model.rows(column[:, None])
        mu, log_tau = model.climb(model.search(rows), rows)[:, 0]
        z = np.linspace(mu - 9 * np.exp(log_tau), mu + 9 * np.exp(log_tau), 4001)
        density = norm.pdf(z, mu, np.exp(log_tau)) * (z[1] - z[0])
        for value, k in zip(values, (1000, 5000), strict=True):
            assert value == pytest.approx(ndtr(z) ** (k - 1) @ density, abs=1e-5)


def test_replicate_with_the_own_weights_is_the_fit(measured, rng):
    found = Gaussian().replicate(measured, measured.weight[None, :], np.array([100, 1000]), TOP1, rng)
    np.testing.assert_allclose(found[0], Gaussian().fit(measured, rng).value([100, 1000]), atol=1e-6)


@pytest.mark.parametrize("settings", [{"examples": 0}, {"tau_sd": -1.0}, {"tau_sd": float("nan")}])
def test_settings_are_checked(settings):
    with pytest.raises(InputError, match="must be positive"):
        Gaussian(**settings)
