"""Make the data set of Han characters: each drawn in three typefaces of Debian, and described by 96 numbers.

    apt-get install fonts-cns11643-sung fonts-cns11643-kai fonts-hanazono
    pip install 'rankcast[han]'
    python scripts/render_han.py DATA/han-glyphs-75k/han_glyphs_75k.npz [FONTS]

Classes are the unified ideographs (extensions included, compatibility ideographs left out) that all three typefaces
can draw. A character is drawn at 56 pixels, cropped to its ink, scaled into 40 × 40 within 48 × 48, and described by a
histogram of gradients: 8 directions on an 8 × 8 grid with blurred cells, square roots, then 96 principal components,
as int8 times a scale. FONTS is where the typefaces lie, /usr/share/fonts if left out. The file gets its checksum beside
it, by which loaders know that it is whole. Drawn anew, the characters are the same and the numbers are not: the file
that the docs were made with differs in details of scaling and blurring, and by its version of FreeType.
"""

import sys
from pathlib import Path

import numpy as np

from rankcast.datasets.local import checksum
from rankcast.extras import need
from rankcast.files import write_whole

FACES = {
    "TW_Sung": ("TW-Sung-98_1.ttf", "TW-Sung-Ext-B-98_1.ttf"),
    "TW_Kai": ("TW-Kai-98_1.ttf", "TW-Kai-Ext-B-98_1.ttf"),
    "HanaMin": ("HanaMinA.ttf", "HanaMinB.ttf"),
}
# first and last code points: the unified ideographs and extensions A to F
BLOCKS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2CEAF),
    (0x2CEB0, 0x2EBEF),
)
DRAWN, INNER, FRAME = 56, 40, 48
DIRECTIONS, CELLS, KEPT, BLUR = 8, 8, 96, 4.0


def typefaces(folder: Path) -> dict[str, list[tuple[object, set[int]]]]:
    """The files of each typeface at the size drawn, with the code points that each holds."""
    image_font, font_tools = need("PIL.ImageFont", "han"), need("fontTools.ttLib", "han")
    found: dict[str, list[tuple[object, set[int]]]] = {}
    for face, files in FACES.items():
        found[face] = []
        for name in files:
            path = next(iter(sorted(folder.rglob(name))), None)
            if path is None:
                sys.exit(f"{name} is not below {folder}: install the Debian packages that this script names")
            points = set(font_tools.TTFont(path, lazy=True).getBestCmap())
            found[face].append((image_font.truetype(str(path), DRAWN), points))
    return found


def picture(font: object, point: int) -> np.ndarray | None:
    """A character in its frame, between 0 and 1; nothing if there is no ink."""
    image, draw = need("PIL.Image", "han"), need("PIL.ImageDraw", "han")
    canvas = image.new("L", (3 * DRAWN, 3 * DRAWN))
    draw.Draw(canvas).text((DRAWN, DRAWN), chr(point), fill=255, font=font)
    box = canvas.getbbox()
    if box is None:
        return None
    ink = canvas.crop(box)
    short, long = sorted(ink.size)
    # the usual rule for characters: a narrow one is widened, and stays narrow
    narrow = max(1, round(INNER * np.sqrt(np.sin(np.pi / 2 * short / long))))
    size = (INNER, narrow) if ink.size[0] == long else (narrow, INNER)
    frame = image.new("L", (FRAME, FRAME))
    frame.paste(ink.resize(size, image.Resampling.BILINEAR), ((FRAME - size[0]) // 2, (FRAME - size[1]) // 2))
    return np.asarray(frame, np.float32) / 255


def describe(pictures: np.ndarray) -> np.ndarray:
    """Square roots of how much gradient points in each direction, around each point of a grid."""
    down, right = np.gradient(pictures, axis=(1, 2))
    strength = np.hypot(down, right)
    angle = np.arctan2(down, right) / (2 * np.pi) * DIRECTIONS % DIRECTIONS
    low = np.floor(angle).astype(int)
    part = angle - low  # shared between the two nearest directions
    side = FRAME // CELLS
    centre = side * np.arange(CELLS) + (side - 1) / 2
    near = np.exp(-0.5 * ((np.arange(FRAME) - centre[:, None]) / BLUR) ** 2)
    near *= side / near.sum(axis=1, keepdims=True)
    found = []
    for direction in range(DIRECTIONS):
        share = (low % DIRECTIONS == direction) * (1 - part) + ((low + 1) % DIRECTIONS == direction) * part
        found.append(near @ (strength * share) @ near.T)
    return np.sqrt(np.stack(found, axis=-1)).reshape(len(pictures), -1).astype(np.float32)


def features(faces: dict[str, list[tuple[object, set[int]]]], points: list[int]) -> tuple[np.ndarray, list[int]]:
    """Descriptions, typefaces × characters × numbers, of the characters that all typefaces draw."""
    kept, rows = [], []
    for start in range(0, len(points), 500):
        drawn = []
        for point in points[start : start + 500]:
            each = [
                next((picture(font, point) for font, has in files if point in has), None) for files in faces.values()
            ]
            if all(one is not None for one in each):
                kept.append(point)
                drawn.append(each)
        if drawn:
            pictures = np.array(drawn)
            rows.append(describe(pictures.reshape(-1, FRAME, FRAME)).reshape(*pictures.shape[:2], -1))
        print(f"\r{start:,} of {len(points):,}", end="", file=sys.stderr)
    return np.concatenate(rows).swapaxes(0, 1), kept


def main(target: str, fonts: str = "/usr/share/fonts") -> None:
    """Draw, describe, and write the file."""
    faces = typefaces(Path(fonts))
    every = [point for first, last in BLOCKS for point in range(first, last + 1)]
    held = [set().union(*(has for _, has in files)) for files in faces.values()]
    points = sorted(set(every).intersection(*held))
    found, kept = features(faces, points)
    flat = found.reshape(-1, found.shape[-1])
    flat -= flat.mean(axis=0)
    _, axes = np.linalg.eigh(flat.T @ flat)
    reduced = (flat @ axes[:, ::-1][:, :KEPT]).reshape(len(faces), len(kept), KEPT)
    scale = float(np.abs(reduced).max() / 127)
    arrays = dict(zip(faces, np.rint(reduced / scale).astype(np.int8), strict=True))
    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(
        path,
        lambda file: np.savez_compressed(file, codepoint=np.array(kept, np.int32), scale=np.float32(scale), **arrays),
    )
    path.with_name(path.name + ".sha256").write_text(f"{checksum(path)}  {path.name}\n")
    print(f"\n{path}: {len(kept):,} characters")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
