"""Embeddings → evidence: probes matched against a gallery, or against a shard or a random part of one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ._typing import Array, FloatArray, IntArray, Seed
from .budget import parse_memory
from .counting import Plan, true_scores
from .counts import Weighting, example_weights
from .embeddings import Embeddings, check_choices
from .errors import InputError
from .evidence import Evidence
from .gallery import Gallery
from .merging import Shard
from .seeds import generator
from .stores import as_store, stored_labels
from .tables import encode_labels
from .vectors import Vectors

Counter = Callable[[Embeddings, FloatArray], tuple[IntArray, IntArray]]


@dataclass(frozen=True, eq=False)
class Enrolled:
    """A gallery and the names of its classes."""

    gallery: Gallery
    names: Array

    @classmethod
    def build(cls, data: Any, labels: Any, scale: Any, what: str, similarity: str, exemplars: str) -> "Enrolled":
        """Check vectors and their labels."""
        vectors = Vectors.build(as_store(data, what), what, scale, similarity == "cosine")
        owner = stored_labels(labels, len(vectors), vectors.store.shape, f"{what}_labels", what)
        names, column = np.unique(owner, return_inverse=True)
        return cls(Gallery(vectors, column, exemplars == "mean"), names)

    def take(self, classes: IntArray) -> "Enrolled":
        """Only some classes."""
        return Enrolled(self.gallery.take(classes), self.names[classes])


def match(
    gallery: Any,
    gallery_labels: Any,
    probes: Any,
    probe_labels: Any,
    *,
    similarity: str = "euclidean",
    exemplars: str = "nearest",
    weighting: Weighting = "class",
    gallery_scale: Any = None,
    probe_scale: Any = None,
    memory: str | int = "1GB",
    precision: str = "float32",
    checkpoint: str | Path | None = None,
    truth: Any = None,
    truth_labels: Any = None,
    truth_scale: Any = None,
    max_probes: int | None = None,
    max_rivals: int | None = None,
    rng: Seed = None,
    counter: Counter | None = None,
) -> Evidence:
    """See :meth:`Evidence.from_embeddings`; ``counter`` does the counting elsewhere."""
    check_choices(similarity, exemplars)
    plan = Plan(parse_memory(memory), precision)
    tests = Vectors.build(as_store(probes, "probes"), "probes", probe_scale, similarity == "cosine")
    given = stored_labels(probe_labels, len(tests), tests.store.shape, "probe_labels", "probes")
    rivals = Enrolled.build(gallery, gallery_labels, gallery_scale, "gallery", similarity, exemplars)
    own = rivals
    if truth is not None:
        own = Enrolled.build(truth, truth_labels, truth_scale, "truth", similarity, exemplars)
        _same_kind(own.names, rivals.names)
    elif len(rivals.names) < 2:
        raise InputError(f"the gallery needs at least 2 classes, found {len(rivals.names)}")
    stream = generator(rng)
    kept = _drawn(len(tests), max_probes, "max_probes", stream)
    if kept is not None:
        tests, given = tests.take(kept), given[kept]
    chosen = _drawn(len(rivals.names), max_rivals, "max_rivals", stream)
    if chosen is not None:
        rivals = rivals.take(chosen)
    source = Embeddings(rivals.gallery, tests, similarity, plan)
    label = encode_labels(given, own.names, len(own.names), strict=True, what="probe_labels")
    example_weights(label, weighting)  # a bad name is known before the work
    scores = replace(source, gallery=own.gallery).own_scores(label)
    saved = None if checkpoint is None else Path(checkpoint)
    beaten, tied = source.count_against(scores, saved) if counter is None else counter(source, scores)
    shard = Shard.of(given, scores, rivals.names)
    if own is rivals:
        return Evidence.counted(source, beaten, tied - 1, label, rivals.names, weighting, shard)
    return _partial(source, scores, beaten, tied, given, shard, weighting)


def _partial(
    source: Embeddings,
    own: FloatArray,
    beaten: IntArray,
    tied: IntArray,
    given: Array,
    shard: Shard,
    weighting: Weighting,
) -> Evidence:
    """Evidence on rivals among which the truth may be or not: where it is, it is no rival."""
    place = np.minimum(np.searchsorted(shard.members, given), len(shard.members) - 1)
    rows = np.nonzero(shard.members[place] == given)[0]
    tests = source.probes.take(rows)
    theirs = true_scores(source.gallery, place[rows], tests, source.distance, source.plan.piece)
    beaten[rows] -= theirs < own[rows]
    tied[rows] -= theirs == own[rows]
    rivals = np.full(len(given), len(shard.members))
    rivals[rows] -= 1
    names = np.union1d(shard.members, given)
    label = np.searchsorted(names, given)
    weight = example_weights(label, weighting)
    made = Evidence(beaten, tied, rivals, label, names, weight, None, weighting, shard)
    return made.checked() if rivals.all() else made


def _same_kind(one: Array, two: Array) -> None:
    if (one.dtype.kind in "US") != (two.dtype.kind in "US"):
        raise InputError(f"truth_labels are of type {one.dtype}, gallery_labels of type {two.dtype}: use the same kind")


def _drawn(size: int, most: int | None, what: str, rng: np.random.Generator) -> IntArray | None:
    """A random subset, sorted; None for all."""
    if most is None:
        return None
    if most < (2 if what == "max_rivals" else 1):
        raise InputError(f"{what} must be at least {2 if what == 'max_rivals' else 1}, found {most}")
    return None if most >= size else np.sort(rng.choice(size, most, replace=False))
