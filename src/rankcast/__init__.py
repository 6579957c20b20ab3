"""Forecast how accurate a recognition system will be on many more classes than it was measured on."""

from .backtest import Backtest, backtest
from .capacity import Capacity, capacity
from .cmc import Cmc, cmc
from .compare import Comparison, compare
from .comparison import compare_methods, methods
from .curve import curve
from .diagnose import Diagnosis, diagnose
from .errors import RankcastError, RankcastWarning
from .evidence import Evidence
from .favourability import Favourability
from .forecast import Forecast, forecast
from .inspection import Inspection, inspect
from .metrics import Metric
from .plan import Plan, plan

__all__ = [
    "Backtest",
    "Capacity",
    "Cmc",
    "Comparison",
    "Diagnosis",
    "Evidence",
    "Favourability",
    "Forecast",
    "Inspection",
    "Metric",
    "Plan",
    "RankcastError",
    "RankcastWarning",
    "backtest",
    "capacity",
    "cmc",
    "compare",
    "compare_methods",
    "curve",
    "diagnose",
    "forecast",
    "inspect",
    "methods",
    "plan",
]
