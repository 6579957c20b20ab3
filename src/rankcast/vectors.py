"""Vectors as they are stored, and what they mean as float64."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ._typing import Array, FloatArray, IntArray
from .errors import InputError
from .tensors import TensorStore


class Store(Protocol):
    """Rows of numbers that can be read by a slice or by row numbers: an array, a memory map or an open file."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and of dimensions."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""

    def __getitem__(self, rows: Any, /) -> Array:
        """Some rows."""


class RemoteStore(ABC):
    """A store that is somewhere else: a part of it can be named without reading it."""

    @abstractmethod
    def section(self, rows: slice | IntArray) -> Store:
        """Some rows, not read yet."""


@dataclass(frozen=True, eq=False)
class Vectors:
    """Stored numbers, a scale for quantised ones, and whether each vector is divided by its length.

    The float64 value of a vector depends on its stored numbers alone, not on how it was read, so that equal
    vectors stay equal.
    """

    store: Store
    what: str
    scale: FloatArray | None = None
    unit: bool = False

    @classmethod
    def build(cls, store: Store, what: str, scale: Any, unit: bool) -> "Vectors":
        """Check type, shape and scale: a number, or one for each vector."""
        if store.dtype.kind not in "fiu":
            raise InputError(f"{what} must be numbers, found type {store.dtype}")
        if len(store.shape) != 2:
            raise InputError(f"{what} must have two dimensions (vectors × d), found {len(store.shape)}")
        if scale is None:
            return cls(store, what, None, unit)
        factor = np.asarray(scale, np.float64)
        if factor.ndim == 0:
            factor = np.full(1, factor)
        elif factor.shape != (store.shape[0],):
            raise InputError(
                f"the scale of {what} must be a number or one for each of the {store.shape[0]} vectors, "
                f"found shape {factor.shape}"
            )
        if not (np.isfinite(factor).all() and (factor > 0).all()):
            raise InputError(f"the scale of {what} must be positive and finite")
        return cls(store, what, factor, unit)

    def __len__(self) -> int:
        return self.store.shape[0]

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self.store.shape[1]

    @property
    def in_memory(self) -> bool:
        """Whether the numbers are an array, a memory map or a tensor, which cost nothing to slice."""
        return isinstance(self.store, np.ndarray | TensorStore)

    def take(self, rows: slice | IntArray) -> "Vectors":
        """Some of the vectors, as they are stored: a view where the store gives one."""
        store = self.store.part(rows) if isinstance(self.store, TensorStore) else np.asarray(self.store[rows])
        return replace(self, store=store, scale=self._scale(rows))

    def section(self, rows: slice | IntArray) -> "Vectors":
        """Some of the vectors, not read yet if they are somewhere else."""
        if not isinstance(self.store, RemoteStore):
            return self.take(rows)
        return replace(self, store=self.store.section(rows), scale=self._scale(rows))

    def _scale(self, rows: slice | IntArray) -> FloatArray | None:
        return self.scale if self.scale is None or len(self.scale) == 1 else self.scale[rows]

    def float64(self, rows: slice | IntArray) -> FloatArray:
        """The meaning of some vectors, in C order."""
        part = np.array(self.store[rows], np.float64, order="C")
        if not np.isfinite(part).all():
            raise InputError(f"{self.what} holds NaN or infinite values: drop such vectors first")
        if self.scale is not None:
            part *= self.scale if len(self.scale) == 1 else self.scale[rows, None]
        if self.unit:
            length = np.sqrt((part**2).sum(axis=1, keepdims=True))
            if not length.all():
                raise InputError(f"{self.what} holds a zero vector, whose cosine is undefined: drop it or use 'dot'")
            part /= length
        return part
