"""Faults of BenchMIRT: of its response table and of the metadata of items and models."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from typing import Final

import pyarrow.csv as pc
import pyarrow.parquet as pq

from synthetic.benchmirt import make_release
from synthetic.sra.faults.base import POINTER
from tests.faults.bundles import Files
from tests.faults.other_faults import Edit, OtherFault, flipped, of_bytes, replaced

RESPONSES: Final = "benchmirt/responses.csv"


ITEMS: Final = "benchmirt/items.csv"


MODELS: Final = "benchmirt/models.csv"


def sound() -> Files:
    """Return a sound response table and its metadata, by path."""
    found = make_release(n_models=6, items_a_benchmark=4, seed=1, missing=0.03)
    return {RESPONSES: found.responses_csv, ITEMS: found.items_csv, MODELS: found.models_csv}


def _rows(path: str, change: Callable[[list[list[str]]], list[list[str]]]) -> Edit:
    """Change the rows of a CSV file, header first."""

    def edit(data: bytes) -> bytes:
        target = io.StringIO()
        csv.writer(target, lineterminator="\n").writerows(change(list(csv.reader(io.StringIO(data.decode())))))
        return target.getvalue().encode()

    return of_bytes(path, edit)


def _last_score(value: str) -> Edit:
    """Put a value into the last cell of the response table."""
    return _rows(RESPONSES, lambda rows: [*rows[:-1], [*rows[-1][:-1], value]])


def _as_parquet(damage: Callable[[bytes], bytes]) -> Edit:
    def plant(files: Files) -> None:
        table = pc.read_csv(io.BytesIO(files[RESPONSES]))
        target = io.BytesIO()
        pq.write_table(table, target)
        files[RESPONSES] = damage(target.getvalue())

    return plant


def _another_column(rows: list[list[str]]) -> list[list[str]]:
    return [[*row, "colour" if number == 0 else "red"] for number, row in enumerate(rows)]


def _as_lines(text: str) -> Edit:
    """Put another table in the place of the response table."""
    return of_bytes(RESPONSES, lambda _: text.replace(" / ", "\n").encode())


def _truth_words(rows: list[list[str]]) -> list[list[str]]:
    words = {"1.0": "TRUE", "0.0": "FALSE"}
    return [[words.get(cell, cell) for cell in row] for row in rows]


def _words_for_missing(rows: list[list[str]]) -> list[list[str]]:
    return [rows[0], *([*row[:3], *(cell or "NA" for cell in row[3:])] for row in rows[1:])]


def _without_prefix(rows: list[list[str]]) -> list[list[str]]:
    return [["", *(name.removeprefix("acc_norm_") for name in rows[0][1:])], *rows[1:]]


def _in_another_case(rows: list[list[str]]) -> list[list[str]]:
    return [[*rows[0][:-1], rows[0][-2].replace("org-", "ORG-")], *rows[1:]]


def _semicolons(data: bytes) -> bytes:
    target = io.StringIO()
    csv.writer(target, delimiter=";", lineterminator="\n").writerows(csv.reader(io.StringIO(data.decode())))
    return b"sep=;\n" + target.getvalue().encode()


def _mirt(name: str, description: str, outcome: str, rule: str, plant: Edit) -> OtherFault:
    stated = f"benchmirt.{rule}" if "." not in rule else rule
    return OtherFault("benchmirt", f"benchmirt_{name}", description, outcome, stated, plant)  # type: ignore[arg-type]


BENCHMIRT: Final = (
    _mirt("empty", "The response table has no bytes.", "refused", "empty_file", of_bytes(RESPONSES, lambda _: b"")),
    *(
        _mirt(f"lfs_pointer_{name}", f"A Git LFS pointer: {name}.", "refused", "input.lfs_pointer", of_bytes(path, put))
        for name, path, put in (
            ("responses", RESPONSES, lambda _: POINTER),
            ("responses_gzipped", RESPONSES, lambda _: gzip.compress(POINTER, mtime=0)),
            ("items", ITEMS, lambda _: POINTER),
            ("models", MODELS, lambda _: POINTER),
        )
    ),
    _mirt(
        "not_utf8", "A name is not UTF-8.", "refused", "not_utf8", of_bytes(RESPONSES, replaced(b"org-", b"org-\xff"))
    ),
    _mirt(
        "nul", "The file holds a NUL byte.", "refused", "nul_byte", of_bytes(RESPONSES, replaced(b"org-", b"org-\0"))
    ),
    _mirt(
        "open_quote",
        "The file ends inside a quoted field.",
        "refused",
        "open_quote",
        of_bytes(RESPONSES, lambda d: d + b'"'),
    ),
    _mirt(
        "ragged",
        "A row has a field too few.",
        "refused",
        "ragged_row",
        _rows(RESPONSES, lambda r: [*r[:-1], r[-1][:-1]]),
    ),
    _mirt("truncated", "The last third is gone.", "refused", "", of_bytes(RESPONSES, lambda d: d[: len(d) * 2 // 3])),
    _mirt(
        "no_id_column",
        "No column names the items.",
        "refused",
        "no_id_column",
        of_bytes(RESPONSES, replaced(b"question_id", b"colour")),
    ),
    _mirt(
        "repeated_column",
        "A model has two columns.",
        "refused",
        "repeated_column",
        _rows(RESPONSES, lambda r: [[*r[0][:-1], r[0][-2]], *r[1:]]),
    ),
    _mirt(
        "repeated_item", "An item has two rows.", "refused", "repeated_item", _rows(RESPONSES, lambda r: [*r, r[-1]])
    ),
    _mirt(
        "empty_id",
        "A row names no item.",
        "refused",
        "empty_id",
        _rows(RESPONSES, lambda r: [*r[:-1], ["", *r[-1][1:]]]),
    ),
    _mirt("large", "A score is 1.2.", "refused", "score_out_of_range", _last_score("1.2")),
    _mirt("negative", "A score is negative.", "refused", "score_out_of_range", _last_score("-1")),
    _mirt("infinite", "A score is infinite.", "refused", "", _last_score("inf")),
    _mirt("nan", "A score is NaN.", "warning", "nan_score", _last_score("NaN")),
    _mirt("text", "A score is a word.", "refused", "not_a_number", _last_score("yes")),
    _mirt("truth_words", "Scores are TRUE and FALSE.", "info", "truth_word", _rows(RESPONSES, _truth_words)),
    _mirt("missing_words", "Missing scores say NA.", "info", "missing_word", _rows(RESPONSES, _words_for_missing)),
    _mirt("delimiter", "Fields are separated by semicolons.", "info", "delimiter", of_bytes(RESPONSES, _semicolons)),
    _mirt(
        "separator", "A spreadsheet's hint stands first.", "info", "separator_hint", of_bytes(RESPONSES, _semicolons)
    ),
    _mirt(
        "unnamed_index",
        "The items' column has no name and the models no prefix; the metadata knows both.",
        "identical",
        "",
        _rows(RESPONSES, _without_prefix),
    ),
    _mirt(
        "unknown_side",
        "The first column has no name, and nothing else says which side the models are on.",
        "refused",
        "unknown_side",
        _as_lines(",q1,q2 / gpt,1,0 / llama,0,1"),
    ),
    _mirt("no_header", "The table has no header.", "refused", "no_header", _as_lines("q1,1,0 / q2,0,1")),
    _mirt(
        "json_array",
        "A JSON array stands in the place of JSON lines.",
        "refused",
        "json_document",
        _as_lines('[{"subject_id": "gpt", "responses": {"q1": 1}}]'),
    ),
    _mirt(
        "repeated_response",
        "A long table holds two responses of a model to an item.",
        "refused",
        "repeated_response",
        _as_lines("model,item,score / gpt,q1,1 / gpt,q1,0"),
    ),
    _mirt(
        "nameless_model",
        "A column has the models' prefix and no name behind it.",
        "refused",
        "unnamed_model",
        _rows(RESPONSES, lambda r: [[*r[0][:-1], "acc_norm_ "], *r[1:]]),
    ),
    _mirt(
        "similar_models",
        "Two models differ only in case.",
        "warning",
        "similar_names",
        _rows(RESPONSES, _in_another_case),
    ),
    _mirt("unknown_column", "A column nobody knows.", "warning", "unknown_column", _rows(RESPONSES, _another_column)),
    _mirt(
        "byte_order_mark",
        "The file starts with a mark.",
        "info",
        "byte_order_mark",
        of_bytes(RESPONSES, lambda d: b"\xef\xbb\xbf" + d),
    ),
    _mirt("crlf", "Lines end in CRLF.", "info", "crlf", of_bytes(RESPONSES, lambda d: d.replace(b"\n", b"\r\n"))),
    _mirt(
        "shuffled",
        "Rows stand in another order.",
        "identical",
        "",
        _rows(RESPONSES, lambda r: [r[0], *reversed(r[1:])]),
    ),
    _mirt("parquet", "The table comes as Parquet.", "identical", "", _as_parquet(lambda d: d)),
    _mirt(
        "parquet_flipped_byte",
        "A byte of the footer is another.",
        "refused",
        "unreadable",
        _as_parquet(flipped(lambda d: len(d) - 6)),
    ),
    _mirt(
        "parquet_truncated",
        "The Parquet file is cut short.",
        "refused",
        "unreadable",
        _as_parquet(lambda d: d[: len(d) // 2]),
    ),
    _mirt("items_empty", "The item metadata has no bytes.", "refused", "empty_file", of_bytes(ITEMS, lambda _: b"")),
    _mirt(
        "items_repeated",
        "An item has two rows of metadata.",
        "refused",
        "repeated_item",
        _rows(ITEMS, lambda r: [*r, r[-1]]),
    ),
    _mirt(
        "items_missing", "An item has no metadata.", "warning", "item_without_metadata", _rows(ITEMS, lambda r: r[:-1])
    ),
    _mirt(
        "models_repeated",
        "A model has two rows of metadata.",
        "refused",
        "repeated_model",
        _rows(MODELS, lambda r: [*r, r[-1]]),
    ),
    _mirt(
        "models_missing",
        "A model has no metadata.",
        "warning",
        "model_without_metadata",
        _rows(MODELS, lambda r: r[:-1]),
    ),
    _mirt(
        "models_not_utf8",
        "The model metadata is not UTF-8.",
        "refused",
        "not_utf8",
        of_bytes(MODELS, lambda d: d + b"\xff,,,,\n"),
    ),
)
