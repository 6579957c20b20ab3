"""Real populations of messages of programs and their translations, found again across languages.

Needs apt-get with its indices, and dpkg, when prepared: Debian's packages are unpacked, but not installed.
"""

import re
import struct
from pathlib import Path

import numpy as np

from training.real.words import grams
from training.sampling import Array, Reals, Rng, Vectors, log_uniform, pick

from ..generate import write
from .features import GRAMS, RAW, bagged, counts, finished, varied, word_counts
from .views import debian_package, some_dimensions, stored, unit

PACKAGES = (
    "audacity-data",
    "coreutils",
    "darktable",
    "digikam-data",
    "evolution-common",
    "gimp-data",
    "gnome-control-center-data",
    "gnucash-common",
    "gnumeric-common",
    "inkscape",
    "iso-codes",
    "libgtk-3-common",
    "util-linux-locales",
    "vlc-l10n",
)
LANGUAGES = ("de", "es", "fr", "it", "nl", "pt_BR", "ru", "uk")
APART: dict[tuple[str, str], float] = {  # how often the pairs are taken
    ("en", "de"): 3,
    ("en", "fr"): 3,
    ("en", "es"): 2,
    ("en", "nl"): 2,
    ("en", "ru"): 2,
    ("de", "es"): 1,
    ("de", "fr"): 1,
    ("de", "uk"): 1,
    ("fr", "ru"): 1,
    ("it", "nl"): 1,
}
AKIN: dict[tuple[str, str], float] = {
    ("de", "nl"): 2,
    ("es", "pt_BR"): 2,
    ("ru", "uk"): 2,
    ("es", "it"): 2,
    ("fr", "it"): 1,
    ("en", "fr"): 1,
}
LETTERS, MOST_MESSAGES = 120, 28_000  # of a message, and of them
LEAST_LANGUAGES = 4  # that a message was translated to
_WORD = re.compile(r"[^\W_]+")
_MARKUP = re.compile(r"<[^<>]*>|&(?:lt|gt|amp|quot);|[_&](?=\w)")  # also what marks the keys of menus


def messages(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Messages in two languages, one of which is mapped to the other; those that are akin often as they are."""
    kept = stored(folder / "messages.npz")
    akin = rng.random() < 0.4
    pair = pick(rng, AKIN if akin else APART)
    how = pick(rng, {"as they are": 0.6 * akin, "decoded": 0.6, "canonical": 0.4})
    one, other = _bags(rng, kept, pair, alike=how == "as they are")
    if how == "canonical":
        return finished(rng, *_canonical(rng, one, other))
    return varied(rng, one, other, decode=float(how == "decoded"))


def _bags(rng: Rng, kept: dict[str, Array], pair: tuple[str, str], alike: bool) -> list[Vectors]:
    """Bags of words, or of the letter n-grams of words, in a random projection; the same of both languages if alike."""
    there = np.logical_and(*(np.diff(kept[f"{language} ends"], prepend=0) > 0 for language in pair))
    sides = [word_counts(kept, language)[np.flatnonzero(there)] for language in pair]
    by_letters, lengths, buckets = rng.random() < 0.5, GRAMS[rng.integers(len(GRAMS))], 2 ** int(rng.integers(10, 15))
    rare = rng.random() < 0.8
    table = rng.standard_normal((buckets, RAW)).astype(np.float32)
    made = []
    for side in sides:
        number = np.bincount(side.indices, minlength=side.shape[1])
        known = np.flatnonzero(number)
        if alike or by_letters:
            parts = counts([grams(word, lengths, buckets) for word in kept["vocabulary"][known].tolist()], buckets)
            vectors = unit(np.asarray(parts @ table))
        else:
            vectors = rng.standard_normal((len(known), RAW)).astype(np.float32)
        if rare:
            vectors *= np.log(1 + side.shape[0] / number[known])[:, None].astype(np.float32)
        made.append(unit(np.asarray(side[:, known] @ vectors)))
    return made


def _canonical(rng: Rng, one: Vectors, other: Vectors) -> tuple[Vectors, Vectors]:
    """Canonical variates of two sides, learnt from some classes and left to the rest; weighted by correlation or not.

    Either side may be the gallery.
    """
    sides = [one, other] if rng.random() < 0.5 else [other, one]
    rows = rng.permutation(len(one))[: int(rng.uniform(0.5, 1) * len(one))]
    learnt = int(rng.uniform(0.15, 0.5) * len(rows))
    penalty = log_uniform(rng, 0.01, 0.3)
    white: list[Reals] = []
    for i, side in enumerate(sides):
        sides[i] = side[rows] - side[rows[:learnt]].mean(axis=0)
        x = sides[i][:learnt].astype(float)
        values, axes = np.linalg.eigh(x.T @ x / learnt)
        white.append(axes * (np.maximum(values, 0) + penalty * values.mean()) ** -0.5)
    mixed = (sides[0][:learnt] @ white[0]).T @ (sides[1][:learnt] @ white[1]) / learnt
    left, correlation, right = np.linalg.svd(mixed)
    dim = some_dimensions(rng)
    weight = correlation[:dim] ** pick(rng, {0.0: 0.3, 0.5: 0.3, 1.0: 0.4})
    maps = [white[0] @ left[:, :dim] * weight, white[1] @ right[:dim].T * weight]
    gallery, tests = (side[learnt:] @ each.astype(np.float32) for side, each in zip(sides, maps, strict=True))
    return gallery, tests


def prepare_messages(folder: Path) -> None:
    """Take messages of several words with their translations from gettext's catalogues, and keep their words."""
    if (folder / "messages.npz").exists():
        return
    found: dict[str, dict[str, str]] = {}  # by the text in English
    for package in PACKAGES:
        unpacked = debian_package(package, folder)
        for language in LANGUAGES:
            for file in sorted(unpacked.glob(f"usr/share/locale/{language}/LC_MESSAGES/*.mo")):
                for source, text in catalogue(file).items():
                    english = _plain(source.rpartition("\4")[2])  # without its context
                    if len(_WORD.findall(english)) > 1 and text != source:
                        found.setdefault(english, {}).setdefault(language, _plain(text))
    known = [english for english, others in found.items() if len(others) >= LEAST_LANGUAGES]
    known = [known[i] for i in np.random.default_rng(0).permutation(len(known))[:MOST_MESSAGES]]
    texts = {language: [found[english].get(language, "") for english in known] for language in LANGUAGES}
    write(folder / "messages.npz", bagged({"en": known} | texts, _WORD))


def catalogue(file: Path) -> dict[str, str]:
    """Messages of a compiled catalogue of gettext and their translations, without those that have a plural."""
    data = file.read_bytes()
    number, *tables = struct.unpack("<3I", data[8:20])
    columns = []
    for table in tables:
        places = struct.iter_unpack("<2I", data[table : table + 8 * number])
        columns.append([data[at : at + length].decode(errors="ignore") for length, at in places])
    return {source: text for source, text in zip(*columns, strict=True) if "\0" not in source}


def _plain(text: str) -> str:
    """The start of a message in lower case, without markup and marks of keys, its white space made single."""
    return " ".join(_MARKUP.sub("", text).lower().split())[:LETTERS]
