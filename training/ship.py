"""Put trained networks and their uncertainty into the package.

python -m training.ship --nets cache/nets --uncertainty cache/uncertainty.npz
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from .generate import write

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "rankcast" / "pretrained"


def gathered(folder: Path, kind: str) -> dict[str, Any]:
    """Layers of all networks of a kind in half precision, as ``number/layer``."""
    columns: dict[str, Any] = {}
    for number, path in enumerate(sorted(folder.glob(f"{kind}-*.npz"))):
        with np.load(path) as file:
            columns |= {f"{number}/{name}": file[name].astype(np.float16) for name in file.files}
    if not columns:
        raise SystemExit(f"no networks {kind}-*.npz in {folder}")
    return columns


def main(argv: list[str] | None = None) -> None:
    """Read the command line and write the files of the package."""
    parser = argparse.ArgumentParser(description="Put trained networks into the package.")
    parser.add_argument("--nets", required=True, type=Path)
    parser.add_argument("--uncertainty", required=True, type=Path)
    given = parser.parse_args(argv)
    for kind in ("scores", "ranks"):
        write(PACKAGE / f"{kind}.npz", gathered(given.nets, kind))
    with np.load(given.uncertainty) as file:
        write(PACKAGE / "uncertainty.npz", {name: file[name].astype(np.float32) for name in file.files})
    for path in sorted(PACKAGE.glob("*.npz")):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
