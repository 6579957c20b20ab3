"""The kernel on the device of a torch tensor.

For tensors in the memory of the CPU numpy's is faster, and needs no copy.
Only counts and the places of unsure pairs come to the host, where those pairs are computed again by the same numpy
formula as everywhere: the counts are equal.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._typing import Array, FloatArray, IntArray
from .extras import need
from .gallery import Chunk
from .kernel import TILE_ROWS, Work
from .tensors import TensorStore

torch: Any = need("torch", "torch")
_TILE_ROWS = 16 * TILE_ROWS  # a GPU wants larger tiles than a CPU's cache


class TorchWork(Work):
    """A chunk of the gallery on its device, extended and rounded for the product."""

    @staticmethod
    def extended_gallery(
        chunk: Chunk, shift: FloatArray, distance: bool, kind: np.dtype[Any], step: int
    ) -> tuple[Any, float]:
        """The vectors extended, ``step`` at a time, and the largest of their squared lengths."""
        store = chunk.vectors.store
        assert isinstance(store, TensorStore)
        device, rows, dimension = store.tensor.device, int(chunk.segments[-1]), len(shift)
        matrix = torch.ones((rows, dimension + 1 + distance), dtype=_kind(kind), device=device)
        middle = torch.as_tensor(shift)
        largest = 0.0
        for start in range(0, rows, step):
            part = _vectors(chunk, start, min(start + step, rows))
            part = part - middle.to(part.device)
            square = (part * part).sum(dim=1)
            largest = max(largest, float(square.max()))
            matrix[start : start + step, :dimension] = part.to(device, matrix.dtype)
            if distance:
                matrix[start : start + step, dimension] = (-0.5 * square).to(device, matrix.dtype)
        return matrix, largest

    def tallies(self, extended: Array) -> Iterator[tuple[slice, IntArray, IntArray]]:
        """For each tile its classes, the certain wins of each probe, and the places of the unsure pairs."""
        device = self.matrix.device
        tests = torch.as_tensor(extended).to(device).T
        sizes = torch.as_tensor(np.diff(self.chunk.segments)).to(device)
        with _full_precision():
            for rows, classes in self.tiles(_TILE_ROWS):
                product = self.matrix[rows] @ tests
                if not self.chunk.single:
                    product = torch.segment_reduce(product, "max", lengths=sizes[classes], axis=0)
                won = product < -1.0
                unsure = ~(won | (product > 1.0))
                wins = won.sum(dim=0, dtype=torch.int32)
                places = unsure.view(-1).nonzero().view(-1)
                yield classes, wins.cpu().numpy().astype(np.int64), places.cpu().numpy()


def _vectors(chunk: Chunk, first: int, last: int) -> Any:
    """Vectors as float64, on their device if it can; what they round to is within the kernel's bound either way."""
    store = chunk.vectors.store
    assert isinstance(store, TensorStore)
    if chunk.mean or store.tensor.device.type == "mps":  # mps has no float64
        return torch.as_tensor(chunk.exemplars(first, last))
    part = store.tensor[first:last].to(torch.float64)
    scale = chunk.vectors.scale
    length = part.norm(dim=1, keepdim=True)
    if not bool((torch.isfinite(length) & (length > 0)).all()):
        return torch.as_tensor(chunk.exemplars(first, last))  # which says what is wrong, if anything is
    if scale is not None and not chunk.vectors.unit:
        part = part * torch.as_tensor(scale if len(scale) == 1 else scale[first:last, None]).to(part.device)
    return part / length if chunk.vectors.unit else part


def _kind(kind: np.dtype[Any]) -> Any:
    return torch.float32 if kind == np.float32 else torch.float64


@contextmanager
def _full_precision() -> Iterator[None]:
    """No TF32 or bfloat16 behind float32: the bound is for float32."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
