"""diagnose(): does the evidence keep what a forecast assumes, in plain words."""

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._typing import Array, Seed
from .curve import class_counts
from .diagnosis import amount, measurement, structure
from .diagnosis.findings import Case, Finding, NotCheckedError
from .errors import InputError, warn
from .evidence import Evidence
from .results import Result
from .seeds import generator
from .tables import plain

CHECKS: dict[str, Callable[[Case], Finding | None]] = {
    "direction": measurement.below_chance,
    "few classes": amount.few_classes,
    "few examples": amount.few_examples,
    "few errors": amount.few_errors,
    "softmax": measurement.softmax,
    "hard negatives": measurement.hard_negatives,
    "ties": measurement.ties,
    "dominance": amount.dominance,
    "look-alikes": structure.look_alikes,
    "order of classes": structure.order,
    "groups of classes": structure.group,
    "methods agree": structure.disagreement,
    "distance": amount.far,
}


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """What the checks found.

    Attributes
    ----------
    findings : dict of str to Finding
        By the name of the check: what was found, what it means, what to do.
    fine : tuple of str
        Checks that found nothing.
    not_checked : dict of str to str
        Checks that could not be made, and why.
    k1 : int
        Number of classes measured.
    """

    findings: dict[str, Finding]
    fine: tuple[str, ...]
    not_checked: dict[str, str]
    k1: int

    def warn(self) -> None:
        """Issue each finding as a Python warning of its own class, e.g. to stop a pipeline with ``-W error``."""
        for finding in self.findings.values():
            warn(finding.warning)

    def __repr__(self) -> str:
        made = len(self.findings) + len(self.fine)
        count = (
            f"{len(self.findings)} of {made} checks found something" if self.findings else f"{made} checks, all is well"
        )
        lines = [f"Diagnosis of evidence on {self.k1:,} classes: {count}"]
        for name, finding in self.findings.items():
            lines += ["", f"{name} ({finding.kind.__name__}, {finding.see})"]
            for word, text in (("found", finding.found), ("means", finding.means), ("do", finding.do)):
                lines.append(_wrapped(f"{text}.", f"  {word:<5}  "))
        lines += [""] if self.findings else []
        if self.fine:
            lines.append(_wrapped(", ".join(self.fine), "fine: "))
        return "\n".join([*lines, *(f"not checked: {name} ({why})" for name, why in self.not_checked.items())])

    def columns(self) -> dict[str, Array]:
        """One row for each finding."""
        rows = self.to_dict()["findings"]
        return {key: np.array([row[key] for row in rows], str) for key in ("check", "warning", "found", "means", "do")}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "k1": self.k1,
            "findings": [
                {
                    "check": name,
                    "warning": each.kind.__name__,
                    "found": each.found,
                    "means": each.means,
                    "do": each.do,
                    "see": each.see,
                }
                for name, each in self.findings.items()
            ],
            "fine": list(self.fine),
            "not_checked": self.not_checked,
        }


def diagnose(evidence: Evidence, k: int | None = None, *, groups: Any = None, rng: Seed = 0) -> Diagnosis:
    """Check what a forecast assumes: what was found, what it means for the forecast, and what to do.

    Parameters
    ----------
    evidence : Evidence
        What was measured.
    k : int, optional
        Number of classes that a forecast is wanted for; without it, how far it reaches is not checked.
    groups : mapping or sequence, optional
        Group of each class: a mapping from the names of the classes, or one entry for each of ``evidence.classes``
        (for each example, if the evidence has no labels).
    rng : int, Generator or None
        For permutation tests, and for samples of large evidence.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.exp(np.random.default_rng(0).normal(size=(100, 30)) + 3 * np.tile(np.eye(30), (4, 1))[:100])
    >>> probabilities = scores / scores.sum(axis=1, keepdims=True)
    >>> found = diagnose(Evidence.from_scores(probabilities, np.arange(100) % 30))
    >>> found.findings["softmax"].kind.__name__
    'SoftmaxWarning'
    """
    if not isinstance(evidence, Evidence):
        raise InputError(f"diagnose() takes an Evidence, not {type(evidence).__name__}: see Evidence.from_scores")
    number = None if k is None else int(np.max(class_counts(k)))
    case = Case(evidence, number, _groups(evidence, groups), generator(rng))
    findings, fine, skipped = {}, [], {}
    for name, check in CHECKS.items():
        try:
            found = check(case)
        except NotCheckedError as reason:
            skipped[name] = str(reason)
            continue
        if found is None:
            fine.append(name)
        else:
            findings[name] = found
    return Diagnosis(findings, tuple(fine), skipped, evidence.k1)


def _wrapped(text: str, head: str) -> str:
    return textwrap.fill(text, 100, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)


def _groups(evidence: Evidence, groups: Any) -> Array | None:
    """One group for each class, in the order of ``evidence.classes``."""
    if groups is None:
        return None
    if isinstance(groups, Mapping):
        if evidence.classes is None:
            raise InputError("groups by name need evidence with labels: pass one group for each example")
        names = evidence.classes.tolist()
        missing = [name for name in names if name not in groups]
        if missing:
            raise InputError(f"groups lacks {len(missing)} of the {len(names)} classes, e.g. {missing[0]!r}")
        groups = [groups[name] for name in names]
    found = plain(groups, "groups")
    wanted = len(evidence) if evidence.classes is None else len(evidence.classes)
    if found.shape != (wanted,):
        what = "examples" if evidence.classes is None else "classes"
        raise InputError(f"groups has shape {found.shape} for {wanted} {what}: pass one group for each")
    return found
