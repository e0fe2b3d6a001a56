"""A browser for the tests of a file, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.report.browser import browser, missing


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    reason = missing()
    if reason:
        pytest.skip(reason)
    with browser() as started:
        yield started
