"""Putting evidence together: gallery shards over the same probes add up, different probes are joined."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._typing import Array, FloatArray
from .counts import example_weights
from .errors import InputError

if TYPE_CHECKING:
    from .evidence import Evidence


@dataclass(frozen=True, eq=False)
class Shard:
    """What some evidence is a part of.

    Attributes
    ----------
    probes : str
        Hash of the true classes of the probes and of their scores with them. Equal hashes mean the same probes, the
        same similarity and the same truth: what it takes for counts against different rivals to add up.
    members : ndarray
        Names of the gallery classes that competed, sorted.
    """

    probes: str
    members: Array

    @classmethod
    def of(cls, names: Array, own: FloatArray, members: Array) -> "Shard":
        """The shard of probes of classes ``names`` that score ``own`` with them."""
        digest = hashlib.sha256(np.ascontiguousarray(own, "<f8").tobytes())
        digest.update("\n".join(map(str, names.tolist())).encode())
        return cls(digest.hexdigest(), members)


def merge(parts: "Sequence[Evidence]") -> "Evidence":
    """See :meth:`Evidence.merge`."""
    if any(part.weighting != parts[0].weighting for part in parts):
        raise InputError("cannot merge evidence weighted by class with evidence weighted by example")
    shards = [part.shard for part in parts if part.shard is not None]
    if len(shards) < len(parts) or len(parts) == 1:
        return _joined(parts, None)
    first = shards[0]
    same_probes = [shard.probes == first.probes for shard in shards]
    same_classes = [np.array_equal(shard.members, first.members) for shard in shards]
    if all(same_probes):
        return _added(parts, shards)
    if not all(same_classes):
        other = same_classes.index(False) + 1
        raise InputError(
            f"cannot merge: part {other} was measured on different classes from part 1, and the parts do not all have "
            "the same probes, similarity and truth: merge the gallery shards of each set of probes first"
        )
    if len({shard.probes for shard in shards}) < len(shards):
        raise InputError("cannot merge: some parts hold the same probes against the same classes: drop the copies")
    digest = hashlib.sha256("".join(shard.probes for shard in shards).encode())
    return _joined(parts, Shard(digest.hexdigest(), first.members))


def _added(parts: "Sequence[Evidence]", shards: list[Shard]) -> "Evidence":
    """Counts of the same probes against different classes."""
    from .evidence import Evidence

    everyone = np.concatenate([shard.members for shard in shards])
    members, times = np.unique(everyone, return_counts=True)
    if len(members) < len(everyone):
        twice = members[times > 1]
        raise InputError(
            f"cannot merge: the gallery shards overlap, {len(twice)} classes are in more than one of them, "
            f"e.g. {twice[0]!s}: all exemplars of a class belong in one shard, and a shard is merged once"
        )
    own = parts[0].names[parts[0].label]
    names = np.union1d(members, own)
    label = np.searchsorted(names, own)
    return Evidence(
        beaten=np.sum([part.beaten for part in parts], axis=0),
        tied=np.sum([part.tied for part in parts], axis=0),
        rivals=np.sum([part.rivals for part in parts], axis=0),
        label=label,
        classes=names,
        weight=example_weights(label, parts[0].weighting),
        weighting=parts[0].weighting,
        shard=Shard(shards[0].probes, members),
    )


def _joined(parts: "Sequence[Evidence]", shard: Shard | None) -> "Evidence":
    """Different test examples."""
    from .evidence import Evidence

    first = parts[0]
    if any((part.classes is None) != (first.classes is None) for part in parts):
        raise InputError("cannot merge evidence with labels and evidence without")
    names: Array | None
    if first.classes is None:
        names, label = None, np.arange(sum(len(part) for part in parts))
    elif all(np.array_equal(part.names, first.names) for part in parts):
        names, label = first.classes, np.concatenate([part.label for part in parts])
    elif any(part.scores is not None for part in parts):
        raise InputError("cannot merge: the parts were measured on different classes")
    else:
        own = np.concatenate([part.names[part.label] for part in parts])
        names, label = np.unique(own, return_inverse=True)
    sources = [part.scores for part in parts if part.scores is not None]
    return Evidence(
        beaten=np.concatenate([part.beaten for part in parts]),
        tied=np.concatenate([part.tied for part in parts]),
        rivals=np.concatenate([part.rivals for part in parts]),
        label=label,
        classes=names,
        weight=example_weights(label, first.weighting),
        scores=sources[0].joined(sources) if len(sources) == len(parts) else None,
        weighting=first.weighting,
        shard=shard,
    )
