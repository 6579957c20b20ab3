"""The methods of the studies, by the name of their column."""

from ..methods import Method
from ..methods.auto import Auto
from ..methods.classexreg import ClassExReg
from ..methods.gaussian import Gaussian
from ..methods.kde import KdeBcv, KdeUcv
from ..methods.mixture import Mixture
from .study import ORACLE

AUTHORS = " (authors)"  # what a column with the authors' settings ends in
PUBLISHED = ("classexreg", "kde-bcv", "kde-ucv")
COLOURS = {
    "classexreg": "#d1242f",
    "kde-bcv": "#1a7f37",
    "kde-ucv": "#9a6700",
    "gaussian": "#8250df",
    "mixture": "#bf3989",
    "pooled": "#57606a",
    "auto": "#1f6feb",
    ORACLE: "#1b1f24",
}


def authors(points: int | None = None) -> dict[str, Method]:
    """The published methods with the settings of the published figures."""
    found: tuple[Method, ...] = (ClassExReg.authors(points), KdeBcv.authors(), KdeUcv.authors())
    return {method.name + AUTHORS: method for method in found}


def ours() -> dict[str, Method]:
    """The same with this package's defaults, and what it adds."""
    found: tuple[Method, ...] = (ClassExReg(), KdeBcv(), KdeUcv(), Gaussian(), Mixture(), Auto())
    return {method.name: method for method in found}
