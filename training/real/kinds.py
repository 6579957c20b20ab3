"""All kinds of real populations: from random numbers and a folder of material to a gallery and tests."""

from collections.abc import Callable
from pathlib import Path

from ..sampling import Rng, Vectors
from . import decoders, hands, learnt, letters, names, pictures, sounds, speech, text, words

KINDS: dict[str, Callable[[Rng, Path], tuple[Vectors, Vectors]]] = {
    "classifiers": letters.classifiers,
    "conditions": text.conditions,
    "decoders": decoders.decoders,
    "emoji": pictures.emoji,
    "hands": hands.hands,
    "icons": pictures.icons,
    "learnt": learnt.learnt,
    "letters": letters.letters,
    "packages": text.packages,
    "places": names.places,
    "sounds": sounds.sounds,
    "speech": speech.speech,
    "thesaurus": text.thesaurus,
    "verses": text.verses,
    "words": words.words,
}
