"""Real populations of words and their translations into another language, told by what the two share in spelling.

Needs apt-get, which downloads dictionaries of Debian's freedict, and dpkg, when prepared.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from training.sampling import Rng, Vectors

from ..generate import write
from .dictionaries import entries
from .features import varied
from .names import bags, unaccented
from .views import debian_package, stored

PAIRS = ("spa-ast", "deu-swe", "oci-cat", "nld-deu", "eng-fra", "eng-spa", "eng-swe", "deu-nld", "deu-fra", "fra-ita")
FEWEST, MOST = 4000, 30_000  # words of a pair of languages
_ASIDE = re.compile(r"/[^/\n]*/|<[^<>\n]*>|\([^()\n]*\)|\[[^][\n]*\]|^ *\d+\.|\d+\.$")


def cognates(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Letter n-grams of words and of the first translation of each; how spellings differ may be learnt from some."""
    kept = stored(folder / "cognates.npz")
    pair = str(rng.choice(sorted(name.removesuffix(" words") for name in kept if name.endswith(" words"))))
    sides = [[[text] for text in kept[f"{pair} {side}"].tolist()] for side in ("words", "translations")]
    return varied(rng, *bags(rng, *sides), decode=0.5)


def prepare_cognates(folder: Path) -> None:
    """Take words of each dictionary that its first translation is not written like."""
    if (folder / "cognates.npz").exists():
        return
    rng = np.random.default_rng(0)
    arrays: dict[str, np.ndarray] = {}
    for pair in PAIRS:
        installed = debian_package(f"dict-freedict-{pair}", folder) / "usr/share/dictd"
        words, translations = zip(*_translated(entries(installed, f"freedict-{pair}")), strict=True)
        once = [np.unique(side, return_index=True)[1] for side in (words, translations)]
        chosen = rng.permutation(np.intersect1d(*once))[:MOST]
        if len(chosen) >= FEWEST:
            arrays |= {f"{pair} words": np.array(words)[chosen], f"{pair} translations": np.array(translations)[chosen]}
    write(folder / "cognates.npz", arrays)


def _translated(found: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Headwords and their first translations, in lower case, without accents and remarks."""
    for entry in found:
        lines = [unaccented(" ".join(_ASIDE.sub(" ", line).split())) for line in entry.split("\n", 2)[:2]]
        word, translation = (re.split(r"[,;:]| \d", each)[0].strip() for each in [*lines, ""][:2])
        if min(len(word), len(translation)) > 3 and max(len(word), len(translation)) < 30 and word != translation:
            yield word, translation
