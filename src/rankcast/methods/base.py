"""The one contract that every method keeps."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from .._typing import FloatArray, IntArray
from ..evidence import Evidence
from ..favourability import Favourability
from ..intervals import bootstrap
from ..metrics import Metric
from ..progress import track


class Method(ABC):
    """An estimator of the distribution of U*: a frozen dataclass of its settings with a pure ``fit``.

    Attributes
    ----------
    name : str
        What users call it.
    needs : {"ranks", "scores"}
        What it reads off the evidence.
    reference, cost, fails : str
        Where it was published, how its time grows, and on what data it goes wrong; for the table of methods.
    """

    name: ClassVar[str]
    needs: ClassVar[Literal["ranks", "scores"]]
    reference: ClassVar[str]
    cost: ClassVar[str]
    fails: ClassVar[str]

    @abstractmethod
    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Favourability:
        """Estimate the distribution of U* from the evidence."""

    def fit_with_draws(
        self,
        evidence: Evidence,
        k: IntArray,
        metrics: Sequence[Metric],
        replicates: int,
        fit_rng: np.random.Generator,
        draw_rng: np.random.Generator,
    ) -> tuple[Favourability, list[FloatArray]]:
        """The fit, and for each metric draws at each ``k`` that show how sure it is: replicates × k.

        The draws are those of a bootstrap over classes; a method that knows better overrides this. All metrics see
        the same draws of the classes, whatever the others are.
        """
        fit = self.fit(evidence, fit_rng)
        return fit, [bootstrap(evidence, self, k, metric, replicates, deepcopy(draw_rng)) for metric in metrics]

    def replicate(
        self,
        evidence: Evidence,
        weights: FloatArray,
        k: IntArray,
        metric: Metric,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Metric at each ``k`` when the examples carry each row of ``weights`` instead: replicates × k.

        A method overrides this where it can do better than fitting anew.
        """
        fits = (self.fit(evidence.reweight(weight), rng) for weight in track(weights, len(weights), "replicates"))
        return np.stack([fit.value(k, metric) for fit in fits])


class ExampleMethod(Method):
    """A method that estimates Φ⁻¹(U*) of each example by itself, whatever the weights."""

    @abstractmethod
    def example_z(self, evidence: Evidence, rng: np.random.Generator) -> FloatArray:
        """Estimate Φ⁻¹(U*) of each example."""

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Favourability:
        """Put each example's own weight at its estimated favourability."""
        return Favourability(self.example_z(evidence, rng), evidence.weight)

    def fit_with_draws(
        self,
        evidence: Evidence,
        k: IntArray,
        metrics: Sequence[Metric],
        replicates: int,
        fit_rng: np.random.Generator,
        draw_rng: np.random.Generator,
    ) -> tuple[Favourability, list[FloatArray]]:
        """The same, with the examples estimated once."""
        return Method.fit_with_draws(
            _Known(self.example_z(evidence, fit_rng)), evidence, k, metrics, replicates, fit_rng, draw_rng
        )

    def replicate(
        self,
        evidence: Evidence,
        weights: FloatArray,
        k: IntArray,
        metric: Metric,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Reweight the examples; their favourabilities stay."""
        z = self.example_z(evidence, rng)
        shares = weights / weights.sum(axis=1, keepdims=True)
        gains = [metric.given_favourability(z, np.asarray(count, float)) for count in k]
        return np.stack([shares @ gain for gain in gains], axis=1)


@dataclass(frozen=True, eq=False)
class _Known(ExampleMethod):
    """Estimates that were made before."""

    z: FloatArray

    def example_z(self, evidence: Evidence, rng: np.random.Generator) -> FloatArray:
        """As they were."""
        return self.z
