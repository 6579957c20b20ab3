"""Embeddings → evidence: probes matched against a gallery."""

from pathlib import Path
from typing import Any

import numpy as np

from .budget import parse_memory
from .counting import Plan
from .counts import Weighting
from .embeddings import Embeddings, check_choices
from .errors import InputError
from .evidence import Evidence
from .gallery import Gallery
from .tables import check_labels, encode_labels, to_numpy
from .vectors import Vectors


def match(
    gallery: Any,
    gallery_labels: Any,
    probes: Any,
    probe_labels: Any,
    *,
    similarity: str,
    exemplars: str,
    weighting: Weighting,
    gallery_scale: Any,
    probe_scale: Any,
    memory: str | int,
    precision: str,
    checkpoint: str | Path | None,
) -> Evidence:
    """See :meth:`Evidence.from_embeddings`."""
    check_choices(similarity, exemplars)
    plan = Plan(parse_memory(memory), precision)
    unit = similarity == "cosine"
    vectors = Vectors.build(to_numpy(gallery, "gallery"), "gallery", gallery_scale, unit)
    tests = Vectors.build(to_numpy(probes, "probes"), "probes", probe_scale, unit)
    owner = check_labels(gallery_labels, len(vectors), vectors.store.shape, "gallery_labels", "gallery")
    names, column = np.unique(owner, return_inverse=True)
    if len(names) < 2:
        raise InputError(f"the gallery needs at least 2 classes, found {len(names)}")
    source = Embeddings(Gallery(vectors, column, exemplars == "mean"), tests, similarity, plan)
    given = check_labels(probe_labels, len(tests), tests.store.shape, "probe_labels", "probes")
    label = encode_labels(given, names, len(names), strict=True, what="probe_labels")
    own = source.own_scores(label)
    beaten, tied = source.count_against(own, None if checkpoint is None else Path(checkpoint))
    return Evidence.counted(source, beaten, tied - 1, label, names, weighting)
