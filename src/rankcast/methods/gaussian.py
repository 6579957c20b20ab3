"""The two-parameter family Φ⁻¹(U*) ~ N(μ, τ²), by maximum likelihood on the counts of rivals that outrank."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import ndtr

from .._typing import FloatArray, IntArray
from ..errors import InputError
from ..evidence import Evidence
from ..favourability import Favourability, moments
from ..likelihood import REACH, STEP, TINY, CountTable, even_grid, likelihood_matrix
from ..metrics import Metric
from .base import Method

_NARROW = 1.6  # a normal needs a spread of this many steps for the grid to be exact
_FINEST = 0.001


@dataclass(frozen=True, eq=False)
class GaussianFit:
    """Maximum likelihood estimate of (μ, τ).

    Attributes
    ----------
    mu, tau : float
        Mean and standard deviation of Φ⁻¹(U*).
    covariance : ndarray, 2 × 2
        Inverse of the negative Hessian in (μ, log τ), classes counting as independent. It leaves out that
        classes share their rivals: resampling the classes gives the better intervals.
    loglik : float
        Log-likelihood without the prior, times the effective number of examples.
    """

    mu: float
    tau: float
    covariance: FloatArray
    loglik: float


@dataclass(frozen=True)
class Gaussian(Method):
    """The two-parameter Gaussian family on the probit scale, by maximum likelihood.

    Each example's number of outranking rivals is Binomial(m, 1−U*) with Φ⁻¹(U*) ~ N(μ, τ²), and

        n Σ_i w_i log ∫ Binom(L_i; m_i, 1−Φ(z)) N(z; μ, τ²) dz

    is maximised, n being the effective number of examples. A weak prior keeps the estimate finite where there is
    next to nothing to estimate it from. It adds half an example of which no more is known than that some rival
    outranks it, and half a one that outranks some rival: n perfect examples among m rivals then give a 1−U* of
    about 1/(nm). And log τ ~ N(0, s²) with s = ``tau_sd``, τ = 1 being the spread of scores that carry no information.
    With a few dozen errors the prior moves the estimate by a small part of its standard error.

    Parameters
    ----------
    examples : float
        Number of examples that the prior adds.
    tau_sd : float
        Standard deviation of log τ in the prior.

    Examples
    --------
    >>> from rankcast.datasets import gaussian
    >>> fit = Gaussian().fit(gaussian.simulate(500, sigma2=0.1, rng=1), np.random.default_rng(0))
    >>> bool(abs(fit.value(10_000) - gaussian.aga(10_000, 0.1)) < 0.15)
    True
    """

    name: ClassVar[str] = "gaussian"
    needs: ClassVar[Literal["ranks", "scores"]] = "ranks"
    reference: ClassVar[str] = "binomial–probit-normal likelihood"
    cost: ClassVar[str] = "distinct counts, once: 0.05 s at 5,000 classes"
    fails: ClassVar[str] = "look-alike or mislabelled classes: Φ⁻¹(U*) is then far from normal"

    examples: float = 1.0
    tau_sd: float = 1.0

    def __post_init__(self) -> None:
        if not (self.examples > 0 and self.tau_sd > 0):
            raise InputError(
                f"examples and tau_sd must be positive, found {self.examples} and {self.tau_sd}: "
                "without a prior the estimate is infinite when the accuracy is 1"
            )

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Favourability:
        """A single normal component."""
        found = self.estimate(evidence)
        return Favourability([found.mu], [1.0], found.tau)

    def estimate(self, evidence: Evidence) -> GaussianFit:
        """The parameters with their curvature."""
        table = CountTable.of(evidence)
        model, theta = self.locate(table)
        return self._report(model, theta, table)

    def replicate(
        self,
        evidence: Evidence,
        weights: FloatArray,
        k: IntArray,
        metric: Metric,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Newton's method from the full estimate, for all replicates at once on the same likelihood matrix.

        The prior keeps the size that it has relative to the full evidence.
        """
        table = CountTable.of(evidence)
        model, theta = self.locate(table)
        thetas = model.climb(np.repeat(theta, len(weights), axis=1), model.rows(table.reweighted(weights)))
        values = []
        for mu, log_tau in thetas.T:
            values.append(moments(np.array([mu]), float(np.exp(log_tau)), np.asarray(k, float), metric)[:, 0])
        return np.stack(values)

    def locate(self, table: CountTable) -> "tuple[ProbitNormal, FloatArray]":
        """Fit on the standard grid; a narrow normal is fitted again on a finer one around it."""
        model = ProbitNormal(table, self, even_grid(), STEP)
        rows = model.rows(table.weight[:, None])
        theta = model.climb(model.search(rows), rows)
        while np.exp(theta[1, 0]) < 1.1 * model.narrowest and model.step > _FINEST:
            step = model.step / 5.0
            mu, reach = float(theta[0, 0]), 90.0 * step
            nodes = even_grid(step, max(mu - reach, -REACH), min(mu + reach, REACH))
            model = ProbitNormal(table, self, nodes, step)
            theta = model.climb(model.search(rows), rows)
        return model, theta

    def _report(self, model: "ProbitNormal", theta: FloatArray, table: CountTable) -> GaussianFit:
        rows = model.rows(table.weight[:, None])
        _, _, hessian = model.derivatives(theta, rows)
        return GaussianFit(
            mu=float(theta[0, 0]),
            tau=float(np.exp(theta[1, 0])),
            covariance=np.linalg.inv(-hessian[0]),
            loglik=float(model.loglik(theta, rows)[0]),
        )


class ProbitNormal:
    """The penalised log-likelihood on one grid, for many (μ, log τ) and many weightings at once.

    Parameters are 2 × B and weightings are rows × B. The last two rows of the matrix are the prior's.
    """

    def __init__(self, table: CountTable, prior: "Gaussian", nodes: FloatArray, step: float) -> None:
        typical = float(table.weight @ table.rivals)
        lost, rivals = np.append(table.lost, [0.0, typical]), np.append(table.rivals, [typical, typical])
        self.matrix = likelihood_matrix(lost, rivals, nodes, step)
        self.matrix[-2:] = np.maximum(1.0 - self.matrix[-2:], 0.0)
        self.nodes, self.step, self.size, self.prior = nodes, step, table.size, prior
        self.narrowest = _NARROW * step

    def rows(self, weight: FloatArray) -> FloatArray:
        """From shares of the counts to numbers of examples, those of the prior added."""
        return np.concatenate([self.size * weight, np.full((2, weight.shape[1]), self.prior.examples / 2)])

    def loglik(self, theta: FloatArray, rows: FloatArray) -> FloatArray:
        """Log-likelihood of each weighting, the prior left out."""
        likely = np.maximum(self.matrix @ self.shares(theta)[0], TINY)
        return np.asarray((rows[:-2] * np.log(likely[:-2])).sum(axis=0))

    def search(self, rows: FloatArray) -> FloatArray:
        """The best of a coarse set of parameters."""
        middle, half = (self.nodes[0] + self.nodes[-1]) / 2, (self.nodes[-1] - self.nodes[0]) / 2
        mu = middle + half * np.linspace(-0.8, 0.8, 17)
        log_tau = np.log(self.narrowest) + np.arange(0.1, np.log(half / self.narrowest), 0.5)
        tried = np.stack(np.meshgrid(mu, log_tau)).reshape(2, -1)
        value = self.derivatives(tried, np.repeat(rows, tried.shape[1], axis=1))[0]
        return tried[:, [int(np.argmax(value))]]

    def climb(self, theta: FloatArray, rows: FloatArray) -> FloatArray:
        """Newton's method with step halving, for every column until its own gain is below rounding."""
        best, trial = theta.copy(), theta.copy()
        value = np.full(theta.shape[1], -np.inf)
        move = np.zeros_like(theta)
        active = np.arange(theta.shape[1])
        for _ in range(100):
            new, slope, bend = self.derivatives(trial[:, active], rows[:, active])
            up = new >= value[active]
            good = active[up]
            best[:, good], value[good] = trial[:, good], new[up]
            step = _newton_step(slope[:, up], bend[up], best[1, good] <= np.log(self.narrowest))
            move[:, good] = step
            done = np.zeros(theta.shape[1], bool)
            done[good] = (step * slope[:, up]).sum(axis=0) < 1e-12
            done[active[~up]] = np.abs(move[:, active[~up]]).max(axis=0) < 1e-9
            move[:, active[~up]] /= 4.0
            active = active[~done[active]]
            if len(active) == 0:
                break
            trial = best + move
            trial[1] = np.maximum(trial[1], np.log(self.narrowest))
        return best

    def derivatives(self, theta: FloatArray, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Penalised log-likelihood (B), its gradient (2 × B) and its Hessian (B × 2 × 2)."""
        many = theta.shape[1]
        shares = np.concatenate(self.shares(theta), axis=1)
        likely, *slopes = np.split(self.matrix @ shares, 6, axis=1)
        likely = np.maximum(likely, TINY)
        by_mu, by_tau, by_mu2, by_both, by_tau2 = (slope / likely for slope in slopes)
        spread = self.prior.tau_sd**2
        value = (rows * np.log(likely)).sum(axis=0) - 0.5 * theta[1] ** 2 / spread
        gradient = np.stack([(rows * by_mu).sum(axis=0), (rows * by_tau).sum(axis=0) - theta[1] / spread])
        hessian = np.empty((many, 2, 2))
        hessian[:, 0, 0] = (rows * (by_mu2 - by_mu**2)).sum(axis=0)
        hessian[:, 0, 1] = hessian[:, 1, 0] = (rows * (by_both - by_mu * by_tau)).sum(axis=0)
        hessian[:, 1, 1] = (rows * (by_tau2 - by_tau**2)).sum(axis=0) - 1.0 / spread
        return value, gradient, hessian

    def shares(self, theta: FloatArray) -> list[FloatArray]:
        """Weights of the grid's normals, and their derivatives by μ, λ = log τ, μμ, μλ and λλ: each nodes × B.

        N(μ, τ²) is a mixture of N(z, h²) over z ~ N(μ, ω²), ω² = τ² − h². What lies beyond the grid is put
        on its end nodes. The derivatives are taken by log ω first.
        """
        mu, tau = theta[0], np.exp(theta[1])
        omega = np.sqrt(tau**2 - self.step**2)
        x = (self.nodes[:, None] - mu) / omega
        share = self.step * _density(x) / omega
        found = [
            share,
            share * x / omega,
            share * (x**2 - 1),
            share * (x**2 - 1) / omega**2,
            share * x * (x**2 - 3) / omega,
            share * ((x**2 - 1) ** 2 - 2 * x**2),
        ]
        for node, sign in ((0, -1.0), (-1, 1.0)):
            y = (self.nodes[node] + sign * self.step / 2 - mu) / omega
            edge = sign * _density(y)
            beyond = (edge / omega, edge * y, edge * y / omega**2, edge * (y**2 - 1) / omega, edge * y * (y**2 - 1))
            found[0][node] += ndtr(-sign * y)
            for slope, extra in zip(found[1:], beyond, strict=True):
                slope[node] += extra
        ratio = (tau / omega) ** 2  # d log ω / d log τ
        found[5] = ratio**2 * found[5] + 2 * ratio * (1 - ratio) * found[2]
        found[2], found[4] = ratio * found[2], ratio * found[4]
        return found


def _density(x: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * np.minimum(np.abs(x), 38.0) ** 2) / np.sqrt(2.0 * np.pi))


def _newton_step(slope: FloatArray, bend: FloatArray, floored: FloatArray) -> FloatArray:
    """Uphill steps (2 × B), at most 1 in μ and 0.7 in log τ; a floored τ that wants to fall stays put."""
    size, axes = np.linalg.eigh(-bend)
    size = np.maximum(np.abs(size), 1e-6 * np.abs(size).max(axis=1, keepdims=True) + 1e-300)
    along = np.einsum("bij,ib->bj", axes, slope) / size
    step = np.einsum("bij,bj->ib", axes, along)
    stuck = floored & (step[1] < 0)
    curve = np.maximum(np.abs(bend[stuck, 0, 0]), 1e-300)
    step[:, stuck] = np.stack([slope[0, stuck] / curve, np.zeros(int(stuck.sum()))])
    limit = np.maximum(np.abs(step) / np.array([[1.0], [0.7]]), 1.0).max(axis=0)
    return np.asarray(step / limit)
