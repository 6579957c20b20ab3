"""Forecast how accurate a recognition system will be on many more classes than it was measured on."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from .report import Report, report

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
    "Report",
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
    "report",
]

# a public name is loaded from its module when it is first asked for, which keeps the import fast
_ELSEWHERE = {
    "Comparison": "compare",
    "Diagnosis": "diagnose",
    "RankcastError": "errors",
    "RankcastWarning": "errors",
    "compare_methods": "comparison",
    "inspect": "inspection",
    "Inspection": "inspection",
    "Metric": "metrics",
    "methods": "comparison",
}
_HOME = {name: _ELSEWHERE.get(name, name.lower()) for name in __all__}


if not TYPE_CHECKING:  # type checkers should know a misspelt name

    def __getattr__(name: str) -> Any:
        if name == "errors":
            return import_module(".errors", __name__)
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """Keeps a public function from being replaced by the module of its name, which importing that module would do."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
