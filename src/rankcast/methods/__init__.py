"""Estimators of the distribution of U*, one per file."""

from ..errors import MethodError
from ..evidence import Evidence
from .auto import Auto
from .base import Method
from .classexreg import ClassExReg
from .cleanex import CleaneX
from .gaussian import Gaussian
from .kde import KdeBcv, KdePlcv, KdeUcv
from .loglinear import LogLinear
from .mixture import Mixture
from .pooled import Pooled

REGISTRY: dict[str, type[Method]] = {
    method.name: method
    for method in (Auto, ClassExReg, Gaussian, Mixture, LogLinear, KdeBcv, KdeUcv, KdePlcv, Pooled, CleaneX)
}
DEFAULT = "auto"

__all__ = ["DEFAULT", "REGISTRY", "Method", "get_method"]


def get_method(method: str | Method, evidence: Evidence | None = None) -> Method:
    """The method of that name with its default settings, checked against what the evidence holds."""
    if isinstance(method, str):
        if method not in REGISTRY:
            raise MethodError(f"unknown method {method!r}: choose one of {', '.join(REGISTRY)}")
        method = REGISTRY[method]()
    if not isinstance(method, Method):
        raise MethodError(f"a method is a name or an object such as ClassExReg(), not {method!r}")
    if evidence is not None and method.needs == "scores" and evidence.scores is None:
        able = ", ".join(name for name, known in REGISTRY.items() if known.needs == "ranks")
        raise MethodError(
            f"the method {method.name!r} needs scores, and this evidence holds ranks only: use one of {able}"
        )
    return method
