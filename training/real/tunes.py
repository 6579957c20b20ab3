"""Real populations of tunes: folk songs and dances, and the same hummed wrongly or in part.

Needs PyPI's music21 (its corpus, without what that needs itself) when prepared.
"""

import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import numpy as np

from training.sampling import Array, Ints, Rng, Vectors, log_integer, pick

from ..generate import write
from .features import counts, finished
from .views import stored

COLLECTIONS = ("essenFolksong", "oneills1850", "ryansMammoth", "airdsAirs")
SHORTEST, LONGEST, FEWEST = 24, 200, 8  # notes of a tune, and of what is hummed of it
SCALE = dict(zip("CDEFGAB", (0, 2, 4, 5, 7, 9, 11), strict=True))
ACCIDENTAL = {"^": 1, "_": -1}
BUCKETS, WIDTH = 8192, 384
_NOTE = re.compile(r"([_^=]?)([A-Ga-g])([,']*)(\d*)(/*)(\d*)")
_OTHER = re.compile(r'"[^"]*"|\{[^{}]*\}|!\w+!|^\w:.*|%.*|\[\w:[^]]*\]', re.MULTILINE)


def tunes(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Bags of runs of intervals and lengths in a random projection: of tunes, and of parts of them with wrong notes."""
    kept = stored(folder / "tunes.npz")
    notes = np.split(kept["notes"], kept["ends"][:-1])
    orders = [(2, 3), (2,), (3,), (1, 2, 3), (3, 4)][rng.integers(5)]
    rhythm, wrong = rng.random() < 0.5, rng.uniform(0.05, 0.5)
    part = pick(rng, {1.0: 0.5, rng.uniform(0.15, 0.9): 0.5})
    hummed = [_hummed(rng, tune, part, wrong) for tune in notes]
    made = [counts([_runs(tune, orders, rhythm) for tune in side], BUCKETS) for side in (notes, hummed)]
    table = rng.standard_normal((BUCKETS, WIDTH)).astype(np.float32) / np.float32(np.sqrt(WIDTH))
    if rng.random() < 0.6:
        table *= np.log(1 + len(notes) / (np.asarray((made[0] > 0).sum(axis=0)).ravel() + 1.0))[:, None]
    sides = [np.asarray(side @ table, np.float32) for side in made]
    sides = [
        side / np.sqrt([len(tune) for tune in of])[:, None] for side, of in zip(sides, (notes, hummed), strict=True)
    ]
    middle = sides[0].mean(axis=0)
    some = sides[0] - middle
    axes = np.linalg.eigh(some.T @ some)[1][:, : -log_integer(rng, 24, 200) - 1 : -1]
    return finished(rng, *(np.asarray((side - middle) @ axes, np.float32) for side in sides))


def _hummed(rng: Rng, tune: Array, part: float, wrong: float) -> Array:
    """Some of the notes in a row, with some that are off, and perhaps without a few."""
    length = max(FEWEST, int(part * len(tune)))
    start = int(rng.integers(len(tune) - length + 1))
    heard = tune[start : start + length].copy()
    off = rng.random(length) < wrong
    heard[off, 0] += rng.integers(-3, 4, off.sum())
    left = (rng.random(length) >= wrong / 2) | (np.arange(length) < FEWEST)
    return heard[left] if rng.random() < 0.5 else heard


def _runs(tune: Array, orders: tuple[int, ...], rhythm: bool) -> Ints:
    """Numbers of all runs of so many intervals, hashed; perhaps with how much longer each note is than the last."""
    steps = np.diff(tune[:, 0]).clip(-12, 12) + 12
    signs = steps * 3 + (np.sign(np.diff(tune[:, 1])) + 1) if rhythm else steps
    found = []
    for order in orders:
        windows = np.lib.stride_tricks.sliding_window_view(signs.astype(np.int64), order)
        found.append((windows @ 79 ** np.arange(1, order + 1) * 2654435761 + order) % 2**31 % BUCKETS)
    return np.concatenate(found)


def prepare_tunes(folder: Path) -> None:
    """Read the notes of all tunes: pitches in semitones and lengths; a tune that begins as another did is left out."""
    if (folder / "tunes.npz").exists():
        return
    corpus = Path(str(metadata.distribution("music21").locate_file("music21/corpus")))
    found: dict[bytes, Array] = {}
    for name in COLLECTIONS:
        for file in sorted((corpus / name).glob("*.abc")):
            for tune in _tunes(file.read_text(encoding="utf-8", errors="ignore")):
                found.setdefault(np.diff(tune[:SHORTEST, 0]).tobytes(), tune)
    tunes = list(found.values())
    write(folder / "tunes.npz", {"notes": np.concatenate(tunes), "ends": np.cumsum([len(tune) for tune in tunes])})


def _tunes(text: str) -> Iterator[Array]:
    """Pitches and lengths of the notes of each tune of a file, as if all were in C."""
    for tune in re.split(r"^X:", text, flags=re.MULTILINE)[1:]:
        notes = []
        for sign, letter, octave, times, slashes, by in _NOTE.findall(_OTHER.sub("", tune)):
            pitch = SCALE[letter.upper()] + 12 * (letter.islower() + octave.count("'") - octave.count(","))
            length = 16 * int(times or 1) // int(by or 2 ** len(slashes) or 1)
            notes.append((pitch + ACCIDENTAL.get(sign, 0), length))
        if len(notes) >= SHORTEST:
            yield np.array(notes[:LONGEST], np.int16)
