"""Speakers as told apart by a network that learnt to know people by their voices.

Needs Debian's espeak-ng and wamerican, and PyPI's torch and the file of weights in resemblyzer (without what that
needs itself) when prepared.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from training.generate import write
from training.real.speech import WORDS
from training.real.synthesiser import Synthesiser
from training.real.views import components, metric, several, some_classes, some_dimensions, stored, unit
from training.sampling import Array, Reals, Rng, Vectors, pick

SPEAKERS, UTTERANCES = 3000, 4
LANGUAGES = (
    *("en-us", "en", "en-gb-scotland", "en-029", "en-us-nyc", "en-gb-x-rp", "de", "nl", "af", "sv", "da", "nb"),
    *("fr", "es", "it", "pt", "pt-br", "ro", "ca", "pl", "cs", "sk", "sl", "hr", "hu", "fi", "et", "lv", "lt", "sq"),
    *("tr", "az", "cy", "ga", "is", "sw", "id", "ms", "eo", "la", "vi", "mt"),
)
TIMBRES = (
    *("f1", "f2", "f3", "f4", "f5", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "croak", "whisper", "klatt"),
    *("klatt2", "klatt3", "klatt4", "Alex", "Alicia", "Andrea", "Andy", "Annie", "Denis", "Diogo", "Gene", "Hugo"),
    *("Jacky", "Lee", "Marco", "Michael", "Mike", "adam", "anika", "antonio", "aunty", "belinda", "boris", "david"),
    *("edward", "grandma", "grandpa", "iven", "john", "linda", "max", "norbert", "pablo", "paul", "quincy", "robert"),
    *("sandro", "shelby", "steph", "travis", "victor", "zac"),
)
SAMPLES, RATE = 25_600, 16_000  # what the network hears at once: 1.6 s
WINDOW, STEP, FRAMES, BANDS = 400, 160, 160, 40
LOUDNESS = 10 ** (-30 / 20)
BATCH = 250
APART = (0.6, 1.3)  # share of what differs between utterances of a speaker


# -- raw material ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Speaker:
    """A voice of the synthesiser, the size of its throat and how its sound is coloured."""

    voice: str
    speed: float  # words a minute
    pitch: float
    range: float
    shift: float  # by which all resonances are higher
    colour: Reals  # decibels at places that are evenly spaced on the mel scale

    @classmethod
    def draw(cls, rng: Rng) -> "Speaker":
        """A random one."""
        places = np.linspace(-1, 1, 12)
        return cls(
            voice=f"{rng.choice(LANGUAGES)}+{rng.choice(TIMBRES)}",
            speed=rng.uniform(140, 220),
            pitch=rng.uniform(20, 80),
            range=rng.uniform(20, 80),
            shift=float(np.exp(0.08 * rng.standard_normal())),
            colour=5 * rng.standard_normal() * places + 2.5 * rng.standard_normal(len(places)),
        )


def prepare_speakers(folder: Path) -> None:
    """Have 3,000 speakers say four phrases each, and embed them all; three minutes."""
    out = folder / "speakers.npz"
    if out.exists():
        return
    said = _embedded(_utterances(np.random.default_rng(0)))
    write(out, {"said": said.reshape(SPEAKERS, UTTERANCES, -1).swapaxes(0, 1)})


def _utterances(rng: Rng) -> Iterator[Vectors]:
    """Spectrograms of each speaker's phrases, in which pitch, speed and the microphone differ a little."""
    words = [word for word in WORDS.read_text(encoding="utf-8").splitlines() if word.isascii() and word.isalpha()]
    synthesiser, filters = Synthesiser(seconds=2.5), triangles(BANDS, WINDOW)
    for _ in range(SPEAKERS):
        speaker = Speaker.draw(rng)
        synthesiser.speak_as(speaker.voice)
        synthesiser.set(range=int(speaker.range))
        for _ in range(UTTERANCES):
            speed = int(speaker.speed * np.exp(0.05 * rng.standard_normal()))
            pitch = int(np.clip(speaker.pitch + 2 * rng.standard_normal(), 0, 99))
            synthesiser.set(speed=speed, pitch=pitch)
            sound = synthesiser.say(" ".join(words[i] for i in rng.integers(len(words), size=9)))
            colour = speaker.colour + rng.standard_normal(len(speaker.colour))
            yield _spectrogram(_coloured(sound, synthesiser.rate, speaker.shift, colour), filters)


def _coloured(sound: Array, rate: int, shift: float, colour: Reals) -> Reals:
    """The first 1.6 s without silence, at the network's rate, with resonances moved and some pitches louder."""
    sound = sound[np.argmax(np.abs(sound) > 200) :][: int(SAMPLES * rate / RATE * shift)]
    spectrum = np.fft.rfft(sound.astype(float))[: SAMPLES // 2]
    at = np.linspace(0, RATE / 2, SAMPLES // 2)[: len(spectrum)]
    level = np.interp(_mel(at), np.linspace(0, _mel(np.array(RATE / 2)), len(colour)), colour)
    made = np.fft.irfft(spectrum * 10 ** (level / 20), SAMPLES)
    return np.asarray(made * LOUDNESS / np.sqrt(np.mean(made**2) + 1e-12))


def _mel(hertz: Reals) -> Reals:
    """Slaney's scale: linear up to 1000 Hz, logarithmic above."""
    return np.asarray(
        np.where(hertz < 1000, hertz * 3 / 200, 15 + 27 * np.log(np.maximum(hertz, 1000) / 1000) / np.log(6.4))
    )


def triangles(bands: int, window: int) -> Vectors:
    """Weights of the frequencies of a window in bands of the same area, evenly spaced on the mel scale."""
    at, fine = np.fft.rfftfreq(window, 1 / RATE)[:, None], np.linspace(0, RATE / 2, 80_001)
    edges = np.interp(np.linspace(0, _mel(fine)[-1], bands + 2), _mel(fine), fine)
    up, down = (at - edges[:-2]) / np.diff(edges)[:-1], (edges[2:] - at) / np.diff(edges)[1:]
    return np.asarray(np.maximum(0, np.minimum(up, down)) * 2 / (edges[2:] - edges[:-2]), np.float32)


def _spectrogram(sound: Reals, filters: Vectors) -> Vectors:
    """The power in each band, as the network was taught with."""
    sound = np.pad(sound, WINDOW // 2).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(sound, WINDOW)[: STEP * FRAMES : STEP]
    return np.abs(np.fft.rfft(windows * np.hanning(WINDOW + 1)[:-1])) ** 2 @ filters


def _embedded(spectrograms: Iterator[Vectors]) -> Vectors:
    """Vectors of length one that Resemblyzer's network makes of spectrograms."""
    import torch

    found = find_spec("resemblyzer")
    if found is None or found.origin is None:
        raise RuntimeError("Resemblyzer is not installed")
    weights = torch.load(Path(found.origin).with_name("pretrained.pt"), map_location="cpu", weights_only=True)
    network = torch.nn.ModuleDict(
        {"lstm": torch.nn.LSTM(BANDS, 256, 3, batch_first=True), "linear": torch.nn.Linear(256, 256)}
    )
    network.load_state_dict(
        {name: weight for name, weight in weights["model_state"].items() if "similarity" not in name}
    )
    torch.set_num_threads(1)
    made = []
    with torch.inference_mode():
        for _ in range(SPEAKERS * UTTERANCES // BATCH):
            batch = np.stack([next(spectrograms) for _ in range(BATCH)]).astype(np.float32)
            hidden = network["lstm"](torch.from_numpy(batch))[1][0][-1]
            made.append(unit(torch.relu(network["linear"](hidden)).numpy()).astype(np.float16))
    return np.concatenate(made)


# -- variants --------------------------------------------------------------------------------------------


def speakers(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Means of one to three utterances of each speaker, and the others, as they are or in some other metric."""
    said = stored(folder / "speakers.npz")["said"]
    said = said[rng.permutation(len(said))][:, some_classes(rng, said.shape[1])].astype(np.float32)
    how = pick(rng, {"as they are": 0.2, "some": 0.35, "components": 0.35, "metric": 0.1})
    if how == "some":
        said = said[..., rng.permutation(said.shape[2])[: some_dimensions(rng)]]
    elif how != "as they are":
        said = components(rng, said, some_dimensions(rng))
    if how == "metric":
        some = rng.permutation(said.shape[1])[: int(rng.uniform(0.1, 0.5) * said.shape[1])]
        said = said @ metric(rng, (said[0][some], said[1][some]))
    known = pick(rng, {1: 0.6, 2: 0.25, 3: 0.15})
    gallery = said[:known].mean(axis=0)
    share = np.float32(rng.uniform(*APART)) if rng.random() < 0.7 else np.float32(1)
    tests = gallery + share * (said[known:] - gallery)
    return several(rng, gallery, tests, 1.5)
