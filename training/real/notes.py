"""Notes of instruments, played from three sets of samples; a class is an instrument and a pitch.

Needs Debian's libfluidsynth3, fluid-soundfont-gm, timgm6mb-soundfont and opl3-soundfont when prepared.
"""

import ctypes
from ctypes.util import find_library
from pathlib import Path

import numpy as np
from scipy.fft import dct

from training.generate import write
from training.real.speakers import RATE, triangles
from training.real.views import aided, components, some_classes, some_dimensions, stored
from training.sampling import Array, Rng, Vectors, pick

SETS = Path("/usr/share/sounds/sf2")
VIEWS = {  # file, velocity, share of the time that the key is held down
    "loud": ("FluidR3_GM.sf2", 115, 1.0),
    "less": ("FluidR3_GM.sf2", 90, 0.8),
    "soft": ("FluidR3_GM.sf2", 50, 0.4),
    "small": ("TimGM6mb.sf2", 90, 0.8),
    "chip": ("OPL-3_FM_128M.sf2", 90, 0.8),  # frequency modulation, as cheap chips did it
}
PAIRS = {  # the two views of a population, and a third
    ("loud", "soft", "less"): 0.25,
    ("less", "soft", "small"): 0.25,
    ("loud", "small", "less"): 0.25,
    ("less", "small", "loud"): 0.15,
    ("less", "chip", "small"): 0.1,
}
INSTRUMENTS, PITCHES = range(128), range(33, 93)
SAMPLES, WINDOW, BANDS, FRAMES = 8000, 1024, 64, 8
SILENT = -12.0  # logarithm of power
HEARD = (4.0, 14.0)  # how far below the loudest


def prepare_notes(folder: Path) -> None:
    """Play half a second of each note from each set, as spectrograms on a scale of pitch; half a minute."""
    out = folder / "notes.npz"
    if out.exists():
        return
    played = {name: _played(*how) for name, how in VIEWS.items()}
    kept = np.all([each.max(axis=1) > SILENT for each in played.values()], axis=0)
    for each in played.values():
        heard = np.maximum(each - each.max(axis=1, keepdims=True), -HEARD[0]).round(2)
        kept &= np.isin(np.arange(len(each)), np.unique(heard, axis=0, return_index=True)[1])  # no two the same
    write(out, {name: each[kept] for name, each in played.items()})


def _played(file: str, velocity: int, held: float) -> Vectors:
    """Spectrograms (note, frame × band) of all notes of all instruments."""
    library = ctypes.CDLL(find_library("fluidsynth") or "libfluidsynth.so.3")
    library.new_fluid_settings.restype = library.new_fluid_synth.restype = ctypes.c_void_p
    settings = ctypes.c_void_p(library.new_fluid_settings())
    library.fluid_settings_setnum(settings, b"synth.sample-rate", ctypes.c_double(RATE))
    for effect in (b"synth.reverb.active", b"synth.chorus.active"):
        library.fluid_settings_setint(settings, effect, 0)
    synth = ctypes.c_void_p(library.new_fluid_synth(settings))
    if library.fluid_synth_sfload(synth, str(SETS / file).encode(), 1) < 0:
        raise RuntimeError(f"no sounds in {file}")
    both, filters = np.zeros((2, SAMPLES), np.float32), triangles(BANDS, WINDOW)
    left, right = (ctypes.c_void_p(each.ctypes.data) for each in both)
    down, made = int(held * SAMPLES), []
    for instrument in INSTRUMENTS:
        library.fluid_synth_program_change(synth, 0, instrument)
        for pitch in PITCHES:
            library.fluid_synth_noteon(synth, 0, pitch, velocity)
            library.fluid_synth_write_float(synth, down, left, 0, 1, right, 0, 1)
            library.fluid_synth_noteoff(synth, 0, pitch)
            library.fluid_synth_write_float(synth, SAMPLES - down, left, down, 1, right, down, 1)
            library.fluid_synth_all_sounds_off(synth, 0)
            made.append(_spectrogram(both.mean(axis=0), filters))
    library.delete_fluid_synth(synth)
    library.delete_fluid_settings(settings)
    return np.stack(made).astype(np.float16)


def _spectrogram(sound: Array, filters: Vectors) -> Vectors:
    """Logarithms of the power in each band."""
    starts = np.linspace(0, SAMPLES - WINDOW, 2 * FRAMES).astype(int)
    windows = sound[starts[:, None] + np.arange(WINDOW)] * np.hanning(WINDOW).astype(np.float32)
    power = np.abs(np.fft.rfft(windows)) ** 2 @ filters
    return np.asarray(np.log(power.reshape(FRAMES, 2, BANDS).mean(axis=1) + 1e-9).ravel(), np.float32)


def features(rng: Rng, played: list[Vectors]) -> Vectors:
    """Levels or cepstra in fewer frames and bands, as far below the loudest of each note as is heard."""
    frames, bands = int(rng.choice([1, 2, 4, 8])), int(rng.choice([32, 64]))
    made = np.stack(played).astype(np.float32).reshape(len(played), -1, FRAMES, BANDS)
    made = made - made.max(axis=(2, 3), keepdims=True)
    made = np.maximum(made, np.float32(-rng.uniform(*HEARD)))
    made = made.reshape(*made.shape[:2], frames, FRAMES // frames, bands, BANDS // bands).mean(axis=(3, 5))
    if rng.random() < 0.3:
        made = made - made.mean(axis=(2, 3), keepdims=True)
    if rng.random() < 0.4:
        made = dct(made, axis=3, norm="ortho")[..., int(rng.integers(2)) : int(rng.integers(24, bands + 1))]
    return made.reshape(*made.shape[:2], -1)


def notes(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of notes played in two ways or from two sets; a third may be heard too, or the metric be learnt."""
    played = stored(folder / "notes.npz")
    help_by = pick(rng, {"none": 0.5, "metric": 0.3, "mean": 0.2})
    chosen = some_classes(rng, len(played["loud"]))
    views = features(rng, [played[name][chosen] for name in pick(rng, PAIRS)])
    return aided(rng, components(rng, views, some_dimensions(rng)), help_by, 0.5, (0.05, 0.5), 1.0)
