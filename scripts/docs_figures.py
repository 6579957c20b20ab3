"""Make the pictures of the docs."""

import json
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter
from scipy.special import ndtr

from rankcast import forecast
from rankcast.datasets import gaussian, toy
from rankcast.methods import get_method
from rankcast.plots import FORECAST, INK, save_figure

MISSED = "#d1242f"
SIGMA2 = 0.1  # noise of the paper's Gaussian simulation
IMAGES = Path(__file__).resolve().parents[1] / "docs" / "img"


def mixture_toy() -> None:
    """D of the toy model, and as `mixture` recovers it from 500 and 5000 labels."""
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    z = np.linspace(-3, 5, 400)
    for ax, k1 in zip(figure.subplots(1, 2, sharey=True), (500, 5000), strict=True):
        for rho, style in ((0.7, ":"), (0.9, "--"), (0.99, "-")):
            truth = toy.cdf(ndtr(z), rho)
            fit = get_method("mixture").fit(toy.simulate(k1, rho, rng=0), np.random.default_rng(0))
            found = fit.probit_cdf(z)
            ax.plot(z, truth, color=INK, lw=1, ls=style)
            ax.plot(z, found, color=FORECAST, lw=2, ls=style, label=f"ρ = {rho}: {np.abs(found - truth).max():.3f}")
        ax.set_title(f"from {k1:,} labels, one example each", fontsize=10)
        ax.set_xlabel("Φ⁻¹(u)")
        ax.legend(frameon=False, title="largest distance", fontsize=9, title_fontsize=9)
        ax.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("D(u): truth black, mixture blue")
    save_figure(ax, IMAGES / "mixture_toy.png")


def scale() -> None:
    """Time of ranking against the number of pairs, from the stored benchmark."""
    stored = json.loads((IMAGES.parents[1] / "benchmarks" / "results" / "scale.json").read_text())
    rows = stored["result"]["growth"]
    pairs, seconds = np.array([[row["pairs"], row["seconds"]] for row in rows]).T
    ax = Figure(figsize=(5, 3.4), layout="constrained").subplots()
    ax.loglog(pairs, seconds, "o-", color=FORECAST, lw=2, label="measured, d = 8, 100 MB")
    ax.loglog(pairs, seconds[-1] / pairs[-1] * pairs, color=INK, lw=1, ls=":", label="proportional")
    ax.set_xlabel("pairs: probes × gallery")
    ax.set_ylabel("CPU seconds, one thread")
    ax.legend(frameon=False, fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    save_figure(ax, IMAGES / "scale.png")


def intervals() -> None:
    """Intervals of the average and of one set; and from 20 draws of 100 classes, with the truth at 1,000."""
    figure = Figure(figsize=(9.6, 3.3), layout="constrained")
    both, *repeated = figure.subplots(1, 3)
    k = np.unique(np.geomspace(10, 100_000, 40).astype(int))
    fc = forecast(gaussian.simulate(1000, SIGMA2, rng=0), k, rng=0)
    both.fill_between(k, *fc.interval(method="one-set"), color=FORECAST, alpha=0.12, lw=0, label="one set of k classes")
    both.fill_between(k, fc.low, fc.high, color=FORECAST, alpha=0.25, lw=0, label="the average")
    both.plot(k, fc.estimate, color=FORECAST, lw=2, ls="--")
    both.set(xscale="log", ylim=(0, 1.02), xlabel="number of classes")
    both.set_title("two 90% intervals, from 1,000 classes", fontsize=10)
    both.legend(frameon=False, fontsize=9, loc="lower left")
    truth = float(gaussian.aga(1000, SIGMA2))
    for ax, method in zip(repeated, ("auto", "kde-bcv"), strict=True):
        held = 0
        for draw in range(20):
            fc = forecast(gaussian.simulate(100, SIGMA2, rng=draw), 1000, method=method, rng=0)
            inside = fc.low[0] <= truth <= fc.high[0]
            held += inside
            ax.plot(
                [draw, draw], [fc.low[0], fc.high[0]], color=FORECAST if inside else MISSED, lw=4, solid_capstyle="butt"
            )
        ax.axhline(truth, color=INK, lw=1)
        ax.set(ylim=(0, 1.02), xticks=[], xlabel="20 draws of 100 classes")
        ax.set_title(f"{method}: {held} of 20 hold, at 1,000", fontsize=10)
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    both.xaxis.set_major_formatter(EngFormatter(sep=""))
    save_figure(both, IMAGES / "intervals.png")


if __name__ == "__main__":
    intervals()
    scale()
    mixture_toy()
