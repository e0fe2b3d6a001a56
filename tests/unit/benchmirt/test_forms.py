"""A matrix reads back to the same responses, whichever form and dialect it was written in."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.benchmirt.files import MODELS_IN_COLUMNS, MODELS_IN_ROWS, parquet, read, scores
from transforms.benchmirt import Hints
from transforms.benchmirt.names import describes
from warehouse.contracts import has_errors

Cells = dict[tuple[str, str], float | None]
Written = tuple[bytes, Hints | None]
NAMED: Hints | None = None


def text(value: float | None, missing: str = "") -> str:
    return missing if value is None else f"{value:g}"


def table(rows: Sequence[Sequence[str]], delimiter: str = ",", *, quoted: bool = False) -> bytes:
    target = io.StringIO(newline="")
    writer = csv.writer(
        target, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    )
    writer.writerows(rows)
    return target.getvalue().encode()


def grid(
    cells: Cells, models: list[str], items: list[str], corner: list[str], rows_are: str, missing: str = ""
) -> list[list[str]]:
    """The matrix as rows of text under a header that begins with `corner`."""
    if rows_are == "items":
        return [[*corner, *models], *([item, *(text(cells[m, item], missing) for m in models)] for item in items)]
    return [[*corner, *items], *([model, *(text(cells[model, i], missing) for i in items)] for model in models)]


def long(cells: Cells) -> list[list[str]]:
    return [["score", "model", "item"], *([text(value), model, item] for (model, item), value in cells.items())]


def frame(cells: Cells, models: list[str], items: list[str]) -> pl.DataFrame:
    columns = {model: pl.Series([cells[model, item] for item in items], dtype=pl.Float64) for model in models}
    return pl.DataFrame({"question_id": items, **columns})


def subjects(cells: Cells, models: list[str], items: list[str]) -> bytes:
    records = [{"subject_id": m, "responses": {i: cells[m, i] for i in items}} for m in models]
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def with_decimal_commas(rows: list[list[str]]) -> list[list[str]]:
    return [rows[0], *([row[0], *(cell.replace(".", ",") for cell in row[1:])] for row in rows[1:])]


def prefixed(cells: Cells, models: list[str], items: list[str]) -> list[list[str]]:
    rows = grid(cells, models, items, ["question_id"], "items")
    return [["question_id", *(f"acc_norm_{model}" for model in models)], *rows[1:]]


FORMS: dict[str, Callable[[Cells, list[str], list[str]], Written]] = {
    "models in columns": lambda c, m, i: (table(grid(c, m, i, ["question_id"], "items")), NAMED),
    "models in rows": lambda c, m, i: (table(grid(c, m, i, ["subject"], "models")), NAMED),
    "unnamed, models in columns": lambda c, m, i: (table(grid(c, m, i, [""], "items")), MODELS_IN_COLUMNS),
    "unnamed, models in rows": lambda c, m, i: (table(grid(c, m, i, [""], "models")), MODELS_IN_ROWS),
    "another name": lambda c, m, i: (table(grid(c, m, i, ["who?"], "models")), Hints(model_column="who?")),
    "release": lambda c, m, i: (table(prefixed(c, m, i)), NAMED),
    "long": lambda c, _m, _i: (table(long(c)), NAMED),
    "long, tabs": lambda c, _m, _i: (table(long(c), "\t", quoted=True), NAMED),
    "subjects": lambda c, m, i: (subjects(c, m, i), NAMED),
    "parquet": lambda c, m, i: (parquet(frame(c, m, i)), NAMED),
    "parquet, long": lambda c, _m, _i: (
        parquet(pl.DataFrame([(*pair, value) for pair, value in c.items()], orient="row",
                             schema={"model": pl.String, "item": pl.String, "score": pl.Float64})), NAMED,
    ),
    "R, commas": lambda c, m, i: (table(grid(c, m, i, [], "items", "NA"), quoted=True), MODELS_IN_COLUMNS),
    "R, blanks": lambda c, m, i: (table(grid(c, m, i, [], "models", "NA"), " ", quoted=True), MODELS_IN_ROWS),
    "spreadsheet": lambda c, m, i: (
        b"\xef\xbb\xbfsep=;\n" + table(with_decimal_commas(grid(c, m, i, ["item"], "items")), ";", quoted=True), NAMED,
    ),
    "pandas": lambda c, m, i: (
        pd.DataFrame([[c[x, y] for x in m] for y in i], index=pd.Index(i, name="item_id"), columns=m)
        .reset_index().to_csv(na_rep="None").encode(), NAMED,
    ),
}  # fmt: skip

names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).map("n".__add__)
names = names.filter(lambda name: not describes(name))
lists = st.lists(names, min_size=1, max_size=4, unique=True)
values = st.sampled_from([0.0, 1.0, 0.25, None])


@pytest.mark.parametrize("form", FORMS)
@given(lists, lists, st.data())
@settings(max_examples=25, deadline=None)
def test_a_matrix_reads_back_to_the_same_responses(
    form: str, models: list[str], items: list[str], data: st.DataObject
) -> None:
    cells: Cells = {(model, item): data.draw(values) for model in models for item in items}
    written, hints = FORMS[form](cells, models, items)
    found = read(written, hints)
    assert not has_errors(found.issues), [issue.message for issue in found.issues]
    assert scores(found) == cells
    assert found.responses.equals(found.responses.sort("model", "item_id"))
    assert "benchmirt.form" in {issue.rule for issue in found.issues}
