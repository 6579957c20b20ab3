"""Errors of repeated forecasts, summed up, with standard errors from a bootstrap of the repetitions."""

from dataclasses import dataclass

import numpy as np

from .._typing import FloatArray

REPLICATES = 1000


@dataclass(frozen=True)
class Summary:
    """A root mean square error and its bootstrap.

    Attributes
    ----------
    value : float
        The error.
    se : float
        Its standard error.
    excess : float
        How much higher the bootstrap is on average. A maximum of noisy errors is too high, and the more so the
        fewer repetitions there are; subtracting this makes studies of different sizes comparable.
    """

    value: float
    se: float
    excess: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.se:.3f})"


def rmse(errors: FloatArray, rng: np.random.Generator) -> Summary:
    """Of errors over repetitions.

    Examples
    --------
    >>> print(rmse(np.array([0.03, -0.04]), np.random.default_rng(0)))
    0.035 (0.004)
    """
    return largest_rmse([errors], rng)


def largest_rmse(errors: list[FloatArray], rng: np.random.Generator) -> Summary:
    """The largest RMSE of several settings, each with its own repetitions.

    The bootstrap draws repetitions within each setting and takes the maximum anew each time.
    """
    settings = [np.asarray(each, float) ** 2 for each in errors]
    draws = np.stack(
        [each[rng.integers(len(each), size=(REPLICATES, len(each)))].mean(axis=1) for each in settings], axis=1
    )
    value = float(np.sqrt(max(each.mean() for each in settings)))
    largest = np.sqrt(draws.max(axis=1))
    return Summary(value, float(largest.std(ddof=1)), float(largest.mean() - value))
