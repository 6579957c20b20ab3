"""Laws of random vectors, from which populations are built."""

from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Vectors: TypeAlias = npt.NDArray[np.float32]
Reals: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Rng: TypeAlias = np.random.Generator
T = TypeVar("T")

LAWS = ("normal", "student", "student-axes", "laplace", "uniform", "skewed", "sparse")
_LONGEST = 1e4  # longer draws of the heaviest tails would swamp single precision


def pick(rng: Rng, options: dict[T, float]) -> T:
    """One of the keys, with probability in proportion to its value."""
    names, weight = list(options), np.array(list(options.values()), float)
    return names[int(rng.choice(len(names), p=weight / weight.sum()))]


def log_uniform(rng: Rng, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def log_integer(rng: Rng, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high`` (included), roughly log-uniform."""
    return min(high, int(log_uniform(rng, low, high + 1)))


def power_axes(dim: int, exponent: float) -> Vectors:
    """Scales of the axes when variances fall like a power of their rank; the variances sum to one.

    Examples
    --------
    >>> power_axes(4, 0.0)
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """
    variance = np.arange(1, dim + 1) ** -float(exponent)
    return np.asarray(np.sqrt(variance / variance.sum()), np.float32)


@dataclass(frozen=True, eq=False)
class Cloud:
    """Independent vectors around zero, of total variance one when the axes are those of :func:`power_axes`.

    Parameters
    ----------
    law : str
        One of ``LAWS``. Student's t comes with one radius per vector (``student``) or per coordinate.
    axes : ndarray
        Scale of each coordinate.
    tail : float
        Degrees of freedom of Student's t; share of non-zero coordinates of ``sparse``.
    """

    law: str
    axes: Vectors
    tail: float = 4.0

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return len(self.axes)

    def points(self, n: int, rng: Rng) -> Vectors:
        """Draw ``n`` vectors."""
        size = (n, self.dim)
        match self.law:
            case "uniform":
                x = (rng.random(size, np.float32) - np.float32(0.5)) * np.float32(np.sqrt(12))
            case "skewed":
                x = rng.standard_exponential(size, np.float32) - np.float32(1)
            case "laplace":
                x = rng.standard_normal(size, np.float32)
                x *= np.sqrt(rng.standard_exponential(size, np.float32))
            case "sparse":
                x = rng.standard_normal(size, np.float32) * (rng.random(size, np.float32) < self.tail)
                x *= np.float32(self.tail**-0.5)
            case _:
                x = rng.standard_normal(size, np.float32)
        if self.law == "student":
            x *= _radius(rng, self.tail, (n, 1))
        elif self.law == "student-axes":
            x *= _radius(rng, self.tail, size)
        x *= self.axes
        return x


def _radius(rng: Rng, df: float, size: tuple[int, int]) -> Vectors:
    half = np.float32(df / 2)
    gamma = rng.standard_gamma(half, size, np.float32)
    return np.minimum(np.sqrt(half / np.maximum(gamma, np.float32(1e-12))), np.float32(_LONGEST))
