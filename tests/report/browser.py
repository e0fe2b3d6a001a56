"""Chromium, driven by Playwright, and axe-core; `python -m tests.report.browser` says what is missing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
FLAGS: Final = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip

READ: Final = """() => {
  const own = (element) => Object.fromEntries(element.getAttributeNames()
    .filter((name) => name.startsWith('data-')).map((name) => [name.slice(5), element.getAttribute(name)]));
  const carried = (element) => {
    let found = {};
    for (let at = element; at; at = at.parentElement) found = {...own(at), ...found};
    return found;
  };
  const ofRow = (row) => {
    const heads = [...row.closest('table').querySelectorAll('th[data-column]')].map((head) => head.dataset.column);
    return [...row.querySelectorAll('td')].reduce((found, cell, n) => {
      const data = own(cell);
      if (Object.keys(data).length || !heads.length || cell.textContent === '–') return {...found, ...data};
      return {...found, [heads[n]]: cell.textContent};
    }, {});
  };
  const marks = [...document.querySelectorAll('.m')]
    .map((mark) => ({...carried(mark), ...(mark.tagName === 'TR' ? ofRow(mark) : {})}));
  return {marks, curves: [...document.querySelectorAll('[data-columns]')].map(carried)};
}"""
"""Reads from a page what each of its marks and curves carries."""


def missing() -> str | None:
    """Return in one sentence what to install before a browser can be driven; None where all is there."""
    if find_spec("playwright") is None or find_spec("axe_playwright_python") is None:
        return "Playwright or axe-core is missing: run `make setup`, which installs both."
    if executable() is None:
        return "Chromium is missing: install it, on Debian with `apt-get install chromium`."
    return None


def executable() -> str | None:
    """Return the path of the first Chromium there is."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@dataclass(slots=True)
class Opened:
    """A page in the browser, and what went wrong or out while it was open."""

    page: Any
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def read(self) -> dict[str, list[dict[str, str]]]:
        """Return what every mark and curve of the page carries."""
        found: dict[str, list[dict[str, str]]] = self.page.evaluate(READ)
        return found

    def violations(self) -> list[str]:
        """Return what axe-core finds that is serious or critical, with the elements."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
            for each in found if each["impact"] in {"serious", "critical"} for node in each["nodes"][:3]
        ]  # fmt: skip

    def seen(self, selector: str) -> int:
        """Return how many elements of a selector are displayed."""
        found: int = self.page.evaluate(
            "(s) => [...document.querySelectorAll(s)].filter((e) => e.getClientRects().length).length", selector
        )
        return found


@contextmanager
def browser() -> Iterator[Any]:
    """Start Chromium for some tests. Call it only where nothing is `missing`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
        try:
            yield started
        finally:
            started.close()


def open_page(started: Any, path: Path, width: int = 1600, scheme: str = "light") -> Opened:
    """Open a file; everything that is asked for but the file itself, and every complaint, is kept."""
    page = started.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme)
    page.set_default_timeout(120_000)
    opened = Opened(page)
    page.on("console", lambda message: opened.console.append(message.text))
    page.on("pageerror", lambda problem: opened.console.append(str(problem)))
    page.on("request", lambda request: opened.requests.append(request.url))
    page.goto(path.as_uri())
    return opened


if __name__ == "__main__":
    if found := missing():
        sys.exit(found)
