"""The register of families, and what makes a population of a geometry."""

from collections.abc import Callable

import numpy as np

from . import ingredients as draw
from .geometry import Geometry, Groups, Manifold, Spread, Subspaces
from .matching import DISTANCES, Report
from .populations import Population
from .sampling import Cloud, Rng, log_integer, log_uniform, pick
from .vectors import VectorPopulation

Maker = Callable[[Rng], Population]
FAMILIES: dict[str, Maker] = {}
TRAIN: list[str] = []
HELD_OUT: list[str] = []
STRUCTURED: list[str] = []
LATENT = (4, 40)  # dimensions of a curved sheet


def family(members: list[str]) -> Callable[[Maker], Maker]:
    """Register a family, by the name of its function, in one of the lists."""

    def register(make: Maker) -> Maker:
        FAMILIES[make.__name__] = make
        members.append(make.__name__)
        return make

    return register


def _fine(geometry: Geometry) -> bool:
    """Whether classes get too close to each other for single precision."""
    if isinstance(geometry, Groups):
        return float(geometry.spread.min()) < 0.02
    if isinstance(geometry, Manifold):
        return geometry.latent.dim <= 3
    return isinstance(geometry, Subspaces) and geometry.latent.dim <= 3


def dressed(
    rng: Rng,
    name: str,
    geometry: Geometry,
    kinds: dict[str, float],
    *,
    grouped: bool = False,
    softmax: float = 0.1,
) -> VectorPopulation:
    """Dress a geometry with random noise, gallery, score and report."""
    axes = geometry.cloud.axes if isinstance(geometry, Spread) else None
    match = draw.match(rng, kinds, geometry.dim, _fine(geometry))
    noise = draw.noise(rng, geometry.dim, axes, grouped)
    return VectorPopulation(
        family=name,
        geometry=geometry,
        noise=noise,
        gallery=draw.gallery(rng, geometry.dim),
        match=match,
        distortion=draw.distortion(rng, geometry.dim) if rng.random() < 0.1 else None,
        report=Report.draw(rng, match.kind in DISTANCES, softmax),
    )


def curved(rng: Rng, low: int, high: int) -> Manifold:
    """A curved sheet in ``low`` to ``high`` dimensions, of few latent ones."""
    ones = np.ones(log_integer(rng, *LATENT), np.float32)
    flat = Spread(Cloud(pick(rng, {"normal": 0.6, "uniform": 0.4}), ones))
    width = log_integer(rng, low, high)
    hidden = [log_integer(rng, 10, 80)] if rng.random() < 0.4 else []
    wave = pick(rng, {"tanh": 0.5, "cos": 0.3, "relu": 0.2})
    return Manifold.build(flat, [*hidden, width], log_uniform(rng, 0.2, 2.5), wave, rng)


def unrounded(report: Report) -> Report:
    """Scores that have ties of their own, or would be slow to round, are not rounded."""
    return Report() if report.kind == "rounded" else report
