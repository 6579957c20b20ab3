"""The report: everything about a forecast on one page, in a single file that needs no network."""

from .build import Report, report

__all__ = ["Report", "report"]
