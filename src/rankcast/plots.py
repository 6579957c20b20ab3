"""What people look at."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .errors import InputError, MissingExtraError
from .files import write_whole
from .metrics import show

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .cmc import Cmc
    from .forecast import Forecast

INK, FORECAST = "#1b1f24", "#1f6feb"


def plot_forecast(forecast: "Forecast", ax: "Axes | None" = None, path: str | Path | None = None) -> "Axes":
    """The measured curve, the forecast and its band against the number of classes."""
    ax = _axes(ax)
    k, estimate, draws = forecast.path.k, forecast.path.estimate, forecast.path.draws
    seen, beyond = k <= forecast.k1, k >= forecast.k1
    tail = (1 - forecast.level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    ax.fill_between(k, low, high, color=FORECAST, alpha=0.15, lw=0, label=f"{forecast.level:.0%} interval")
    ax.plot(k[seen], estimate[seen], color=INK, lw=2, label=f"measured, up to {forecast.k1:,} classes")
    ax.plot(k[beyond], estimate[beyond], color=FORECAST, lw=2, ls="--", label=f"forecast ({forecast.method})")
    asked = forecast.k > forecast.k1
    ax.plot(forecast.k[asked], forecast.estimate[asked], "o", color=FORECAST, ms=6)
    share = bool(np.all((draws >= 0) & (draws <= 1)))
    rises = bool(estimate[-1] > estimate[0])
    for x, y in zip(forecast.k[asked], forecast.estimate[asked], strict=True):
        text, place = f"{y:.1%}" if share else show(y), (0, 10 if rises else -16)
        ax.annotate(text, (x, y), xytext=place, textcoords="offset points", ha="center", color=FORECAST)
    ax.axvline(forecast.k1, color=INK, lw=0.8, ls=":")
    _logarithmic(ax, "number of classes")
    if share:
        _percent(ax)
    elif rises and estimate[0] > 0:
        ax.set_yscale("log")
    ax.set_ylabel(forecast.metric)
    ax.legend(frameon=False, loc="upper left" if rises else "lower left")
    if path is not None:
        save_figure(ax, Path(path))
    return ax


def plot_cmc(cmc: "Cmc", ax: "Axes | None" = None, path: str | Path | None = None) -> "Axes":
    """The chance of a rank within n against n; further calls with the same axes add further curves."""
    ax = _axes(ax)
    exact = cmc.method is None
    label = f"{cmc.k:,} classes, " + ("measured" if exact else f"forecast ({cmc.method})")
    ax.plot(cmc.n, cmc.value, color=INK if exact else FORECAST, lw=2, ls="-" if exact else "--", label=label)
    _logarithmic(ax, "rank within")
    _percent(ax)
    ax.legend(frameon=False, loc="lower right")
    if path is not None:
        save_figure(ax, Path(path))
    return ax


def _axes(ax: "Axes | None") -> "Axes":
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error
    return Figure(figsize=(7, 4.2), layout="constrained").add_subplot() if ax is None else ax


def _logarithmic(ax: "Axes", label: str) -> None:
    from matplotlib.ticker import EngFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    ax.set_xlabel(label)
    ax.grid(alpha=0.2)
    ax.spines[["top", "right"]].set_visible(False)


def _percent(ax: "Axes") -> None:
    from matplotlib.ticker import PercentFormatter

    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set_ylim(0, 1.02)


def save_figure(ax: "Axes", path: Path) -> None:
    """Write the figure of these axes, whole or not at all; the format is the file's ending."""
    figure = ax.get_figure(root=True)
    if figure is not None:
        kind = path.suffix.lstrip(".").lower() or "png"
        known = figure.canvas.get_supported_filetypes()
        if kind not in known:
            raise InputError(f"{path}: cannot draw a .{kind} file, use one of {', '.join(sorted(known))}")
        write_whole(path, lambda file: figure.savefig(file, format=kind, dpi=150))
