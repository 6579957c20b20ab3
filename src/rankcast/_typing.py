"""Names for the array types that pass between modules."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
Array: TypeAlias = npt.NDArray[Any]
Seed: TypeAlias = "int | np.random.Generator | None"
Counts: TypeAlias = "int | Sequence[int] | IntArray"
