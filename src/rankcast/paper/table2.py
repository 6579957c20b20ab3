"""Table 2 and the face figure: Labeled Faces in the Wild, from 100, 200 and 400 people to all with two photos."""

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .._typing import FloatArray
from ..datasets.populations import Pairs, Sample, faces
from ..methods import Method
from .columns import AUTHORS, COLOURS, PUBLISHED, authors, ours
from .markdown import page, shown, table
from .study import ORACLE, Findings, Results, Row, Study
from .summaries import Summary, rmse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PEOPLE = 1680
SIZES = (100, 200, 400)
# RMSE and its standard error as printed, with another network and 1672 people: ClassExReg, KDE-BCV, KDE-UCV
PRINTED = {
    100: ((0.113, 0.002), (0.053, 0.001), (0.082, 0.001)),
    200: ((0.058, 0.002), (0.037, 0.001), (0.057, 0.001)),
    400: ((0.050, 0.001), (0.024, 0.001), (0.035, 0.001)),
}
DISTANCE, SQUARE = "distance", "squared distance"
_GRID = tuple(int(k) for k in np.unique(np.rint(np.geomspace(2, PEOPLE, 25))))


@dataclass(frozen=True)
class Table2(Study):
    """Two photos of each person, one to recognise the other by; subsets of people, nearest neighbour."""

    name: ClassVar[str] = "table2"
    title: ClassVar[str] = "Table 2 and the face figure: Labeled Faces in the Wild"

    def rows(self) -> list[Row]:
        """A row for each number of people measured, and again with squared distances for the score methods."""
        repetitions = 10 if self.quick else 100
        return [Row(score, k1, _GRID, repetitions) for score in (DISTANCE, SQUARE) for k1 in SIZES]

    def columns(self) -> dict[str, Method]:
        """The authors' settings and ours."""
        return authors() | ours()

    def columns_of(self, row: Row) -> list[str]:
        """Ranks do not change with the square, so only the kernel densities see it."""
        names = super().columns_of(row)
        return names if row.name == DISTANCE else [name for name in names if name.startswith("kde")]

    def seed(self, row: Row) -> int:
        """The same people whatever the score."""
        return super().seed(replace(row, name=DISTANCE))

    def sample(self, row: Row, rng: np.random.Generator) -> Sample:
        """Some of the people."""
        return _people(self.data, row.name).draw(row.k1, rng)

    def truth(self, row: Row) -> FloatArray:
        """The exact curve of all people."""
        return _people(self.data, row.name).truth(list(row.k))

    def findings(self, results: Results) -> Findings:
        """The table and the spaghetti."""
        errors = {(row.name, row.k1, column): self._error(results, row, column) for row, column in results}
        first = self.rows()[0]
        names = [*ours(), ORACLE]
        lines = [[str(k1), *(shown(errors.get((DISTANCE, k1, name))) for name in names)] for k1 in SIZES]
        text = page(
            "table2",
            quick=self.quick,
            people=f"{PEOPLE:,}",
            truth=f"{results.truth(first)[-1]:.1%}",
            subsets=str(first.repetitions),
            all=table(["k₁", *names], lines),
            published=self._published(errors),
        )
        return Findings(text, self._numbers(results), {"table2_curves": self._figure(results)})

    def _error(self, results: Results, row: Row, column: str) -> Summary | None:
        found = results.errors(row, column)
        return None if found is None else rmse(found[:, -1], np.random.default_rng(0))

    def _published(self, errors: dict[tuple[str, int, str], Summary | None]) -> str:
        heads = ["k₁"]
        for name in PUBLISHED:
            heads += [f"{name}, printed", "distance", *(["squared"] if name.startswith("kde") else [])]
        lines = []
        for k1, printed in PRINTED.items():
            cells = [str(k1)]
            for name, (value, se) in zip(PUBLISHED, printed, strict=True):
                cells += [f"{value:.3f} ({se:.3f})", shown(errors.get((DISTANCE, k1, name + AUTHORS)))]
                if name.startswith("kde"):
                    cells.append(shown(errors.get((SQUARE, k1, name + AUTHORS))))
            lines.append(cells)
        return table(heads, lines)

    def _numbers(self, results: Results) -> list[dict[str, Any]]:
        numbers = []
        for row, column in results:
            errors = results.errors(row, column)
            if errors is None or column not in [*self.columns(), ORACLE]:
                continue
            for at, k in enumerate(row.k):
                numbers.append(
                    {
                        "score": row.name,
                        "k1": row.k1,
                        "k": k,
                        "column": column,
                        "truth": float(results.truth(row)[at]),
                        "mean": float(results[row, column][:, at].mean()),
                        "rmse": float(np.sqrt(np.mean(errors[:, at] ** 2))),
                        "bias": float(errors[:, at].mean()),
                        "repetitions": len(errors),
                    }
                )
        return numbers

    def _figure(self, results: Results) -> "Figure":
        from matplotlib.figure import Figure

        names = [*(name + AUTHORS for name in PUBLISHED), "auto"]
        figure = Figure(figsize=(12, 8), layout="constrained")
        axes = figure.subplots(3, 4, sharex=True, sharey=True)
        for line, row in zip(axes, self.rows(), strict=False):
            for ax, name in zip(line, names, strict=True):
                for curve in results.get((row, name), ()):
                    ax.plot(row.k, curve, color=COLOURS[name.removesuffix(AUTHORS)], lw=0.5, alpha=0.35)
                ax.plot(row.k, results.truth(row), color="#1b1f24", lw=2)
                ax.set_xscale("log")
                ax.set_ylim(0.8, 1.005)
                ax.axvline(row.k1, color="#1b1f24", lw=0.8, ls=":")
                ax.spines[["top", "right"]].set_visible(False)
                if row.k1 == SIZES[0]:
                    ax.set_title(name, fontsize=10)
                if row.k1 == SIZES[-1]:
                    ax.set_xlabel("number of people")
            line[0].set_ylabel(f"accuracy, from {row.k1}")
        return figure


@cache
def _people(data: str | None, score: str) -> Pairs:
    """One gallery and one test photo of each person, the same whenever it is asked for."""
    source = faces(data)
    gallery, probes = source.pair(np.random.default_rng(0), np.arange(source.total))
    return Pairs("LFW", gallery, probes, similarity="euclidean" if score == DISTANCE else "sqeuclidean")
