"""Local copies of the data sets: found, checked, and downloaded where the original is public and ready to use."""

import hashlib
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .._typing import Array
from ..errors import InputError
from ..files import read_arrays, write_whole
from ..progress import track
from .catalogue import DataSet, described

VARIABLE = "RANKCAST_DATA"
_BLOCK = 2**18


def load(name: str, folder: str | Path | None = None) -> dict[str, Array]:
    """The arrays of a data set.

    Parameters
    ----------
    name : str
        One of ``rankcast.datasets.catalogue.CATALOGUE``.
    folder : path, optional
        The folder that holds a folder for each data set; what the environment variable ``RANKCAST_DATA`` names
        if left out. Without a copy there, a copy in the cache is used, which a download fills where one is possible.
    """
    return read_arrays(locate(name, folder))


def locate(name: str, folder: str | Path | None = None) -> Path:
    """A copy of the data set whose checksum is right."""
    from . import telugu

    entry = described(name)
    given = folder or os.environ.get(VARIABLE)
    places = [Path(given), cache()] if given else [cache()]
    for place in places:
        path = place / entry.name / entry.file
        if path.exists():
            return checked(path, entry)
    if name == "telugu":
        return telugu.fetch(cache() / entry.name / entry.file)
    where = f"{places[0] / entry.name / entry.file}: no such file"
    raise InputError(
        f"{where}; the data set {name} ({entry.about}) is made from {entry.get}. "
        f"Name the folder that holds {entry.name}/{entry.file} with --data or {VARIABLE}"
    )


def cache() -> Path:
    """Where downloads are kept."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "rankcast"


def checked(path: Path, entry: DataSet) -> Path:
    """The path, if the file is the known one, or one whose maker put its checksum beside it in ``FILE.sha256``."""
    beside = path.with_name(path.name + ".sha256")
    words = beside.read_text().split() if beside.exists() else []
    expected = words[0] if words else entry.sha256
    found = checksum(path)
    if found != expected:
        raise InputError(
            f"{path}: its SHA-256 is {found[:12]}…, expected {expected[:12]}…: the file is damaged or another version"
        )
    return path


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(address: str, path: Path, sha256: str | None = None) -> None:
    """Copy a file from the network, whole or not at all, with a bar that shows the time left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()

    def write(file: IO[bytes]) -> None:
        for block in blocks:
            digest.update(block)
            file.write(block)
        if sha256 is not None and digest.hexdigest() != sha256:
            raise InputError(f"{address}: its SHA-256 is {digest.hexdigest()[:12]}…, expected {sha256[:12]}…")

    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            blocks = track(_blocks(answer), -(-size // _BLOCK), f"downloading {address.rsplit('/', 1)[-1]}")
            write_whole(path, write)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(
            f"{address}: cannot be downloaded ({error}); get it by other means and name its folder with --data "
            f"or {VARIABLE}"
        ) from error


def _blocks(answer: IO[bytes]) -> Iterator[bytes]:
    while block := answer.read(_BLOCK):
        yield block
