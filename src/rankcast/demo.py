"""The demo: measure 300 Han characters, forecast 75,763, and look at the truth."""

from pathlib import Path

import numpy as np

from .datasets import han
from .forecast import forecast
from .plots import save_figure


def run(plot: Path | None = None) -> str:
    """Forecast from the embedded 300 characters; the forecast, and the exact accuracy beside it."""
    evidence = han.evidence()
    known_k, known = han.truth()
    asked = [1_000, 10_000, han.TOTAL]
    result = forecast(evidence, asked, rng=0)
    lines = [
        "Recognise a Han character printed in one typeface from its picture in another.",
        "",
        str(evidence),
        "",
        f"  characters   forecast   {result.level:.0%} interval      truth",
    ]
    exact = known[np.searchsorted(known_k, result.k)]
    for k, value, low, high, truth in zip(result.k, result.estimate, result.low, result.high, exact, strict=True):
        lines.append(f"  {k:>10,}   {value:8.1%}   {low:5.1%} to {high:5.1%}   {truth:6.1%}")
    lines += [
        "",
        f"The truth was measured on all {han.TOTAL:,} characters; the forecast saw {evidence.k1} of them.",
    ]
    if plot is not None:
        ax = result.plot()
        ax.plot(known_k, known, color="#d1242f", lw=1.5, label=f"truth, all {han.TOTAL:,} measured", zorder=1)
        ax.legend(frameon=False, loc="lower left")
        save_figure(ax, plot)
    return "\n".join(lines)
