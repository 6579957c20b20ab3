"""Beyond the paper: the same protocol on five more data sets, up to 235 times the classes measured."""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .._typing import FloatArray
from ..datasets import local, populations
from ..datasets.populations import Real, Sample
from ..evidence import Evidence
from ..methods import Method
from ..methods.pooled import Pooled
from .columns import COLOURS, ours
from .markdown import page, shown, table
from .study import ORACLE, Findings, Results, Row, Study
from .summaries import Summary, rmse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHARACTERS = 901
# data set, classes measured, classes forecast
DRAWN = (
    ("Omniglot", 100, (CHARACTERS,)),
    ("Omniglot softmax", 100, (CHARACTERS,)),
    ("ImageNet", 100, (1000,)),
    ("Han", 500, (5000, 20_000, 75_763)),
    ("WordNet", 500, (5000, 20_000, 117_659)),
)
RETRAINED, RESTRICTED = "retrained", "restricted"
TRAINED_ON = (50, 100, 200, 400)


@dataclass(frozen=True)
class Beyond(Study):
    """Random draws of classes from real data, and classifiers that were retrained at each number of classes."""

    name: ClassVar[str] = "beyond"
    title: ClassVar[str] = "Beyond the paper: characters, photos, glyphs and words"

    def rows(self) -> list[Row]:
        """Draws of classes, then what was trained on fewer classes."""
        drawn = [Row(name, k1, k, 3 if self.quick else 20, 1) for name, k1, k in DRAWN]
        seeds = 1 if self.quick else 5
        return drawn + [Row(way, k1, (CHARACTERS,), seeds) for k1 in TRAINED_ON for way in (RETRAINED, RESTRICTED)]

    def columns(self) -> dict[str, Method]:
        """Ours, and the pooled tail."""
        return ours() | {"pooled": Pooled()}

    def columns_of(self, row: Row) -> list[str]:
        """The limit is known for random draws."""
        names = super().columns_of(row)
        return [name for name in names if name != ORACLE] if row.name in (RETRAINED, RESTRICTED) else names

    def truth_settings(self) -> dict[str, Any]:
        """Test examples ranked among all classes."""
        return {"tests": self._tests}

    @property
    def _tests(self) -> int:
        return 3000 if self.quick else 30_000

    def sample(self, row: Row, rng: np.random.Generator) -> Sample:
        """Random classes, or the one set that a classifier was trained on."""
        if row.name in (RETRAINED, RESTRICTED):
            return Sample(_trained(self.data, row.name, row.k1), _population(self.data, "Omniglot softmax", 0).truth)
        return _population(self.data, row.name, self._tests).draw(row.k1, rng)

    def truth(self, row: Row) -> FloatArray:
        """Exact ranks among all classes."""
        name = "Omniglot softmax" if row.name in (RETRAINED, RESTRICTED) else row.name
        return _population(self.data, name, self._tests).truth(list(row.k))

    def findings(self, results: Results) -> Findings:
        """Errors on draws, the question of retraining, and a figure."""
        names = [*self.columns(), ORACLE]
        drawn = [row for row in self.rows() if row.name not in (RETRAINED, RESTRICTED)]
        errors = {
            (row.name, k, name): rmse(each[:, at], np.random.default_rng(0))
            for row in drawn
            for name in names
            if (each := results.errors(row, name)) is not None
            for at, k in enumerate(row.k)
        }
        lines = []
        for row in drawn:
            for at, k in enumerate(row.k):
                found = [errors.get((row.name, k, name)) for name in names]
                best = min((one.value for one in found[:-1] if one is not None), default=None)
                cells = [shown(one, bold=one is not None and one.value == best) for one in found[:-1]]
                head = [f"{row.name} {row.k1} → {k:,}", f"{results.truth(row)[at]:.3f}"]
                lines.append([*head, *cells, shown(found[-1])])
        text = page(
            "beyond",
            quick=self.quick,
            draws=str(drawn[0].repetitions),
            all=table(["data, k₁ → k₂", "truth", *names], lines),
            retraining=self._retraining(results),
        )
        return Findings(text, self._numbers(results), {"beyond_rmse": self._figure(errors)})

    def _retraining(self, results: Results) -> str:
        names = list(self.columns())
        rows = [row for row in self.rows() if row.name in (RETRAINED, RESTRICTED)]
        lines = []
        for row in rows:
            values = [results.get((row, name)) for name in names]
            cells = ["–" if value is None else f"{value.mean():.3f}" for value in values]
            lines.append([f"{row.k1} → {CHARACTERS}", row.name, f"{results.truth(row)[0]:.3f}", *cells])
        gaps = ["mean difference", "", ""]
        for name in names:
            here, there = (
                [results[row, name].mean() for row in rows if row.name == way and (row, name) in results]
                for way in (RETRAINED, RESTRICTED)
            )
            if min(len(here), len(there)) < len(TRAINED_ON):
                gaps.append("–")
                continue
            gap = np.mean(here) - np.mean(there)
            gaps.append(f"{gap:+.3f}")
        return table(["k₁ → k₂", "classifier", "truth", *names], [*lines, gaps])

    def _numbers(self, results: Results) -> list[dict[str, Any]]:
        return [
            {
                "data": row.name,
                "k1": row.k1,
                "k2": k,
                "column": column,
                "truth": float(results.truth(row)[at]),
                "mean": float(values[:, at].mean()),
                "rmse": float(np.sqrt(np.mean((values[:, at] - results.truth(row)[at]) ** 2))),
                "bias": float(values[:, at].mean() - results.truth(row)[at]),
                "repetitions": len(values),
            }
            for (row, column), values in results.items()
            for at, k in enumerate(row.k)
            if column in [*self.columns(), ORACLE]
        ]

    def _figure(self, errors: dict[tuple[str, int, str], Summary]) -> "Figure":
        from matplotlib.figure import Figure

        ax = Figure(figsize=(8, 4.8), layout="constrained").subplots()
        places = [(name, k1, k) for name, k1, ks in DRAWN for k in ks][::-1]
        for column in [*self.columns(), ORACLE]:
            found = [(errors.get((name, k, column)), at) for at, (name, _, k) in enumerate(places)]
            points = [(one.value, at) for one, at in found if one is not None]
            marker = "D" if column == "auto" else "|" if column == ORACLE else "o"
            size = 70 if column == "auto" else 160 if column == ORACLE else 35
            if points:
                x, y = zip(*points, strict=True)
                ax.scatter(x, y, s=size, marker=marker, color=COLOURS[column], label=column, zorder=3)
        ax.set_yticks(range(len(places)), [f"{name} {k1} → {k:,}" for name, k1, k in places])
        ax.set_xlabel("RMSE of the forecast accuracy")
        ax.set_xlim(left=0)
        ax.grid(alpha=0.2)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize=9)
        figure = ax.get_figure(root=True)
        assert figure is not None
        return figure


@cache
def _population(data: str | None, name: str, tests: int) -> Real:
    if name == "Han":
        return populations.han(data, tests)
    if name == "WordNet":
        return populations.wordnet(data, tests)
    if name == "Omniglot":
        return populations.omniglot(data)
    return populations.imagenet(data) if name == "ImageNet" else populations.softmax(data)


@cache
def _trained(data: str | None, way: str, k1: int) -> Evidence:
    """A softmax on ``k1`` Omniglot classes: trained on these alone, or on all and restricted to them."""
    arrays = local.load("omniglot-softmax", data)
    if way == RETRAINED:
        return Evidence.from_scores(arrays[f"logits_{k1}"].astype(np.float32), arrays[f"label_{k1}"])
    full = Evidence.from_scores(arrays["logits"].astype(np.float32), arrays["label"])
    return full.subset(arrays[f"classes_{k1}"])
