"""Han characters: recognise a character printed in one typeface from its picture in another.

The package holds 300 of the 75,763 characters, and the exact accuracy curve of all of them, so that a forecast
from the 300 can be checked against the truth.
"""

from importlib.resources import files

import numpy as np

from .._typing import FloatArray, IntArray
from ..evidence import Evidence

TOTAL = 75_763


def _arrays() -> dict[str, np.ndarray]:
    with files("rankcast.datasets").joinpath("han_demo.npz").open("rb") as file:
        archive = np.load(file, allow_pickle=False)
        return {name: archive[name] for name in archive.files}


def evidence() -> Evidence:
    """Match 300 characters in the typeface TW-Kai against themselves in TW-Sung."""
    data = _arrays()
    names = np.array([chr(point) for point in data["codepoint"]])
    return Evidence.from_embeddings(data["gallery"], names, data["probes"], names)


def truth() -> tuple[IntArray, FloatArray]:
    """Numbers of classes up to 75,763, and the exact accuracy on that many random characters."""
    data = _arrays()
    return data["truth_k"].astype(np.int64), data["truth"]
