"""Make the data of ``rankcast demo`` from the 75,763 Han characters.

    python scripts/make_han_demo.py han_glyphs_75k.npz

A random 300 characters are kept, drawn in two typefaces, and the exact accuracy curve on all 75,763 as numbers.
The features are int8, so squared distances are whole numbers below 2**24 and float32 products are exact.
"""

import sys
from pathlib import Path

import numpy as np

from rankcast import Evidence, curve
from rankcast.files import write_whole

CLASSES = 300
OUT = Path(__file__).resolve().parents[1] / "src" / "rankcast" / "datasets" / "han_demo.npz"


def ranks(gallery: np.ndarray, probes: np.ndarray, block: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Rank and ties of each probe's own row in the gallery, by Euclidean distance."""
    columns = gallery.astype(np.float32)
    square = (columns**2).sum(axis=1)
    rank, tied = np.empty(len(probes), np.int64), np.empty(len(probes), np.int64)
    for start in range(0, len(probes), block):
        rows = slice(start, start + block)
        score = 2 * (probes[rows].astype(np.float32) @ columns.T) - square
        truth = score[np.arange(len(score)), np.arange(start, start + len(score))][:, None]
        rank[rows] = 1 + (score > truth).sum(axis=1)
        tied[rows] = (score == truth).sum(axis=1) - 1
        print(f"\r{start + len(score):,} of {len(probes):,}", end="", file=sys.stderr)
    return rank, tied


def main(path: str) -> None:
    """Write the demo's file."""
    data = np.load(path, allow_pickle=False)
    gallery, probes = data["TW_Sung"], data["TW_Kai"]
    total = len(gallery)
    rank, tied = ranks(gallery, probes)
    full = Evidence.from_ranks(rank, total, tied=tied)
    k = np.unique(np.r_[np.geomspace(2, total, 60).round().astype(int), 300, 1000, 10_000, total])
    chosen = np.sort(np.random.default_rng(0).choice(total, CLASSES, replace=False))
    arrays = {
        "codepoint": data["codepoint"][chosen],
        "gallery": gallery[chosen],
        "probes": probes[chosen],
        "truth_k": k,
        "truth": curve(full, k),
    }
    write_whole(OUT, lambda file: np.savez_compressed(file, **arrays))
    print(f"\naccuracy on all {total:,}: {full.accuracy:.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
