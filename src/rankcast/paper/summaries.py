"""Errors of repeated forecasts, summed up, with standard errors from a bootstrap of the repetitions."""

from dataclasses import dataclass

import numpy as np
from scipy.signal import savgol_filter

from .._typing import FloatArray

REPLICATES = 1000


@dataclass(frozen=True)
class Summary:
    """A root mean square error and its standard error."""

    value: float
    se: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.se:.3f})"


def rmse(errors: FloatArray, rng: np.random.Generator) -> Summary:
    """Of errors over repetitions.

    Examples
    --------
    >>> print(rmse(np.array([0.03, -0.03]), np.random.default_rng(0)))
    0.030 (0.000)
    """
    return largest_rmse([errors], rng)


def largest_rmse(errors: list[FloatArray], rng: np.random.Generator, *, smooth: int = 0) -> Summary:
    """The largest RMSE of several settings, each with its own repetitions.

    The bootstrap draws repetitions within each setting and takes the maximum anew each time.

    Parameters
    ----------
    errors : list of array
        Of each setting.
    rng : Generator
        For the bootstrap.
    smooth : int
        Before the maximum, put mean square errors on quadratics through so many neighbouring settings. A maximum of
        noisy errors is too high; through 11 settings the noise is that of five times the repetitions.
    """
    settings = [np.asarray(each, float) ** 2 for each in errors]
    draws = np.stack(
        [each[rng.integers(len(each), size=(REPLICATES, len(each)))].mean(axis=1) for each in settings], axis=1
    )
    both = np.vstack([[each.mean() for each in settings], draws])
    if 0 < smooth <= len(settings):
        both = np.maximum(savgol_filter(both, smooth, 2, axis=1), 0)
    largest = np.sqrt(both.max(axis=1))
    return Summary(float(largest[0]), float(largest[1:].std(ddof=1)))
