"""Table 3: Telugu characters, the paper's own scores of three trained classifiers."""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from .._typing import Counts, FloatArray
from ..datasets import telugu
from ..datasets.populations import Sample
from ..evidence import Evidence
from ..methods import Method
from .columns import AUTHORS, PUBLISHED, authors, ours
from .markdown import page, table
from .study import Findings, Results, Row, Study

# classifier, k₁, k₂, then as printed: ClassExReg, KDE-BCV, KDE-UCV; then the R package: ClassExReg (mean and sd over
# 20 seeds), KDE-BCV and KDE-UCV
PRINTED = (
    ("deepcnn", 20, 100, (0.9905, 0.7138, 0.6507), (0.9905, 0.000, 0.6507, 0.7139)),
    ("logistic", 20, 100, (0.8980, 0.8414, 0.8161), (0.9123, 0.011, 0.8161, 0.8415)),
    ("svm", 20, 100, (0.8192, 0.6544, 0.5771), (0.8653, 0.012, 0.5771, 0.6544)),
    ("deepcnn", 20, 400, (0.9614, 0.4903, 0.3863), (0.9861, 0.000, 0.3863, 0.4903)),
    ("logistic", 20, 400, (0.8824, 0.7467, 0.7015), (0.8669, 0.024, 0.7015, 0.7467)),
    ("svm", 20, 400, (0.6725, 0.5163, 0.4070), (0.8010, 0.027, 0.4070, 0.5163)),
    ("deepcnn", 100, 400, (0.9837, 0.8910, 0.8625), None),
    ("logistic", 100, 400, (0.7214, 0.7089, 0.6776), (0.7328, 0.015, 0.6776, 0.7088)),
    ("svm", 100, 400, (0.5969, 0.4369, 0.3528), (0.6084, 0.013, 0.3528, 0.4369)),
)


@dataclass(frozen=True)
class Table3(Study):
    """One measurement for each classifier and number of characters; only the seed of a method varies."""

    name: ClassVar[str] = "table3"
    title: ClassVar[str] = "Table 3: Telugu characters"

    def rows(self) -> list[Row]:
        """All that scores exist for."""
        pairs = dict.fromkeys((classifier, k1) for classifier, k1, _, _, again in PRINTED if again is not None)
        seeds = 3 if self.quick else 20
        return [Row(name, k1, (100, 400) if k1 == 20 else (400,), seeds, 5) for name, k1 in pairs]

    def columns(self) -> dict[str, Method]:
        """The authors regressed on every number of classes here."""
        return authors() | ours()

    def oracles(self) -> bool:
        """Classifiers were retrained on more classes: there is no favourability to know."""
        return False

    def sample(self, row: Row, rng: np.random.Generator) -> Sample:
        """Always the same."""
        return Sample(_measured(self.data, row.name, row.k1), _unknown)

    def truth(self, row: Row) -> FloatArray:
        """Accuracy of the classifier retrained on k₂ characters."""
        return np.array([telugu.TRUTH[row.name][k] for k in row.k])

    def findings(self, results: Results) -> Findings:
        """The printed table with its columns put right, and all methods."""
        found = {
            (row.name, row.k1, k, column): (values[:, at].mean(), values[:, at].std())
            for (row, column), values in results.items()
            for at, k in enumerate(row.k)
        }
        seeds = str(self.rows()[0].repetitions)
        text = page("table3", quick=self.quick, seeds=seeds, right=_put_right(found), all=self._all(found))
        numbers = [
            {"classifier": name, "k1": k1, "k2": k, "column": column, "mean": float(mean), "sd": float(sd)}
            for (name, k1, k, column), (mean, sd) in found.items()
        ]
        return Findings(text, numbers)

    def _all(self, found: dict[tuple[str, int, int, str], Any]) -> str:
        names = list(ours())
        errors: dict[str, list[float]] = {name: [] for name in names}
        lines = []
        for classifier, k1, k2, _, again in PRINTED:
            if again is None:
                continue
            truth = telugu.TRUTH[classifier][k2]
            cells = []
            for name in names:
                value = found.get((classifier, k1, k2, name))
                if value is not None:
                    errors[name].append(abs(value[0] - truth))
                cells.append(_seen(value))
            lines.append([f"{k1} → {k2}", classifier, f"{truth:.4f}", *cells])
        last = [f"{np.mean(errors[name]):.3f}" if errors[name] else "–" for name in names]
        lines.append(["mean absolute error", "", "", *last])
        return table(["k₁ → k₂", "classifier", "truth", *names], lines)


def _put_right(found: dict[tuple[str, int, int, str], Any]) -> str:
    heads = ["k₁ → k₂", "classifier", "truth", "ClassExReg, printed", "R package", "here"]
    for name in ("KDE-BCV", "KDE-UCV"):
        heads += [f"{name}, printed", "R", "here"]
    lines = []
    for classifier, k1, k2, printed, again in PRINTED:
        here = [_seen(found.get((classifier, k1, k2, name + AUTHORS))) for name in PUBLISHED]
        r = ["–"] * 3 if again is None else [f"{again[0]:.4f} ({again[1]:.3f})", f"{again[2]:.4f}", f"{again[3]:.4f}"]
        both = zip(printed, r, here, strict=True)
        values = [cell for value, from_r, mine in both for cell in (f"{value:.4f}", from_r, mine)]
        lines.append([f"{k1} → {k2}", classifier, f"{telugu.TRUTH[classifier][k2]:.4f}", *values])
    return table(heads, lines)


def _seen(value: tuple[float, float] | None) -> str:
    if value is None:
        return "–"
    return f"{value[0]:.4f}" if value[1] < 5e-5 else f"{value[0]:.4f} ({value[1]:.3f})"


@cache
def _measured(data: str | None, classifier: str, k1: int) -> Evidence:
    return telugu.evidence(classifier, k1, data)


def _unknown(k: Counts) -> FloatArray:
    raise NotImplementedError("there is no oracle for classifiers that are retrained")
