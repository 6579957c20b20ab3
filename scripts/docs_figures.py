"""Make the pictures of the docs."""

import json
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.special import ndtr

from rankcast.datasets import toy
from rankcast.methods import get_method
from rankcast.plots import FORECAST, INK, save_figure

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


if __name__ == "__main__":
    scale()
    mixture_toy()
