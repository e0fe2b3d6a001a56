"""The page of the macros, written from the headers of their files: `python -m warehouse.sqldocs` renews it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import Final

from warehouse.code import PROJECT, SQL_ROOT
from warehouse.sqltext import SqlObject, load_sql

PAGE: Final = PROJECT / "docs" / "macros.md"
_WIDTH: Final = 120
_INTRODUCTION: Final = """# Macros

Written from the headers under `sql/macros/` by `python -m warehouse.sqldocs`.

A macro takes the name of a relation with the columns `cell, question_id, confidence, correct`: a table, a view, a
temporary table or a `WITH` of your own. Figures are a row a cell, each in the column of its name. `question_id` is the
cluster of every standard error. `confidence` is a number, higher for surer; `correct` is true or false, or 1 or 0. Rows
that cannot be used are counted in `n_null`, `n_nan` and `n_out_of_range` and left out. A null `cell` or `question_id`
is an error that says in how many rows it is. A figure that does not exist is null, and a `_reason` column says why:
[statistics.md](statistics.md) has the list and a worked example.

```sql
WITH mine AS (
    SELECT 'all' AS cell, question_id, confidence, correct
    FROM confidence_observations
    WHERE signal = 'tf' AND model = 'Qwen3-32B' AND dataset = 'champ' AND condition = 'direct'
)
SELECT ece, mce, bias FROM calibration_error('mine', n_bins := 15, strategy := 'equal_mass')
```

Open `lake.duckdb` itself, or attach it and `USE` it. A relation that is itself made by a macro cannot be given to the
same macro again: DuckDB takes that for endless recursion.
"""
_INTERNAL: Final = """## Internal

Steps of the macros above and of the lake's own queries. They may change, and do not look at what they are given: a null
key is not refused here. `callake tables NAME` describes one, `callake tables --all` lists them.

| macro | returns |
|---|---|"""


def macros_page(objects: Iterable[SqlObject]) -> str:
    """Return the page: table macros, then scalar ones, by name; then a line for each that is internal."""
    macros = sorted((found for found in objects if "macro" in found.kind), key=lambda found: found.name)
    parts = [_INTRODUCTION]
    for title, kind in (("Over a relation", "table macro"), ("Scalars and aggregates", "macro")):
        parts += [f"## {title}\n", *(_entry(found) for found in macros if found.kind == kind and not found.internal)]
    internal = [f"| `{found.name}` | {found.grain} |" for found in macros if found.internal]
    return "\n".join([*parts, _INTERNAL, *internal, ""])


def _entry(macro: SqlObject) -> str:
    lines = [f"### `{macro.name}`\n", fill(f"Returns {macro.grain}. {macro.description}".rstrip(), _WIDTH) + "\n"]
    lines += [fill(f"* `{name}`: {text}", _WIDTH, subsequent_indent="  ") for name, text in macro.parameters.items()]
    lines += [""] if macro.parameters else []
    return "\n".join([*lines, f"```sql\n{macro.example}\n```\n"])


def main(page: Path = PAGE) -> None:
    """Write the page."""
    page.write_text(macros_page(load_sql(SQL_ROOT)), encoding="utf-8")


if __name__ == "__main__":
    main()
