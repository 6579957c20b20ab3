"""The paper's Telugu character classifiers: log-probabilities that its authors published.

Three classifiers (a deep network, logistic regression, a support vector machine) were trained on 20 and on 100 of
400 characters, and tested on 50 examples of each. None is marginal.
"""

import hashlib
import io
from pathlib import Path

import numpy as np

from .._typing import Array
from ..errors import InputError
from ..evidence import Evidence
from ..files import write_whole
from . import local

EXAMPLES = 50  # of each class, in the order of the classes
# accuracy of the same classifiers, retrained on 100 and on all 400 characters
TRUTH = {
    "deepcnn": {100: 0.9908, 400: 0.9860},
    "logistic": {100: 0.8490, 400: 0.7107},
    "svm": {100: 0.7582, 400: 0.5452},
}
ADDRESS = "https://raw.githubusercontent.com/snarles/fmri"
_FIRST, _SECOND = "7ed15bfec48970d947b7feca03c066e537c5099c", "d2b70fe8891a75aeff8e2c5dfa4251edd9667fca"
# where each table lies (one row per class, one column per example), and the SHA-256 of its float32 transpose
SOURCES = {
    "deepcnn_20": (
        f"{_FIRST}/rakesh/train_tel/sub_sub_runs/deepslim_010855_20.logprobs",
        "e2dfe864c1c1090785702bf6780ea6c6fac9a3abab331daa7c9a7beddbf20b34",
    ),
    "logistic_20": (
        f"{_SECOND}/rakesh/sub_sub_runs/logistic_389795_20.logprobs.txt",
        "923ae26a325b0bdbecf097dd5da02e702164cff6228dadd9b7631c114b76dda5",
    ),
    "svm_20": (
        f"{_SECOND}/rakesh/sub_sub_runs/svm_925163_20.logprobs.txt",
        "4c3a3eef4374a237b63ca4dc5038c7e774b3ba8d17aa394e78d2cb90a5ba6b9c",
    ),
    "logistic_100": (
        f"{_SECOND}/rakesh/sub_sub_runs/logistic_992191_100.logprobs.txt",
        "0df08cc2218f677d7ac1216c3bff998adef704e8f8995b969ca14147de426bdc",
    ),
    "svm_100": (
        f"{_SECOND}/rakesh/sub_sub_runs/svm_057733_100.logprobs.txt",
        "967ee4ecb44a8e12bc26a837ce6a35e558e13b2d61d634f22efd992ccef49029",
    ),
}


def evidence(classifier: str, k1: int, folder: str | Path | None = None) -> Evidence:
    """What one classifier scored, trained on ``k1`` characters."""
    tables = local.load("telugu", folder)
    name = f"{classifier}_{k1}"
    if name not in tables:
        raise InputError(f"no scores of {classifier!r} on {k1} characters: there are {', '.join(tables)}")
    return Evidence.from_scores(tables[name], np.repeat(np.arange(k1), EXAMPLES))


def fetch(path: Path, address: str = ADDRESS) -> Path:
    """Download the published tables and store them as one file, with its checksum beside it."""
    tables = {}
    for name, (source, sha256) in SOURCES.items():
        draft = path.with_name(f"{name}.txt")
        local.download(f"{address}/{source}", draft)
        tables[name] = _table(draft, sha256)
    write_whole(path, lambda file: np.savez(file, **tables))  # type: ignore[arg-type]
    line = f"{local.checksum(path)}  {path.name}\n".encode()
    write_whole(path.with_name(path.name + ".sha256"), lambda file: file.write(line))
    for name in SOURCES:
        path.with_name(f"{name}.txt").unlink()
    return path


def _table(path: Path, sha256: str) -> Array:
    try:
        table = np.loadtxt(io.StringIO(path.read_text()), dtype=np.float32, ndmin=2).T.copy()
    except ValueError as error:
        raise InputError(f"{path}: is not a table of numbers ({error})") from error
    if hashlib.sha256(table.tobytes()).hexdigest() != sha256:
        raise InputError(f"{path}: was downloaded, and is not the table that was published: delete it and try again")
    return table
