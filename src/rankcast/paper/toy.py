"""The figures of the toy example: labels and examples are bivariate normal, and everything is known exactly."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .._typing import FloatArray
from ..datasets import toy
from .markdown import page, table
from .study import Findings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RHO = 0.7
RHOS = (0.3, 0.5, 0.7, 0.9)
NUMBERS = tuple(range(2, 11))
LABELS = (-1.1, 0.2, 1.4)  # the instance that is drawn
INK, COLOURS = "#1b1f24", ("#d1242f", "#1a7f37", "#1f6feb", "#8250df")


@dataclass(frozen=True)
class Toy:
    """X given a label y is N(ρy, 1 - ρ²), and goes to the label with the nearest ρy."""

    name: ClassVar[str] = "toy"
    title: ClassVar[str] = "The toy example: everything in closed form"
    quick: bool = False

    def findings(self) -> Findings:
        """The four figures, and their numbers."""
        draws = self.accuracies()
        mean, error = draws.mean(axis=1), draws.std(axis=1) / np.sqrt(draws.shape[1])
        theory = toy.aga(list(NUMBERS), RHO)
        lines = [
            [str(k), f"{m:.4f} ({e:.4f})", f"{t:.4f}"] for k, m, e, t in zip(NUMBERS, mean, error, theory, strict=True)
        ]
        k = [2, 3, 5, 10, 100, 1000]
        rows = [[f"{rho}", *(f"{value:.4f}" for value in toy.aga(k, rho))] for rho in RHOS]
        text = page(
            "toy",
            draws=f"{draws.shape[1]:,}",
            accuracy=table(["k", "mean of GA_k (standard error)", "AGA_k, theory"], lines),
            correlations=table(["ρ", *(f"AGA_{each}" for each in k)], rows),
        )
        numbers: list[dict[str, Any]] = [
            {"what": "accuracy", "rho": RHO, "k": k, "mean": float(m), "se": float(e), "theory": float(t)}
            for k, m, e, t in zip(NUMBERS, mean, error, theory, strict=True)
        ]
        u = np.linspace(0, 1, 101)
        for rho in RHOS:
            numbers += [{"what": "D", "rho": rho, "u": a, "value": b} for a, b in zip(u, toy.cdf(u, rho), strict=True)]
            numbers += [{"what": "AGA", "rho": rho, "k": a, "theory": float(toy.aga(a, rho))} for a in NUMBERS]
        figures = {
            "toy_instance": _instance(),
            "toy_accuracy": _accuracy(draws, theory),
            "toy_favourability": _favourability(),
            "toy_correlations": _correlations(),
        }
        return Findings(text, numbers, figures)

    def accuracies(self) -> FloatArray:
        """GA_k of random sets of labels: a row for each of ``NUMBERS``."""
        rng = np.random.default_rng(0)
        draws = 2000 if self.quick else 20_000
        return np.stack([toy.ga(rng.standard_normal((draws, k)), RHO) for k in NUMBERS])


def _figure(panels: int) -> tuple["Figure", "list[Axes]"]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.5 * panels, 3.8), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(1, panels)))
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _instance() -> "Figure":
    """The joint density, and an instance with three labels."""
    figure, (joint, densities) = _figure(2)
    y, x = np.meshgrid(np.linspace(-3, 3, 121), np.linspace(-3, 3, 121))
    density = np.exp(-(x**2 - 2 * RHO * x * y + y**2) / (2 * (1 - RHO**2)))
    joint.contour(y, x, density, levels=8, colors="#57606a", linewidths=0.8)
    joint.set(xlabel="label y", ylabel="example x", title=f"Joint density, ρ = {RHO}")
    grid = np.linspace(-3, 3, 601)
    spread = np.sqrt(1 - RHO**2)
    for label, colour in zip(LABELS, COLOURS, strict=False):
        joint.axvline(label, color=colour, lw=1, ls="--")
        curve = np.exp(-0.5 * ((grid - RHO * label) / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
        densities.plot(grid, curve, color=colour, label=f"y = {label}")
    nearest = np.abs(grid[:, None] - RHO * np.array(LABELS)).argmin(axis=1)
    for number, colour in enumerate(COLOURS[:3]):
        mine = grid[nearest == number]
        densities.axvspan(mine[0], mine[-1], ymax=0.06, color=colour, alpha=0.6, lw=0)
    densities.set(xlabel="example x", title="Densities of three labels, and their Bayes regions", ylim=(-0.05, None))
    densities.legend(frameon=False)
    return figure


def _accuracy(draws: FloatArray, theory: FloatArray) -> "Figure":
    """The distribution of GA_k."""
    figure, (ax,) = _figure(1)
    figure.set_size_inches(7, 4)
    violins = ax.violinplot(list(draws), positions=list(NUMBERS), widths=0.8, showextrema=False)
    for body in violins["bodies"]:  # type: ignore[attr-defined]
        body.set_facecolor("#57606a")
        body.set_alpha(0.3)
    ax.plot(NUMBERS, draws.mean(axis=1), "o", color=INK, mfc="white", label="mean of GA_k", zorder=3)
    ax.plot(NUMBERS, theory, color=COLOURS[0], label="AGA_k, theory")
    ax.set(xlabel="number of labels k", ylabel="accuracy", ylim=(0, 1), title=f"ρ = {RHO}")
    ax.legend(frameon=False)
    return figure


def _favourability() -> "Figure":
    """Level sets of U_x(y), and D."""
    figure, (levels, cdf) = _figure(2)
    y, x = np.meshgrid(np.linspace(-3, 3, 241), np.linspace(-3, 3, 241))
    value = 1 - toy.outranked(x, np.abs(RHO * y - x), RHO)
    lines = levels.contour(y, x, value, levels=[0.1, 0.3, 0.5, 0.7, 0.9, 0.97], cmap="viridis")
    levels.clabel(lines, fontsize=8)
    levels.plot([-3, 3], [-3 * RHO, 3 * RHO], color=INK, lw=0.8, ls=":")
    levels.set(xlabel="label y", ylabel="example x", title=f"Favourability of y for x, ρ = {RHO}")
    u = np.linspace(0, 1, 401)
    cdf.plot(u, toy.cdf(u, RHO), color=INK)
    cdf.set(xlabel="u", ylabel="D(u)", title="Distribution function of U*", xlim=(0, 1), ylim=(0, 1))
    return figure


def _correlations() -> "Figure":
    """D and AGA for several ρ."""
    figure, (cdf, accuracy) = _figure(2)
    u = np.linspace(0, 1, 401)
    for rho, colour in zip(RHOS, COLOURS, strict=True):
        cdf.plot(u, toy.cdf(u, rho), color=colour, label=f"ρ = {rho}")
        accuracy.plot(NUMBERS, toy.aga(list(NUMBERS), rho), "o-", ms=3, color=colour, label=f"ρ = {rho}")
    cdf.set(xlabel="u", ylabel="D(u)", xlim=(0, 1), ylim=(0, 1))
    accuracy.set(xlabel="number of labels k", ylabel="AGA_k", ylim=(0, 1))
    cdf.legend(frameon=False)
    return figure
