"""torch tensors as stores of vectors: they stay on their device."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._typing import Array, IntArray
from .errors import InputError
from .extras import need


def is_tensor(data: Any) -> bool:
    """Whether this is a torch tensor."""
    return type(data).__module__.partition(".")[0] == "torch" and hasattr(data, "detach")


def is_plain(data: Any) -> bool:
    """Whether numpy can look at this tensor where it is."""
    return str(data.device) == "cpu" and str(data.dtype) != "torch.bfloat16"


@dataclass(frozen=True, eq=False)
class TensorStore:
    """A tensor whose rows are read to the host only where they are asked for."""

    tensor: Any

    @classmethod
    def wrap(cls, data: Any, what: str) -> "TensorStore":
        """Check that the tensor holds numbers."""
        tensor = data.detach()
        if tensor.is_complex() or str(tensor.dtype) == "torch.bool":
            raise InputError(f"{what} must be numbers, found type {tensor.dtype}")
        return cls(tensor)

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and of dimensions."""
        return tuple(self.tensor.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers; numpy has no bfloat16, whose numbers come as float32."""
        name = str(self.tensor.dtype).partition(".")[2]
        return np.dtype("float32" if name == "bfloat16" else name)

    @property
    def on_device(self) -> bool:
        """Whether it is elsewhere than in the memory of the CPU."""
        return str(self.tensor.device) != "cpu"

    def part(self, rows: slice | IntArray) -> "TensorStore":
        """Some rows, on the device."""
        return TensorStore(self.tensor[self._index(rows)])

    def __getitem__(self, rows: slice | IntArray, /) -> Array:
        part = self.tensor[self._index(rows)]
        if str(part.dtype) == "torch.bfloat16":
            part = part.float()
        return np.asarray(part.cpu().numpy())

    def _index(self, rows: slice | IntArray) -> Any:
        if isinstance(rows, slice):
            return rows
        return need("torch", "torch").as_tensor(np.ascontiguousarray(rows), device=self.tensor.device)
