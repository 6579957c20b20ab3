"""Table 1 and both simulation figures: Gaussian classes, 500 and 5000 measured, up to 20 times as many forecast."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .._typing import FloatArray
from ..datasets.populations import Gaussian, Sample
from ..methods import Method
from .columns import AUTHORS, COLOURS, PUBLISHED, authors, ours
from .markdown import page, shown, table
from .study import ORACLE, Findings, Results, Row, Study
from .summaries import Summary, largest_rmse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HALVES = {500: (1000, 2000, 5000, 10_000), 5000: (10_000, 20_000, 50_000, 100_000)}
STEP = {500: 0.01, 5000: 0.005}  # noise levels are 1 to 50 times this
# largest RMSE and its standard error, as printed: ClassExReg, KDE-BCV, KDE-UCV
PRINTED = {
    (500, 1000): ((0.032, 0.001), (0.090, 0.001), (0.067, 0.001)),
    (500, 2000): ((0.044, 0.002), (0.088, 0.001), (0.059, 0.001)),
    (500, 5000): ((0.073, 0.004), (0.079, 0.001), (0.051, 0.001)),
    (500, 10_000): ((0.098, 0.004), (0.076, 0.001), (0.045, 0.001)),
    (5000, 10_000): ((0.009, 0.000), (0.038, 0.000), (0.028, 0.000)),
    (5000, 20_000): ((0.015, 0.001), (0.028, 0.000), (0.019, 0.000)),
    (5000, 50_000): ((0.032, 0.002), (0.035, 0.000), (0.053, 0.000)),
    (5000, 100_000): ((0.054, 0.003), (0.065, 0.000), (0.086, 0.000)),
}
SMOOTH = 11  # noise levels, for comparison with the paper: 40 repetitions are then worth its 200
ROUNDING = 0.001  # one in the last digit printed: some figures were cut, not rounded


@dataclass(frozen=True)
class Table1(Study):
    """Labels are N(0, I₁₀), examples N(label, σ²I), one for training and one for testing; nearest neighbour."""

    name: ClassVar[str] = "table1"
    title: ClassVar[str] = "Table 1 and the simulation figures: Gaussian classes, from 500 and from 5000"

    def rows(self) -> list[Row]:
        """A row for each number of classes measured and noise level."""
        return [row for k1 in HALVES for row in self.half(k1)]

    def half(self, k1: int) -> list[Row]:
        """The noise levels of one half of the table."""
        levels = range(5, 51, 5 if k1 == 500 else 15) if self.quick else range(1, 51)
        repetitions = (4 if k1 == 500 else 1) if self.quick else (40 if k1 == 500 else 10)
        block = 10 if k1 == 500 else 1
        return [Row(f"{STEP[k1] * level:g}", k1, HALVES[k1], repetitions, block) for level in levels]

    def columns(self) -> dict[str, Method]:
        """The authors regressed on 100 equally spaced numbers of classes here."""
        return authors(points=100) | ours()

    def sample(self, row: Row, rng: np.random.Generator) -> Sample:
        """A simulation."""
        return Gaussian(float(row.name)).draw(row.k1, rng)

    def truth(self, row: Row) -> FloatArray:
        """Exact."""
        return Gaussian(float(row.name)).truth(list(row.k))

    def findings(self, results: Results) -> Findings:
        """The table, how it compares with the printed one, and the two figures."""
        largest = {
            (k1, k2, column): found
            for k1 in HALVES
            for column in [*self.columns(), ORACLE]
            for k2 in HALVES[k1]
            if (found := self._largest(results, k1, k2, column)) is not None
        }
        again, inside = _reproduction(largest, judged=not self.quick)
        small, large = (f"{len(rows)} × {rows[0].repetitions}" for rows in map(self.half, HALVES))
        fields = {"small": small, "large": large, "all": _all(largest), "again": again, "inside": inside}
        text = page("table1", quick=self.quick, **fields, raw=self._raw(results))
        figures = {f"table1_{what}": self._figure(results, what) for what in ("rmse", "bias")}
        return Findings(text, self._numbers(results, largest), figures)

    def _raw(self, results: Results) -> str:
        """The authors' columns without smoothing."""
        columns = [name + AUTHORS for name in PUBLISHED]
        lines = [
            [f"{k1:,} → {k2:,}", *(shown(self._largest(results, k1, k2, column, raw=True)) for column in columns)]
            for k1 in HALVES
            for k2 in HALVES[k1]
        ]
        return table(["k₁ → k₂", *PUBLISHED], lines)

    def _largest(self, results: Results, k1: int, k2: int, column: str, raw: bool = False) -> Summary | None:
        """As the paper defines it; smoothed, unless raw, for the columns that are compared with the printed figures."""
        found = [results.errors(row, column) for row in self.half(k1)]
        at = HALVES[k1].index(k2)
        errors = [each[:, at] for each in found if each is not None]
        smooth = SMOOTH if column.endswith(AUTHORS) and not raw else 0
        return largest_rmse(errors, np.random.default_rng(0), smooth=smooth) if len(errors) == len(found) else None

    def _numbers(self, results: Results, largest: dict[tuple[int, int, str], Summary]) -> list[dict[str, Any]]:
        """The largest errors, then every noise level."""
        numbers: list[dict[str, Any]] = [
            {
                "k1": k1,
                "k2": k2,
                "sigma2": "largest",
                "column": column,
                "rmse": each.value,
                "se": each.se,
            }
            for (k1, k2, column), each in largest.items()
        ]
        for (row, column), _ in results.items():
            errors = results.errors(row, column)
            if errors is None or column not in [*self.columns(), ORACLE]:
                continue
            for at, k2 in enumerate(row.k):
                numbers.append(
                    {
                        "k1": row.k1,
                        "k2": k2,
                        "sigma2": float(row.name),
                        "column": column,
                        "truth": float(results.truth(row)[at]),
                        "rmse": float(np.sqrt(np.mean(errors[:, at] ** 2))),
                        "bias": float(errors[:, at].mean()),
                        "repetitions": len(errors),
                    }
                )
        return numbers

    def _figure(self, results: Results, what: str) -> "Figure":
        """RMSE or bias against the true accuracy, a panel for each k₂."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(12, 6), layout="constrained")
        axes = figure.subplots(2, 4, sharex=True, sharey=True)
        drawn = (*PUBLISHED, "gaussian", "auto", ORACLE) if what == "rmse" else (*PUBLISHED, "gaussian", "auto")
        for line, (k1, targets) in zip(axes, HALVES.items(), strict=True):
            for ax, k2 in zip(line, targets, strict=True):
                at = targets.index(k2)
                for column in drawn:
                    found = [(results.truth(row)[at], results.errors(row, column)) for row in self.half(k1)]
                    points = [(truth, errors[:, at]) for truth, errors in found if errors is not None]
                    if not points:
                        continue
                    values = [np.sqrt(np.mean(e**2)) if what == "rmse" else e.mean() for _, e in points]
                    style = ":" if column == ORACLE else "-" if column == "auto" else "--"
                    width = 2 if column == "auto" else 1.2
                    ax.plot([t for t, _ in points], values, style, color=COLOURS[column], lw=width, label=column)
                if what == "bias":
                    ax.axhline(0, color="#1b1f24", lw=0.6)
                ax.set_title(f"{k1:,} → {k2:,}", fontsize=10)
                ax.grid(alpha=0.2)
                ax.spines[["top", "right"]].set_visible(False)
            line[0].set_ylabel("RMSE" if what == "rmse" else "bias")
        for ax in axes[1]:
            ax.set_xlabel("true accuracy at k₂")
        axes[0, 0].legend(frameon=False, fontsize=8)
        return figure


def _all(largest: dict[tuple[int, int, str], Summary]) -> str:
    names = [*ours(), ORACLE]
    lines = []
    for k1, targets in HALVES.items():
        for k2 in targets:
            found = [largest.get((k1, k2, name)) for name in names]
            best = min((each.value for each in found[:-1] if each is not None), default=None)
            cells = [shown(each, bold=each is not None and each.value == best) for each in found[:-1]]
            lines.append([f"{k1:,} → {k2:,}", *cells, shown(found[-1])])
    return table(["k₁ → k₂", *names], lines)


def _reproduction(largest: dict[tuple[int, int, str], Summary], *, judged: bool) -> tuple[str, str]:
    """Printed and repeated figures with their distance in standard errors, and how many agree."""
    lines, inside, compared = [], 0, 0
    for (k1, k2), printed in PRINTED.items():
        cells = [f"{k1:,} → {k2:,}"]
        for name, (value, se) in zip(PUBLISHED, printed, strict=True):
            found = largest.get((k1, k2, name + AUTHORS))
            cells.append(f"{value:.3f} ({se:.3f})")
            if found is None:
                cells += ["–", "–"]
                continue
            away = distance(found, value, se)
            compared += 1
            inside += abs(away) <= 2
            cells += [str(found), f"{away:+.1f}" if judged else "–"]
        lines.append(cells)
    heads = ["k₁ → k₂", *(head for name in PUBLISHED for head in (f"{name}, printed", "again", "SEs"))]
    return table(heads, lines), f"{inside} of {compared}" if judged else "not counted in a quick run"


def distance(found: Summary, value: float, se: float) -> float:
    """How many standard errors lie between a measured and a printed figure, beyond the rounding of the latter."""
    gap = found.value - value
    beyond = np.sign(gap) * max(0.0, abs(gap) - ROUNDING)
    return float(beyond / np.hypot(found.se, max(se, ROUNDING / 2)))
