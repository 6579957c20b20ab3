"""Files: written whole or not at all, read without ever unpickling."""

import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from ._typing import Array
from .embeddings import Embeddings
from .errors import InputError, RankcastError
from .evidence import Evidence
from .gallery import Gallery
from .merging import Shard
from .ranking import Scores, ScoreTable
from .vectors import Vectors

_VERSION = 1


def write_whole(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write to a temporary file beside ``path``, and put it in place only when it is complete."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            draft = Path(file.name)
            try:
                write(file)
                file.flush()
                os.fsync(file.fileno())
                draft.chmod(0o666 & ~_umask())
                draft.replace(path)
            except BaseException:
                draft.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_arrays(path: Path) -> dict[str, Array]:
    """All arrays of an ``.npz`` file; pickled objects are refused."""
    with there(path).open("rb") as file:
        archive = _readable(path, lambda: np.load(file, allow_pickle=False))
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise InputError(f"{path}: holds a single array, not an .npz archive")
        return {name: _readable(path, partial(archive.__getitem__, name), name) for name in archive.files}


def read_array(path: Path) -> Array:
    """The array of an ``.npy`` file, mapped into memory rather than read."""
    array = _readable(path, lambda: np.load(there(path), mmap_mode="r", allow_pickle=False))
    if not isinstance(array, np.ndarray):
        array.close()
        raise InputError(f"{path}: is an .npz archive, expected a single .npy array")
    return array


def opened(path: Path, read: Callable[[], Any], *, folder: bool = False) -> Any:
    """What ``read`` gives, or one line that says what is wrong with the file."""
    return _readable(path if folder else there(path), read)


def there(path: Path) -> Path:
    """The path, if it is a file."""
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if path.is_dir():
        raise InputError(f"{path}: is a folder, expected a file")
    return path


def _readable(path: Path, read: Callable[[], Any], name: str = "") -> Any:
    """Turn whatever a damaged file makes numpy, zipfile or zlib raise into one line."""
    where = f"{path}: array {name!r}" if name else f"{path}:"
    try:
        return read()
    except (RankcastError, MemoryError):
        raise
    except PermissionError as error:
        raise InputError(f"{where} cannot be read ({error.strerror})") from error
    except Exception as error:
        if "pickle" in str(error).lower():
            what = "holds pickled Python objects, which are refused: save plain numbers or strings"
            if not name:
                what = "is not a numpy file, or holds pickled objects (which are refused)"
        else:
            known = (".npz", ".npy", ".safetensors", ".parquet", ".h5", ".hdf5", ".zarr")
            what = "is damaged or cut short" if path.suffix in known else "is not a numpy file"
        raise InputError(f"{where} {what}") from error


def save_evidence(evidence: Evidence, path: Path, *, scores: bool) -> None:
    """Write evidence to an ``.npz`` file."""
    arrays: dict[str, Any] = {
        "rankcast_evidence": np.int64(_VERSION),
        "beaten": evidence.beaten,
        "tied": evidence.tied,
        "rivals": evidence.rivals,
        "label": evidence.label,
        "weight": evidence.weight,
        "weighting": np.str_(evidence.weighting),
    }
    if evidence.classes is not None:
        arrays["classes"] = evidence.classes
    if evidence.shard is not None:
        arrays["shard_probes"] = np.str_(evidence.shard.probes)
        if not np.array_equal(evidence.shard.members, evidence.names):
            arrays["shard_members"] = evidence.shard.members
    source = evidence.scores if scores else None
    if isinstance(source, ScoreTable):
        arrays |= {"table": source.matrix, "table_higher_is_better": np.bool_(source.higher_is_better)}
    elif isinstance(source, Embeddings) and source.in_memory:
        arrays |= _embedding_arrays(source)
    write_whole(path, lambda file: np.savez(file, **arrays))


def _embedding_arrays(source: Embeddings) -> dict[str, Any]:
    """Vectors as they are stored, so that the file is no larger than they are."""
    vectors, probes = source.gallery.vectors, source.probes
    arrays: dict[str, Any] = {
        "gallery": vectors.store[:],
        "gallery_column": source.gallery.column,
        "gallery_mean": np.bool_(source.gallery.mean),
        "probes": probes.store[:],
        "similarity": np.str_(source.similarity),
    }
    scales = {"gallery_scale": vectors.scale, "probe_scale": probes.scale}
    return arrays | {name: scale for name, scale in scales.items() if scale is not None}


def _embeddings(arrays: dict[str, Array]) -> Embeddings:
    similarity = str(arrays["similarity"])
    unit = similarity == "cosine"
    vectors = Vectors(arrays["gallery"], "gallery", arrays.get("gallery_scale"), unit)
    probes = Vectors(arrays["probes"], "probes", arrays.get("probe_scale"), unit)
    gallery = Gallery(vectors, arrays["gallery_column"], bool(arrays["gallery_mean"]))
    return Embeddings(gallery, probes, similarity)


def _shard(arrays: dict[str, Array]) -> Shard | None:
    if "shard_probes" not in arrays:
        return None
    members = arrays["shard_members"] if "shard_members" in arrays else arrays["classes"]
    return Shard(str(arrays["shard_probes"]), members)


def load_evidence(path: Path) -> Evidence:
    """Read evidence written by :func:`save_evidence`."""
    arrays = read_arrays(path)
    version = arrays.get("rankcast_evidence")
    if version is None:
        raise InputError(f"{path}: is not an evidence file, it holds {', '.join(sorted(arrays)) or 'nothing'}")
    if int(version) != _VERSION:
        raise InputError(f"{path}: evidence of format {int(version)}, this version reads {_VERSION}")
    sizes = {name: arrays[name].shape for name in ("beaten", "tied", "rivals", "label", "weight") if name in arrays}
    if len(set(sizes.values())) > 1:
        raise InputError(f"{path}: the arrays of the evidence do not fit together: {sizes}")
    source: Scores | None = None
    try:
        if "table" in arrays:
            source = ScoreTable(arrays["table"], bool(arrays["table_higher_is_better"]))
        elif "gallery" in arrays:
            source = _embeddings(arrays)
        return Evidence(
            beaten=arrays["beaten"],
            tied=arrays["tied"],
            rivals=arrays["rivals"],
            label=arrays["label"],
            classes=arrays.get("classes"),
            weight=arrays["weight"],
            scores=source,
            weighting="example" if str(arrays["weighting"]) == "example" else "class",
            shard=_shard(arrays),
        )
    except KeyError as error:
        raise InputError(f"{path}: the evidence file lacks the array {error}") from error
