"""Words spoken by eight voices of the synthesiser eSpeak NG, that differ in accent, timbre, speed and pitch."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.fft import dct

from training.generate import write
from training.real.synthesiser import Synthesiser
from training.real.views import aided, components, some_classes, some_dimensions, stored
from training.sampling import Array, Ints, Rng, Vectors, pick

WORDS, NUMBER = Path("/usr/share/dict/american-english"), 12_000
VOICES = (  # name, words a minute, pitch
    ("en-us", 175, 50),
    ("en-us+f3", 150, 60),
    ("en+m3", 210, 40),
    ("en-gb-scotland+f2", 180, 55),
    ("en-gb-x-rp+klatt2", 160, 50),
    ("en-us-nyc+m7", 230, 45),
    ("en-029+f5", 190, 65),
    ("en-gb-x-gbclan+croak", 200, 35),
)
FRAMES, BANDS, WINDOW, STEP = 24, 32, 512, 128


def prepare_speech(folder: Path) -> None:
    """Have 12,000 English words spoken by each voice, as spectrograms on a scale of pitch; two minutes."""
    out = folder / "speech.npz"
    if out.exists():
        return
    known = [word for word in WORDS.read_text(encoding="utf-8").splitlines() if word.isascii() and word.islower()]
    known = [word for word in known if word.isalpha() and 3 <= len(word) <= 14]
    words = [known[i] for i in np.random.default_rng(0).permutation(len(known))[:NUMBER]]
    write(out, dict(zip(_names(), _spoken(words), strict=True)))


def _names() -> list[str]:
    return [voice[0] for voice in VOICES]


def _spoken(words: list[str]) -> list[Vectors]:
    """Spectrograms (word, frame, band) by each voice."""
    synthesiser = Synthesiser()
    filters, made = _filters(synthesiser.rate), []
    for name, speed, pitch in VOICES:
        synthesiser.speak_as(name)
        synthesiser.set(speed=speed, pitch=pitch)
        made.append(np.stack([_spectrogram(synthesiser.say(word), filters) for word in words]).astype(np.float16))
    return made


def _filters(rate: int) -> Vectors:
    """Triangles that are evenly spaced on the mel scale."""
    top = 2595 * np.log10(1 + 7600 / 700)
    edges = 700 * (10 ** (np.linspace(40, top, BANDS + 2) / 2595) - 1)
    at = np.fft.rfftfreq(WINDOW, 1 / rate)[:, None]
    up, down = (at - edges[:-2]) / np.diff(edges)[:-1], (edges[2:] - at) / np.diff(edges)[1:]
    return np.maximum(0, np.minimum(up, down)).astype(np.float32)


def _spectrogram(sound: Array, filters: Vectors) -> Vectors:
    """Logarithms of the power in each band, without the silence at both ends, in a fixed number of frames."""
    loud = np.flatnonzero(np.abs(sound) > 200)
    sound = sound[loud[0] : loud[-1] + 1] if len(loud) else sound
    sound = np.pad(sound.astype(np.float32) / 2**15, (0, max(0, WINDOW - len(sound))))
    windows = np.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::STEP] * np.hanning(WINDOW).astype(np.float32)
    level = np.log(np.abs(np.fft.rfft(windows)) ** 2 @ filters + 1e-4)
    place = np.linspace(0, len(level) - 1, FRAMES)
    low = np.minimum(place.astype(int), max(0, len(level) - 2))
    share = (place - low)[:, None]
    return (1 - share) * level[low] + share * level[np.minimum(low + 1, len(level) - 1)]


def features(rng: Rng, spoken: dict[str, np.ndarray], voices: Sequence[str], chosen: Ints) -> Vectors:
    """Spectrograms or cepstra of chosen words by some voices, of fewer frames, perhaps with their changes."""
    frames = int(rng.choice([3, 4, 6, 8, 12, 24]))
    made = np.stack([spoken[voice][chosen] for voice in voices])
    made = made.reshape(*made.shape[:2], frames, FRAMES // frames, BANDS).mean(axis=3, dtype=np.float32)
    if rng.random() < 0.5:
        made = made - made.mean(axis=2, keepdims=True)  # what stays the same all the time is the voice
    if rng.random() < 0.6:
        made = dct(made, axis=3, norm="ortho")[..., int(rng.integers(2)) : int(rng.integers(10, 21))]
    if rng.random() < 0.3:
        made = np.concatenate([made, 2 * np.diff(made, axis=2)], axis=2)
    made = made.reshape(*made.shape[:2], -1)
    if rng.random() < 0.2:
        weight = rng.standard_normal((made.shape[2], 300)).astype(np.float32) / np.float32(np.sqrt(made.shape[2]))
        made = np.maximum((made - made.mean()) / made.std() @ weight, 0)
    return made


def speech(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of words spoken by two voices; a third may be heard too, or the metric be learnt from it."""
    spoken = stored(folder / "speech.npz")
    help_by = pick(rng, {"none": 0.7, "metric": 0.15, "mean": 0.15})
    voices = [str(name) for name in rng.permutation(_names())[: 2 if help_by == "none" else 3]]
    chosen = some_classes(rng, len(spoken[voices[0]]))
    views = components(rng, features(rng, spoken, voices, chosen), some_dimensions(rng))
    return aided(rng, views, help_by, 0.7, (0.05, 0.5), 1.5)
