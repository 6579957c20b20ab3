"""Real populations of a recommender: what Debian's packages depend on, and the words that verses are made of.

Users are packages or verses, items are what they depend on or their words, and items are the classes. Needs apt-get
with its indices of packages when prepared, and the verses of ``training.real.text``.
"""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from training.sampling import Ints, Reals, Rng, Vectors, log_integer, pick

from ..generate import write
from .features import RAW, varied, word_counts
from .views import debian_index, nearer, some_classes, some_dimensions, some_noise, stored, unit

RELATIONS = ("Pre-Depends", "Depends", "Recommends", "Suggests", "Tag")
WAYS = ("information", "rarity", "balance")  # to weight what a user has
LEAST_USERS = 4  # of an item that is a class
MOST_TESTS = 4
FURTHEST = {"packages": 1.0, "verses": 0.7}  # the most of what differs between items and users that is kept
SPARE, ROUNDS = 16, 2  # further directions and rounds of a randomised decomposition


def dependencies(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Items, and users who have them but for that very item; or items as seen by two halves of the users."""
    of = pick(rng, {"packages": 0.7, "verses": 0.3})
    users, groups, items = _packages(rng, folder) if of == "packages" else _verses(rng, folder)
    how = pick(rng, {"left out": 0.45, "contexts": 0.35, "aligned": 0.2})
    if how == "left out":
        return _left_out(rng, users, items, FURTHEST[of])
    if how == "aligned" or rng.random() < 0.5:
        groups = np.arange(len(groups))  # packages of one source may be in both halves
    first = (rng.random(groups.max() + 1) < 0.5)[groups]
    halves = [users[first], users[~first]]
    there = np.min([np.asarray(half.sum(axis=0)).ravel() for half in halves], axis=0) >= LEAST_USERS // 2
    items = items[there[items]]
    if how == "contexts":
        table = rng.standard_normal((users.shape[1], RAW)).astype(np.float32)
        way = str(rng.choice(WAYS))
        one, other = (unit(_contexts(_weighted(half, way), table)[items]) for half in halves)
        return varied(rng, one, other)
    dim, way, power = some_dimensions(rng), str(rng.choice(WAYS)), float(rng.choice([0.5, 1.0]))
    one, other = (_embedded(rng, _weighted(half, way), dim, power)[items] for half in halves)
    return varied(rng, unit(one), unit(other), decode=1.0)  # the two spaces are aligned by some of the items


# -- users and their items -------------------------------------------------------------------------------


def _packages(rng: Rng, folder: Path) -> tuple[csr_matrix, Ints, Ints]:
    """Most of the packages or all, their sources, and the items that are packages; with weaker relations, or tags."""
    kept = stored(folder / "dependencies.npz")
    known = pick(rng, {2: 0.3, 4: 0.35, 5: 0.35})  # how many of the relations
    here = (kept["relation"] < known).astype(np.float32)
    made = csr_matrix((here, kept["item"], np.append(0, kept["ends"])), shape=(len(kept["ends"]), len(kept["names"])))
    users, rows = _some(rng, made)
    return users, kept["source"][rows], _common(users, ~np.char.startswith(kept["names"], "tag "))


def _verses(rng: Rng, folder: Path) -> tuple[csr_matrix, Ints, Ints]:
    """Most of the verses of a translation or all, a number for each, and the words that some of them have."""
    kept, name = stored(folder / "verses.npz"), str(rng.choice(["kjv", "web", "asv"]))
    users, rows = _some(rng, word_counts(kept, name))
    return users, np.arange(len(rows)), _common(users, np.ones(users.shape[1], bool))


def _some(rng: Rng, users: csr_matrix) -> tuple[csr_matrix, Ints]:
    """Most or all of the users that have three items or more, each item once; what is stored is left as it is."""
    users = users.copy()
    users.sum_duplicates()
    users.eliminate_zeros()
    users.data[:] = 1
    rows = np.nonzero(np.diff(users.indptr) >= 3)[0]
    rows = rows[rng.random(len(rows)) < rng.uniform(0.8, 1.0)]
    return users[rows], rows


def _common(users: csr_matrix, wanted: np.ndarray) -> Ints:
    return np.nonzero((np.asarray(users.sum(axis=0)).ravel() >= LEAST_USERS) & wanted)[0]


# -- items as vectors ------------------------------------------------------------------------------------


def _weighted(users: csr_matrix, way: str) -> csr_matrix:
    """Entries weighted: positive mutual information, rarity of the item in a user of length one, or both sums' root."""
    row = np.repeat(np.diff(users.indptr), np.diff(users.indptr)).astype(float)
    total: Reals = np.asarray(users.sum(axis=0), float).ravel()
    column = total[users.indices]
    made = users.copy()
    if way == "information":
        made.data = np.maximum(np.log(users.nnz / (row * column)), 0.1).astype(np.float32)
    elif way == "rarity":
        made.data = (np.log(1 + users.shape[0] / column) / np.sqrt(row)).astype(np.float32)
    else:
        made.data = (1 / np.sqrt(row * column)).astype(np.float32)
    return made


def _contexts(users: csr_matrix, table: Vectors) -> Vectors:
    """For each item the sum of what else its users have."""
    own = np.asarray(users.multiply(users).sum(axis=0)).ravel()
    return np.asarray(users.T @ (users @ table) - own[:, None] * table, np.float32)


def _embedded(rng: Rng, users: csr_matrix, dim: int, power: float) -> Vectors:
    """Vectors of the items by a truncated decomposition, scaled by a power of the singular values."""
    basis = rng.standard_normal((users.shape[1], dim + SPARE)).astype(np.float32)
    for _ in range(ROUNDS):
        basis = np.linalg.qr(users.T @ (users @ basis))[0]
    seen = users @ basis
    values, axes = np.linalg.eigh((seen.T @ seen).astype(float))
    scale = np.sqrt(np.maximum(values[: -dim - 1 : -1], 1e-12)) ** power
    return np.asarray(basis @ (axes[:, : -dim - 1 : -1] * scale / scale[0]), np.float32)


def _left_out(rng: Rng, users: csr_matrix, items: Ints, furthest: float) -> tuple[Vectors, Vectors]:
    """Vectors of items, and means of those of what else some of their users have, of which the items are not learnt."""
    each = log_integer(rng, 1, MOST_TESTS)
    number = np.asarray(users.sum(axis=0)).ravel()
    items = items[number[items] >= each + 2]
    items = items[some_classes(rng, len(items))]
    order = np.lexsort((rng.random(users.nnz), users.indices))  # by item, its users at random
    starts = np.append(0, np.cumsum(np.bincount(users.indices, minlength=users.shape[1])))
    tested = order[starts[items] + np.arange(each)[:, None]]  # examples × items
    asked = np.repeat(np.arange(users.shape[0]), np.diff(users.indptr))[tested]
    users = users.copy()
    users.data[tested] = 0
    users.eliminate_zeros()
    known = (np.diff(users.indptr)[asked] > 0).all(axis=0)
    items, asked = items[known], asked[:, known]
    weighted = _weighted(users, str(rng.choice(WAYS)))
    vectors = _embedded(rng, weighted, some_dimensions(rng), float(rng.choice([0.0, 0.5, 1.0])))
    if rng.random() < 0.6:
        vectors = unit(vectors)
    seen = np.array([(weighted if rng.random() < 0.5 else users)[rows] @ vectors for rows in asked], np.float32)
    return _sides(rng, vectors[items], seen, furthest)


def _sides(rng: Rng, gallery: Vectors, tests: Vectors, furthest: float) -> tuple[Vectors, Vectors]:
    """Tests as long as the classes, mixed with some of their own class, with noise, and all to length one or not."""
    first = np.unique(gallery.round(5), axis=0, return_index=True)[1]
    gallery, tests = gallery[first], tests[:, first]
    size = np.linalg.norm(gallery, axis=1).mean()
    aims, tests = unit(gallery), unit(tests)
    tests = size * nearer(rng, aims, aims + np.float32(furthest) * (tests - aims), 0.3)
    if noise := some_noise(rng, 0.5):
        tests = tests + np.float32(noise) * gallery.std(axis=0) * rng.standard_normal(tests.shape, np.float32)
    if rng.random() < 0.5:
        gallery, tests = unit(gallery), unit(tests)
    return np.ascontiguousarray(gallery, np.float32), np.ascontiguousarray(tests, np.float32)


# -- raw material ----------------------------------------------------------------------------------------


def prepare_dependencies(folder: Path) -> None:
    """Read what Debian's packages depend on, recommend and suggest, and their tags, from indices of their own."""
    if (folder / "dependencies.npz").exists():
        return
    names: dict[str, int] = {}
    sources: dict[str, int] = {}
    packages: dict[str, tuple[int, dict[int, int]]] = {}  # source, and each item's relation
    for entry in debian_index("*_Packages*", folder):
        lines = entry.replace("\n ", " ").splitlines()
        said = dict(line.split(": ", 1) for line in lines if ": " in line)
        if "Package" not in said or said["Package"] in packages:
            continue
        items: dict[int, int] = {}
        for relation, field in enumerate(RELATIONS):
            for item in filter(None, (_item(part, field) for part in said.get(field, "").split(","))):
                items.setdefault(names.setdefault(item, len(names)), relation)
        source = said.get("Source", said["Package"]).split()[0]
        packages[said["Package"]] = sources.setdefault(source, len(sources)), items
    users = [items for _, items in packages.values()]
    write(
        folder / "dependencies.npz",
        {
            "item": np.array([item for items in users for item in items], np.int32),
            "relation": np.array([relation for items in users for relation in items.values()], np.int8),
            "ends": np.cumsum([len(items) for items in users]),
            "source": np.array([source for source, _ in packages.values()]),
            "names": np.array(list(names)),
        },
    )


def _item(part: str, field: str) -> str:
    """The first of the packages that will do, without its version; or a tag, marked as one."""
    words = part.split("|")[0].split()
    name = words[0].split(":any")[0] if words else ""
    return f"tag {name}" if name and field == "Tag" else name
