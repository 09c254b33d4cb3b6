"""The browser of the reports' tests."""

from desk.reports.conftest import browser

__all__ = ["browser"]
