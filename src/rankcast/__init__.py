"""Forecast how accurate a recognition system will be on many more classes than it was measured on."""

from .comparison import compare_methods, methods
from .curve import curve
from .errors import RankcastError, RankcastWarning
from .evidence import Evidence
from .favourability import Favourability
from .forecast import Forecast, forecast

__all__ = [
    "Evidence",
    "Favourability",
    "Forecast",
    "RankcastError",
    "RankcastWarning",
    "compare_methods",
    "curve",
    "forecast",
    "methods",
]
