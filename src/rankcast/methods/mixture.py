"""A smooth distribution of U* by the binomial-mixture likelihood, and the nonparametric one as its limit."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..errors import InputError
from ..evidence import Evidence
from ..favourability import Favourability, moments
from ..likelihood import TINY, CountTable, bfgs, npmle, positive_inverses
from ..metrics import Metric
from .base import Method
from .gaussian import Gaussian, ProbitNormal

AMPLITUDES = (0.0, 0.5, 1.0, 2.0, 4.0)
_PRIOR = Gaussian()
_LEAST_SMOOTH = 0.05
_LENGTH = 20.0  # in steps of the grid, i.e. 2 on the probit scale
_TERMS = 36
_NEGLIGIBLE = 1e-3  # relative probability below which a degree of smoothing is not replicated
_ARRIVED = 1e-10  # gain in log-likelihood that a Newton step still promises


@dataclass(frozen=True, eq=False)
class MixtureFit:
    """A distribution of Φ⁻¹(U*) on a grid.

    Attributes
    ----------
    z, weight : ndarray
        Centres and weights of the components.
    spread : float
        Their common standard deviation, the step of the grid.
    smooth, probability : ndarray
        The degrees of smoothing that were averaged, and their posterior probabilities.
    """

    z: FloatArray
    weight: FloatArray
    spread: float
    smooth: FloatArray
    probability: FloatArray


@dataclass(frozen=True)
class Mixture(Method):
    """Binomial-mixture likelihood with a smooth density of z = Φ⁻¹(U*) (g-modelling).

    The log-density is that of a normal plus a smooth deviation,

        log f(z) = −½ ((z−μ)/τ)² + s(z) + constant,    s ~ Gaussian process(0, a² Matérn-5/2 of length 2),

    and the posterior mode maximises n Σ_i w_i log ∫ Binom(L_i; m_i, 1−Φ(z)) f(z) dz − ½ ‖s‖²/a². Where the
    counts say nothing, above about Φ⁻¹(1−1/m), the deviation fades out and the tail is that of the normal
    which fits the whole. For a → 0 this is the method ``gaussian``, whose weak prior on μ and τ it shares.
    The fits for several a are averaged with the weights that their marginal likelihoods (Laplace) give them.

    Parameters
    ----------
    smooth : float or None
        The smoothing 1/a. None averages; inf is the normal, cut off at ±9; 0 is the nonparametric maximum likelihood
        estimate of Kiefer and Wolfowitz, which fits the counts best and extrapolates worst.
    prior : Gaussian
        The normal family with its prior.

    Examples
    --------
    >>> from rankcast.datasets import toy
    >>> fit = Mixture().fit(toy.simulate(500, rho=0.9, rng=1), np.random.default_rng(0))
    >>> u = np.linspace(0, 1, 101)
    >>> bool(np.abs(fit.cdf(u) - toy.cdf(u, 0.9)).max() < 0.06)
    True
    """

    name: ClassVar[str] = "mixture"
    needs: ClassVar[Literal["ranks", "scores"]] = "ranks"
    reference: ClassVar[str] = "Efron 2016 (g-modelling); Kiefer & Wolfowitz 1956"
    cost: ClassVar[str] = "distinct counts, once: 0.1 s at 5,000 classes"
    fails: ClassVar[str] = "few errors: the tail beyond 1−U* = 1/k₁ is then a guess"

    smooth: float | None = None
    prior: Gaussian = _PRIOR

    def __post_init__(self) -> None:
        if self.smooth is not None and self.smooth != 0 and not self.smooth >= _LEAST_SMOOTH:
            raise InputError(
                f"smooth must be None, 0 (no smoothing) or a number from {_LEAST_SMOOTH} to inf, not {self.smooth}"
            )

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Favourability:
        """Narrow normal components on the nodes of the grid."""
        found = self.estimate(evidence)
        return Favourability(found.z, found.weight, found.spread)

    def estimate(self, evidence: Evidence) -> MixtureFit:
        """The distribution on its grid, with the smoothing that was found."""
        table = CountTable.of(evidence)
        normal, theta = self.prior.locate(table)
        if self.smooth == 0:
            weight = npmle(normal.matrix[:-2], table.weight)
            return MixtureFit(normal.nodes, weight, normal.step, np.zeros(1), np.ones(1))
        models = self._models(normal, theta)
        modes, probability = _modes(models, normal.rows(table.weight[:, None]))
        shares = [model.shares(mode)[:, 0] for model, mode in zip(models, modes, strict=True)]
        smooth = np.array([np.inf if model.amplitude == 0 else 1.0 / model.amplitude for model in models])
        return MixtureFit(normal.nodes, probability @ shares, normal.step, smooth, probability)

    def replicate(
        self,
        evidence: Evidence,
        weights: FloatArray,
        k: IntArray,
        metric: Metric,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Climb from the full estimate, for all replicates at once on the same likelihood matrix.

        The probabilities of the degrees of smoothing, and the size of the prior, stay those of the full
        evidence.
        """
        table = CountTable.of(evidence)
        normal, theta = self.prior.locate(table)
        many = table.reweighted(weights)
        if self.smooth == 0:
            share = np.stack([npmle(normal.matrix[:-2], weight) for weight in many.T], axis=1)
        else:
            models, rows = self._models(normal, theta), normal.rows(many)
            modes, probability = _modes(models, normal.rows(table.weight[:, None]))
            share = np.zeros((len(normal.nodes), len(weights)))
            for model, mode, chance in zip(models, modes, probability / probability.max(), strict=True):
                if chance > _NEGLIGIBLE:
                    share += chance * model.shares(model.follow(mode, rows))
            share /= share.sum(axis=0)
        return np.asarray((moments(normal.nodes, normal.step, np.asarray(k, float), metric) @ share).T)

    def _models(self, normal: ProbitNormal, theta: FloatArray) -> "list[LogDensity]":
        amplitudes = AMPLITUDES if self.smooth is None else (1.0 / self.smooth,)
        return [LogDensity(normal, theta, amplitude) for amplitude in amplitudes]


def _modes(models: "list[LogDensity]", rows: FloatArray) -> tuple[list[FloatArray], FloatArray]:
    """The posterior mode of each model, each starting from the one before, and the models' probabilities."""
    modes, evidences = [], []
    start = np.zeros((2, 1))
    for model in models:
        missing = 2 + model.basis.shape[1] - len(start)
        # the coefficients are in units of the amplitude, so the same curve has smaller ones in the next model
        start = model.climb(np.concatenate([start, np.zeros((missing, 1))]), rows)
        modes.append(start)
        evidences.append(model.evidence(start, rows))
        start = np.concatenate([start[:2], start[2:] / 2.0])
    chance = np.exp(np.array(evidences) - max(evidences))
    return modes, chance / chance.sum()


@lru_cache(maxsize=8)
def _matern_basis(nodes: int) -> FloatArray:
    """Principal functions of the unit Matérn-5/2 process on an even grid: independent unit coefficients."""
    scaled = np.sqrt(5.0) / _LENGTH * np.abs(np.subtract.outer(np.arange(nodes), np.arange(nodes)))
    size, shape = np.linalg.eigh((1.0 + scaled + scaled**2 / 3.0) * np.exp(-scaled))
    basis = np.array((shape * np.sqrt(np.maximum(size, 0.0)))[:, : -_TERMS - 1 : -1])
    basis.setflags(write=False)
    return basis


class LogDensity:
    """The penalised log-likelihood for one amplitude of the deviation from the normal.

    With x = (z−μ₀)/ω₀ at the normal that fits best, the shares of the nodes are proportional to

        exp(−½ x² e^(−2c) + b x + Σ_j β_j basis_j),

    so that b moves the normal, c widens it, and β ~ N(0, I). Parameters are (b, c, β) × B and weightings are
    rows × B, as in :class:`ProbitNormal`.
    """

    def __init__(self, normal: ProbitNormal, theta: FloatArray, amplitude: float) -> None:
        self.matrix, self.step, self.amplitude = normal.matrix, normal.step, amplitude
        self.tau_var = normal.prior.tau_sd**2
        self.omega = np.sqrt(max(float(np.exp(2 * theta[1, 0])) - normal.step**2, normal.step**2))
        self.x = (normal.nodes - theta[0, 0]) / self.omega
        terms = _TERMS if amplitude > 0 else 0
        self.basis = amplitude * _matern_basis(len(normal.nodes))[:, :terms]

    def shares(self, par: FloatArray) -> FloatArray:
        """Shares of the nodes: nodes × B."""
        square = np.outer(self.x**2, -0.5 * np.exp(-2.0 * par[1]))
        log_share = square + np.outer(self.x, par[0]) + self.basis @ par[2:]
        share = np.exp(log_share - log_share.max(axis=0))
        return np.asarray(share / share.sum(axis=0))

    def _log_tau(self, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The log τ of the normal part, and its derivative by c."""
        square = (self.omega * np.exp(c)) ** 2
        return 0.5 * np.log(square + self.step**2), square / (square + self.step**2)

    def value(self, par: FloatArray, rows: FloatArray) -> FloatArray:
        """Penalised log-likelihood of each column."""
        fit = (rows * np.log(np.maximum(self.matrix @ self.shares(par), TINY))).sum(axis=0)
        penalty = self._log_tau(par[1])[0] ** 2 / self.tau_var + (par[2:] ** 2).sum(axis=0)
        return np.asarray(fit - 0.5 * penalty)

    def gradient(self, par: FloatArray, rows: FloatArray) -> FloatArray:
        """Its gradient: the posterior expectations of the design less the prior ones."""
        share = self.shares(par)
        likely = np.maximum(self.matrix @ share, TINY)
        excess = share * (self.matrix.T @ (rows / likely) - rows.sum(axis=0))
        log_tau, ratio = self._log_tau(par[1])
        widen = np.exp(-2.0 * par[1]) * (self.x**2 @ excess) - ratio * log_tau / self.tau_var
        return np.concatenate([[self.x @ excess, widen], self.basis.T @ excess - par[2:]])

    def bends(self, par: FloatArray, rows: FloatArray) -> FloatArray:
        """Negative Hessians at one parameter, for each weighting: B × parameters × parameters."""
        share = self.shares(par)[:, 0]
        shrink = float(np.exp(-2.0 * par[1, 0]))
        design = np.column_stack([self.x, shrink * self.x**2, self.basis])
        posterior = self.matrix * share
        posterior /= np.maximum(posterior.sum(axis=1), TINY)[:, None]
        means, mean, total = posterior @ design, share @ design, rows.sum(axis=0)
        spread = (design.T * share) @ design - np.outer(mean, mean)
        inside = posterior.T @ rows
        found = np.empty((rows.shape[1], len(mean), len(mean)))
        for b, bend in enumerate(found):
            bend[:] = total[b] * spread + (means.T * rows[:, b]) @ means - (design.T * inside[:, b]) @ design
            bend[1, 1] += 2.0 * shrink * (self.x**2 @ (inside[:, b] - total[b] * share))
        found[:, 1, 1] += self._log_tau(par[1])[1][0] ** 2 / self.tau_var
        found[:, np.arange(2, len(mean)), np.arange(2, len(mean))] += 1.0
        return found

    def evidence(self, par: FloatArray, rows: FloatArray) -> float:
        """Laplace approximation of the log marginal likelihood, up to a constant that all amplitudes share."""
        size = np.linalg.eigvalsh(self.bends(par, rows)[0])
        return float(self.value(par, rows)[0] - 0.5 * np.log(np.maximum(size, 1e-6)).sum())

    def climb(self, par: FloatArray, rows: FloatArray) -> FloatArray:
        """Newton's method for a single column."""
        for _ in range(60):
            par, left = self._ascend(par, rows, positive_inverses(self.bends(par, rows)), steps=1)
            if not left.any():
                break
        return par

    def follow(self, mode: FloatArray, rows: FloatArray) -> FloatArray:
        """From the mode of the full evidence to those of other weightings.

        Each starts with its own Hessian at the common start and improves on it as it goes (BFGS), so that a
        step for all is a few matrix products; columns that this does not bring home go on by themselves.
        """
        start = np.repeat(mode, rows.shape[1], axis=1)
        par, left = self._ascend(start, rows, positive_inverses(self.bends(mode, rows)), steps=40)
        for b in np.nonzero(left)[0]:
            par[:, [b]] = self.climb(par[:, [b]], rows[:, [b]])
        return par

    def _ascend(
        self, par: FloatArray, rows: FloatArray, inverse: FloatArray, steps: int
    ) -> tuple[FloatArray, FloatArray]:
        """Quasi-Newton steps for every column; also which columns have not arrived."""
        par, value, slope = par.copy(), self.value(par, rows), self.gradient(par, rows)
        active = np.arange(par.shape[1])
        for step in range(steps):
            move = np.einsum("bij,jb->ib", inverse[active], slope[:, active])
            away = (move * slope[:, active]).sum(axis=0) > _ARRIVED
            active, move = active[away], move[:, away]
            size = np.concatenate([np.abs(move[:2]), np.abs(self.basis @ move[2:]) / 3.0])
            move /= np.maximum(size.max(axis=0, initial=0.0), 1.0)
            moved = self._line_search(par, value, rows, active, move)
            active, move = active[moved], move[:, moved]
            if len(active) == 0 or step == steps - 1:
                break
            new = self.gradient(par[:, active], rows[:, active])
            inverse[active] = bfgs(inverse[active], move, slope[:, active] - new)
            slope[:, active] = new
        left = np.zeros(par.shape[1], bool)
        left[active] = True
        return par, left

    def _line_search(
        self, par: FloatArray, value: FloatArray, rows: FloatArray, active: IntArray, move: FloatArray
    ) -> BoolArray:
        """Shorten each move until it gains, and make it; says which columns moved."""
        moved = np.zeros(len(active), bool)
        for _ in range(12):
            todo = np.nonzero(~moved)[0]
            if len(todo) == 0:
                break
            columns = active[todo]
            trial = par[:, columns] + move[:, todo]
            new = self.value(trial, rows[:, columns])
            up = new >= value[columns]
            par[:, columns[up]], value[columns[up]] = trial[:, up], new[up]
            moved[todo[up]] = True
            move[:, todo[~up]] /= 3.0
        return moved
