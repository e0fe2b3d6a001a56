"""Every folder with code of ours is a package whose docstring says what belongs there, and what does not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from warehouse.code import PROJECT

ROOMS = sorted(
    {
        path.parent
        for root in ("pipelines", "synthetic", "transforms", "warehouse", "tests")
        for path in (PROJECT / root).rglob("*.py")
    }
)
SAID = ("Belongs here: ", "Does not belong here: ")


def said(package: Path) -> list[str]:
    """Return what stands behind each of the two openings, in order; nothing for one that is not there."""
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    return [docstring.partition(f"\n\n{opening}")[2].partition("\n\n")[0] for opening in SAID]


@pytest.mark.parametrize("package", ROOMS, ids=lambda package: str(package.relative_to(PROJECT)))
def test_a_package_says_what_belongs_there(package: Path) -> None:
    inside, outside = said(package)
    assert len(inside) > 20
    assert len(outside) > 20


def test_a_package_that_does_not_say_is_found(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text('"""A room.\n\nBelongs here: everything that was made.\n"""\n')
    assert said(tmp_path) == ["everything that was made.", ""]
