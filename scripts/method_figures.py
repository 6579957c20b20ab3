"""Make the picture of each method: what it makes of some evidence, and its forecasts beside the truth.

Arguments are names of methods; without any, all are drawn.
"""

import sys
from functools import cache
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

import rankcast as rc
from rankcast.bandwidth import bandwidth
from rankcast.datasets import gaussian, han
from rankcast.methods import REGISTRY
from rankcast.methods.base import ExampleMethod
from rankcast.methods.kde import Kde
from rankcast.methods.loglinear import line
from rankcast.plots import FORECAST, INK, save_figure

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "img"
CLASSES, SIGMA2 = 500, 0.1
DRAWS = {"cleanex": 5}  # others ten: it trains a network for each


@cache
def evidence(seed: int) -> rc.Evidence:
    """One draw of the paper's simulation."""
    return gaussian.simulate(CLASSES, SIGMA2, rng=seed)


def density(ax: Axes, name: str) -> None:
    """The density of Φ⁻¹(U*) that was found, beside the true one."""
    z = np.linspace(0, 7, 300)
    found = REGISTRY[name]().fit(evidence(0), np.random.default_rng(0))
    ax.fill_between(z, gaussian.favourability(SIGMA2).density(z, 0.05), color=INK, alpha=0.15, lw=0, label="truth")
    ax.plot(z, found.density(z), color=FORECAST, lw=2, label="found")
    ax.set_xlabel("Φ⁻¹(U*)")
    ax.set_yticks([])
    ax.set_ylim(0)
    ax.set_title("distribution of favourability", fontsize=10)
    ax.legend(frameon=False, fontsize=9)


def straight(ax: Axes, name: str) -> None:
    """The line through the exact curve."""
    k = np.unique(np.geomspace(2, CLASSES, 40).astype(int))
    upper = k[k >= CLASSES / REGISTRY[name]().span]
    intercept, fall = line(upper, rc.curve(evidence(0), upper))
    ax.plot(k, rc.curve(evidence(0), k), color=INK, lw=2, label="measured")
    beyond = np.array([upper[0], 1e5])
    ax.plot(beyond, intercept - fall * np.log(beyond), color=FORECAST, lw=2, ls="--", label="line through k₁/10 … k₁")
    _classes(ax)
    ax.set_title("a line through the upper part", fontsize=10)
    ax.legend(frameon=False, fontsize=9, loc="lower left")


def kernels(ax: Axes, name: str) -> None:
    """The density of one example's wrong-class scores, and the score of its truth."""
    train, test = gaussian.draw(CLASSES, SIGMA2, rng=0)
    scores = -np.linalg.norm(test[:, None] - train[None], axis=2)
    own = np.diag(scores)
    margin = own - np.where(np.eye(CLASSES, dtype=bool), -np.inf, scores).max(axis=1)
    example = int(np.argmin(np.abs(margin - 0.05)))  # a narrow win
    wrong = np.delete(scores[example], example)
    h = float(bandwidth(wrong[None], REGISTRY[name].criterion)[0])
    at = np.linspace(wrong.min() - 0.5, own[example] + 1.2, 400)
    value = np.exp(-0.5 * ((at[:, None] - wrong) / h) ** 2).mean(axis=1) / (h * np.sqrt(2 * np.pi))
    ax.hist(wrong, 40, density=True, color=INK, alpha=0.15, label="wrong classes")
    ax.plot(at, value, color=FORECAST, lw=2, label=f"density, h = {h:.2f}")
    ax.axvline(own[example], color="#d1242f", lw=1.5, label="truth")
    ax.set_xlabel("score of one test example")
    ax.set_yticks([])
    ax.set_ylim(0, 1.6 * value.max())
    ax.set_title("U* is the mass left of the truth", fontsize=10)
    ax.legend(frameon=False, fontsize=9, loc="upper left")


def examples(ax: Axes, name: str) -> None:
    """The favourability found for each example against its own."""
    method = REGISTRY[name]()
    assert isinstance(method, ExampleMethod)
    exact = gaussian.probit(*gaussian.draw(CLASSES, SIGMA2, rng=0), SIGMA2)
    found = method.example_z(evidence(0), np.random.default_rng(0))
    ax.plot([0, 7], [0, 7], color=INK, lw=1)
    ax.plot(exact, found, ".", color=FORECAST, ms=4, alpha=0.6)
    ax.set_xlim(0, 7)
    ax.set_ylim(0, 7)
    ax.set_xlabel("Φ⁻¹(U*), exact")
    ax.set_ylabel("found")
    ax.set_title("each test example", fontsize=10)


def simulated(ax: Axes, name: str) -> None:
    """Forecasts from several draws, and the truth."""
    k = np.unique(np.geomspace(10, 1e5, 40).astype(int))
    draws = DRAWS.get(name, 10)
    for seed in range(draws):
        fit = REGISTRY[name]().fit(evidence(seed), np.random.default_rng(seed))
        beyond = k[k >= CLASSES]
        ax.plot(beyond, fit.value(beyond), color=FORECAST, lw=1, alpha=0.6, label=None if seed else "forecasts")
    ax.plot(k, gaussian.aga(k, SIGMA2), color=INK, lw=2, label="truth")
    ax.axvline(CLASSES, color=INK, lw=0.8, ls=":")
    _classes(ax)
    ax.set_title(f"Gaussian classes, {draws} draws of {CLASSES}", fontsize=10)
    ax.legend(frameon=False, fontsize=9, loc="lower left")


def characters(ax: Axes, name: str) -> None:
    """The demo's characters by this method, with its interval."""
    fc = rc.forecast(han.evidence(), han.TOTAL, method=name, rng=0)
    low, high = np.quantile(fc.path.draws, [0.05, 0.95], axis=0)
    beyond = fc.path.k >= fc.k1
    ax.fill_between(fc.path.k, low, high, color=FORECAST, alpha=0.15, lw=0, label="90% interval")
    ax.plot(fc.path.k[beyond], fc.path.estimate[beyond], color=FORECAST, lw=2, ls="--", label="forecast")
    ax.plot(*han.truth(), color=INK, lw=2, label="truth")
    ax.axvline(fc.k1, color=INK, lw=0.8, ls=":")
    _classes(ax)
    ax.set_title(f"Han characters, from {fc.k1}", fontsize=10)
    ax.legend(frameon=False, fontsize=9, loc="lower left")


def _classes(ax: Axes) -> None:
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("number of classes")


def view(name: str) -> None:
    """Draw and save the three panels."""
    figure = Figure(figsize=(9.6, 3.3), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    if name == "loglinear":
        straight(left, name)
    elif issubclass(REGISTRY[name], Kde):
        kernels(left, name)
    elif issubclass(REGISTRY[name], ExampleMethod):
        examples(left, name)
    else:
        density(left, name)
    simulated(middle, name)
    characters(right, name)
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
    save_figure(left, IMAGES / f"method_{name}.png")


if __name__ == "__main__":
    for each in sys.argv[1:] or REGISTRY:
        view(each)
