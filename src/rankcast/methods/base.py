"""The one contract that every method keeps."""

from abc import ABC, abstractmethod
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
        metric: Metric,
        replicates: int,
        fit_rng: np.random.Generator,
        draw_rng: np.random.Generator,
    ) -> tuple[Favourability, FloatArray]:
        """The fit, and draws of the metric at each ``k`` that show how sure it is: replicates × k.

        The draws are those of a bootstrap over classes; a method that knows better overrides this.
        """
        fit = self.fit(evidence, fit_rng)
        return fit, bootstrap(evidence, self, k, metric, replicates, draw_rng)

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
