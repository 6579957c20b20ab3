"""Two views of the same classes, as drawn or spoken, made into the gallery and the tests of a population."""

import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from training.generate import read
from training.sampling import Array, Ints, Reals, Rng, Vectors, log_integer, log_uniform, pick

LEAST, MOST = 24, 200  # components kept
LEAST_CLASSES = 2000


@cache
def stored(path: Path) -> dict[str, np.ndarray]:
    """All arrays of an npz file, which cannot be written to: they serve many populations."""
    arrays = read(path)
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def debian_package(name: str, folder: Path) -> Path:
    """Fetch a package of Debian, unless it is there, and say where its files are."""
    out = (folder / "debian" / name).resolve()
    if not out.exists():
        out.parent.mkdir(exist_ok=True)
        subprocess.run(["apt-get", "--quiet", "download", name], cwd=out.parent, check=True)
        packed = next(out.parent.glob(f"{name}_*.deb"))
        subprocess.run(["dpkg-deb", "--extract", packed, out], check=True)
        packed.unlink()
    return out


def debian_index(pattern: str, folder: Path) -> Iterator[str]:
    """Entries of Debian's indices of packages, read from lists of their own."""
    lists = (folder / "lists").resolve()
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    if not list(lists.glob(pattern)):
        own = ["-o", "Acquire::Languages=en", "-o", f"Dir::State::lists={lists}/"]
        subprocess.run(["apt-get", *own, "update"], check=True)
    for index in sorted(lists.glob(pattern)):
        cat = ["/usr/lib/apt/apt-helper", "cat-file", str(index)]
        yield from subprocess.run(cat, capture_output=True, text=True, check=True).stdout.split("\n\n")


def npm_package(name: str, folder: Path) -> Path:
    """Fetch a package from npm, unless it is there, and say where its files are."""
    out = folder / "npm" / name.replace("/", "-").lstrip("@")
    if not (out / "package").exists():
        out.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(
            ["npm", "pack", "--silent", name], cwd=out, check=True, capture_output=True, text=True
        ).stdout.split()[-1]
        shutil.unpack_archive(out / packed, out)
        (out / packed).unlink()
    return out / "package"


def some_classes(rng: Rng, number: int) -> Ints:
    """Half of the classes to all of them, in random order, but no fewer than a population needs."""
    return rng.permutation(number)[: max(LEAST_CLASSES, int(rng.uniform(0.5, 1.0) * number))]


def components(rng: Rng, views: Vectors, dim: int) -> Vectors:
    """Principal components of views (view, class, feature), centred together or each by itself.

    Their scales are left as they are, made equal, or something between the two.
    """
    middle = views.mean(axis=1, keepdims=True) if rng.random() < 0.5 else views.mean(axis=(0, 1))
    views = views - middle
    learnt = views[int(rng.integers(len(views)))] if rng.random() < 0.5 else np.concatenate(list(views))
    some = learnt[rng.permutation(len(learnt))[:2000]]
    axes = np.linalg.eigh(some.T @ some)[1][:, : -dim - 1 : -1]
    made = views @ axes
    scale = made.std(axis=(0, 1)) + np.float32(1e-6)
    return np.asarray(made * scale ** -np.float32(pick(rng, {0.0: 0.5, 0.5: 0.25, 1.0: 0.25})), np.float32)


def metric(rng: Rng, learn: tuple[Vectors, Vectors]) -> Vectors:
    """A linear map that makes the differences between two views alike in all directions, more or less."""
    apart = (learn[0] - learn[1]).astype(float)
    values, axes = np.linalg.eigh(apart.T @ apart / len(apart))
    values += log_uniform(rng, 0.01, 1.0) * values.mean()
    return np.asarray(axes * values**-0.5, np.float32)


def shrunk(apart: Array, ridge: float) -> Reals:
    """The covariance of differences, with a share of its mean variance added in all directions."""
    apart = apart.astype(float)
    spread = apart.T @ apart / len(apart)
    return np.asarray(spread + ridge * np.trace(spread) / len(spread) * np.eye(len(spread)))


def nearer(rng: Rng, one: Vectors, other: Vectors, least: float) -> Vectors:
    """The other view, often drawn towards the first: what truly differs between the two, but less of it."""
    share = np.float32(rng.uniform(least, 0.9) if rng.random() < 0.7 else 1.0)
    return one + share * (other - one)


def finished(rng: Rng, one: Vectors, other: Vectors, noise: float) -> tuple[Vectors, Vectors]:
    """Either view as the gallery, the other as tests, to which noise is added; on the unit sphere or not."""
    gallery, tests = (one, other) if rng.random() < 0.5 else (other, one)
    if noise:
        tests = tests + np.float32(noise) * tests.std(axis=0) * rng.standard_normal(tests.shape, np.float32)
    if rng.random() < 0.5:
        gallery, tests = unit(gallery), unit(tests)
    return np.ascontiguousarray(gallery, np.float32), np.ascontiguousarray(tests, np.float32)


def several(rng: Rng, gallery: Vectors, tests: Vectors, noise: float) -> tuple[Vectors, Vectors]:
    """Several tests of each class (example, class, feature), to which noise is added; on the unit sphere or not."""
    size = np.float32(some_noise(rng, noise))
    tests = tests + size * tests.std(axis=(0, 1)) * rng.standard_normal(tests.shape, np.float32)
    if rng.random() < 0.5:
        gallery, tests = unit(gallery), unit(tests)
    return np.ascontiguousarray(gallery, np.float32), np.ascontiguousarray(tests, np.float32)


def aided(
    rng: Rng, views: Vectors, by: str, least: float, lessons: tuple[float, float], noise: float
) -> tuple[Vectors, Vectors]:
    """The first two views as a population, perhaps with the help of a third: its mean with the first, or a metric.

    ``least`` is the least share of what differs between the two that is kept, ``lessons`` how large a share of the
    classes the metric is learnt from, and ``noise`` the most that is added.
    """
    one, other = views[0], nearer(rng, *views[:2], least)
    if by == "metric":
        some = rng.permutation(len(one))[: int(rng.uniform(*lessons) * len(one))]
        weight = metric(rng, (views[0][some], views[2][some]))
        one, other = one @ weight, other @ weight
    elif by == "mean":
        one = (one + views[2]) / 2
    return finished(rng, one, other, some_noise(rng, noise))


def some_noise(rng: Rng, most: float) -> float:
    """Often none."""
    return log_uniform(rng, 0.1, most) if rng.random() < 0.4 else 0.0


def some_dimensions(rng: Rng, most: int = MOST) -> int:
    """How many components to keep."""
    return log_integer(rng, LEAST, most)


def unit(vectors: Vectors) -> Vectors:
    """Vectors of length one."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), np.float32(1e-9))
