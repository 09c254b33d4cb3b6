"""One browser for every check of a page."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from .browser import Browser, executable


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = executable()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing; in continuous integration pages must be tested")
        pytest.skip("Chromium is not installed here; pages are not tested in a real browser")
    running = Browser(path)
    yield running
    running.close()
