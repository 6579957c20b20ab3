"""All kinds of real populations: from random numbers and a folder of material to a gallery and tests."""

from collections.abc import Callable
from pathlib import Path

from ..sampling import Rng, Vectors
from . import (
    decoders,
    dependencies,
    dictionaries,
    drawings,
    hands,
    learnt,
    letters,
    messages,
    names,
    neighbours,
    notes,
    passages,
    people,
    pictures,
    sounds,
    speakers,
    speech,
    text,
    typefaces,
    words,
)

KINDS: dict[str, Callable[[Rng, Path], tuple[Vectors, Vectors]]] = {
    "classifiers": letters.classifiers,
    "conditions": text.conditions,
    "decoders": decoders.decoders,
    "dictionaries": dictionaries.dictionaries,
    "dependencies": dependencies.dependencies,
    "drawings": drawings.drawings,
    "emoji": pictures.emoji,
    "hands": hands.hands,
    "icons": pictures.icons,
    "learnt": learnt.learnt,
    "letters": letters.letters,
    "messages": messages.messages,
    "neighbours": neighbours.neighbours,
    "notes": notes.notes,
    "packages": text.packages,
    "passages": passages.passages,
    "people": people.people,
    "places": names.places,
    "sounds": sounds.sounds,
    "speakers": speakers.speakers,
    "speech": speech.speech,
    "thesaurus": text.thesaurus,
    "typefaces": typefaces.typefaces,
    "verses": text.verses,
    "words": words.words,
}
