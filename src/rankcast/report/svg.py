"""Still pictures for readers without JavaScript: small SVG whose colours are those of the page's style sheet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from .._typing import FloatArray
from .content import Content
from .words import is_share, name_of, value_words

_WIDE, _HIGH = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 16, 18, 48


@dataclass(frozen=True)
class Axis:
    """Where values lie along one side of the picture, with marks on it."""

    low: float
    high: float
    start: float
    end: float
    marks: tuple[tuple[float, str], ...]
    title: str

    def at(self, value: object) -> FloatArray:
        """Position in the picture."""
        share = (np.asarray(value, float) - self.low) / (self.high - self.low)
        return np.asarray(self.start + np.clip(share, 0.0, 1.0) * (self.end - self.start))


def across(low: float, high: float, marks: Sequence[tuple[float, str]], title: str) -> Axis:
    """The axis below the picture."""
    return Axis(low, high, _LEFT, _WIDE - _RIGHT, tuple(marks), title)


def upwards(low: float, high: float, words: Callable[[float], str], title: str) -> Axis:
    """The axis beside the picture, with some five marks at round numbers."""
    step = 10.0 ** np.floor(np.log10((high - low) / 4))
    step = next(step * each for each in (1, 2, 2.5, 5, 10) if (high - low) / (step * each) <= 5.5)
    marks = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step  # may hold -0.0
    return Axis(
        low, high, _HIGH - _BOTTOM, _TOP, tuple((float(mark), words(float(mark) + 0.0)) for mark in marks), title
    )


def curve_picture(content: Content, label: str) -> str:
    """The measured curve, the forecast and its band."""
    fc, k1 = content.shown, content.asked.k1
    share = is_share(fc)
    x = across(*_ends(np.log10(fc.k)), _powers(int(fc.k[-1])), "number of classes")
    y = _values(np.r_[fc.low, fc.high], share, name_of(fc.metric))
    log_k = np.log10(fc.k)
    inside, beyond = fc.k <= k1, fc.k >= k1
    band = _points(x.at(np.r_[log_k, log_k[::-1]]), y.at(np.r_[fc.high, fc.low[::-1]]))
    parts = [
        f'<polygon class="band" points="{band}"/>',
        _upright(x, np.log10(k1), f"measured: {k1:,}"),
        f'<polyline class="measured" points="{_points(x.at(log_k[inside]), y.at(fc.estimate[inside]))}"/>',
        f'<polyline class="forecast" points="{_points(x.at(log_k[beyond]), y.at(fc.estimate[beyond]))}"/>',
    ]
    at = int(np.nonzero(fc.k == content.focus)[0][0])
    parts.append(_dot(float(x.at(log_k[at])), float(y.at(fc.estimate[at])), "point"))
    return _picture(x, y, parts, label)


def law_picture(content: Content, label: str) -> str:
    """D(u) by the method asked for."""
    z, law = content.law()
    x = across(float(z[0]), float(z[-1]), content.law_ticks(), "favourability u")
    y = upwards(0.0, 1.0, lambda value: f"{value:.0%}", "share of examples, D(u)")
    parts = [
        _upright(x, content.edge, f"1 − 1/{content.asked.k1:,}", _TOP + 12),
        f'<polyline class="law" points="{_points(x.at(z), y.at(law[content.asked.method]))}"/>',
    ]
    return _picture(x, y, parts, label)


def backtest_picture(content: Content, label: str) -> str:
    """Each forecast of the back-test with its interval, beside what was measured."""
    result = content.backtest
    if result is None:
        return ""
    sizes = np.unique(result.classes)[::-1]
    marks = [(float(i), f"from {size:,}") for i, size in enumerate(sizes)]
    x = across(-0.5, len(sizes) - 0.5, marks, "classes that the forecast saw")
    everything = np.r_[result.low, result.high, result.measured]
    y = _values(everything, is_share(content.asked), name_of(result.metric), tight=True)
    level = float(y.at(result.measured))
    parts = [f'<line class="truth" x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{level:.1f}" y2="{level:.1f}"/>']
    for i, size in enumerate(sizes):
        mine = np.nonzero(result.classes == size)[0]
        for place, j in zip(spread(len(mine)), mine, strict=True):
            at = float(x.at(i + place))
            low, high = float(y.at(result.low[j])), float(y.at(result.high[j]))
            kind = "hit" if result.covered[j] else "miss"
            parts.append(f'<line class="{kind}" x1="{at:.1f}" x2="{at:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>')
            parts.append(_dot(at, float(y.at(result.estimate[j])), kind))
    return _picture(x, y, parts, label)


def spread(number: int) -> FloatArray:
    """Places side by side around zero."""
    return np.linspace(-0.3, 0.3, number) if number > 1 else np.zeros(1)


def _ends(values: FloatArray) -> tuple[float, float]:
    return float(values[0]), float(values[-1])


def _values(values: FloatArray, share: bool, title: str, *, tight: bool = False) -> Axis:
    low, high = float(values.min()), float(values.max())
    if share and not tight:
        low, high = 0.0, 1.0
    else:
        room = 0.08 * max(high - low, 1e-3)
        low, high = max(low - room, 0.0), min(high + room, 1.0) if share else high + room
    digits = 0 if high - low > 0.05 else 1
    return upwards(low, high, lambda value: f"{value:.{digits}%}" if share else value_words(value, False), title)


def _powers(most: int) -> list[tuple[float, str]]:
    words = {3: "k", 6: "M", 9: "G"}
    powers = range(1, int(np.floor(np.log10(most) + 1e-9)) + 1)
    return [(float(p), f"{10 ** (p % 3)}{words.get(p - p % 3, '')}") for p in powers]


def _points(x: FloatArray, y: FloatArray) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _dot(x: float, y: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'


def _upright(x: Axis, value: float, text: str, height: float = _HIGH - _BOTTOM - 8) -> str:
    at = float(x.at(value))
    side = "end" if at > 0.7 * _WIDE else "start"  # away from the nearer end
    place = at - 6 if side == "end" else at + 6
    return (
        f'<line class="edge" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{_HIGH - _BOTTOM}"/>'
        f'<text x="{place:.1f}" y="{height}" text-anchor="{side}">{escape(text)}</text>'
    )


def _picture(x: Axis, y: Axis, parts: list[str], label: str) -> str:
    bottom, lines = _HIGH - _BOTTOM, []
    for value, text in y.marks:
        at = float(y.at(value))
        lines.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        lines.append(f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{escape(text)}</text>')
    for value, text in x.marks:
        at = float(x.at(value))
        lines.append(f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle">{escape(text)}</text>')
    lines.append(f'<line class="axis" x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{bottom}" y2="{bottom}"/>')
    middle = (_LEFT + _WIDE - _RIGHT) / 2
    lines.append(f'<text x="{middle}" y="{_HIGH - 8}" text-anchor="middle">{escape(x.title)}</text>')
    height = (_TOP + bottom) / 2
    turned = f'class="beside" transform="translate(14 {height}) rotate(-90)" text-anchor="middle"'
    lines.append(f"<text {turned}>{escape(y.title)}</text>")
    return (
        f'<svg class="still" viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="{escape(label)}">'
        + "".join([*lines, *parts])
        + "</svg>"
    )
