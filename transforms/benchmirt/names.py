"""What columns are called: by the publishers of the release, and by people who bring a matrix of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import polars as pl

PREFIX: Final = "acc_norm_"
ITEM_TEXTS: Final = (
    "benchmark", "category", "domain_superset", "subcategory_one", "subcategory_two", "subcategory_three",
    "question_type", "question_text",
)  # fmt: skip
ITEM_NUMBERS: Final = ("average_score", "standard_deviation", "correlation", "correlation_subset")
MODEL_TEXTS: Final = ("family", "size", "reasoning", "date")
# Text beside the scores of a table with a row an item.
ROW_TEXTS: Final = ("subset", "question")

# In order: of two, the first names the items.
ITEM_NAMES: Final = ("question_id", "item_id", "item")
MODEL_NAMES: Final = (
    "subject_id", "subject", "model_id", "model", "model_name", "respondent_id", "respondent",
)  # fmt: skip
# Alone in front, as in matrices of respondents; beside another name it says nothing.
WEAK_NAME: Final = "id"
SCORE_NAMES: Final = (
    "score", "resp", "response", "correct", "is_correct", "value", "result", "outcome", "acc", "acc_norm", "accuracy",
    "exact_match",
)  # fmt: skip
_DESCRIBING: Final = frozenset(
    (
        *ITEM_TEXTS, *ITEM_NUMBERS, *MODEL_TEXTS, *ITEM_NAMES, *MODEL_NAMES, *SCORE_NAMES, *ROW_TEXTS, WEAK_NAME,
        "mean", "average", "total", "sum", "std", "sd", "split", "fold", "dataset", "source", "domain", "answer",
        "gold", "target", "difficulty", "discrimination",
    )
)  # fmt: skip
_INDEX: Final = re.compile(r"|index|Unnamed: \d+|__index_level_\d+__|rownames|row\.names|\.\.\.1")
_WRITTEN_INDEX: Final = re.compile(r"__index_level_\d+__")
_APART: Final = re.compile(r"[\s-]+")


def key(name: str) -> str:
    """Return a column's name as it is looked up: without case, with `_` for blanks and hyphens."""
    return _APART.sub("_", name.strip()).casefold()


def is_index(name: str) -> bool:
    """Tell whether a column has no name, or one that a program gives to a column without."""
    return _INDEX.fullmatch(name.strip()) is not None


def is_written_index(name: str) -> bool:
    """Tell whether pandas wrote the column as the index of a Parquet file, where it may stand last."""
    return _WRITTEN_INDEX.fullmatch(name) is not None


def describes(name: str) -> bool:
    """Tell whether a column's name says that it describes rows rather than holds one model's or item's scores."""
    return is_index(name) or key(name) in _DESCRIBING or key(name).endswith("_average")


def counts_rows(column: pl.Series) -> bool:
    """Tell whether a column holds the rows' numbers, from 0 or from 1."""
    text = column.cast(pl.String)
    numbers = pl.int_range(len(column), eager=True)
    return any(text.equals((numbers + first).cast(pl.String), check_names=False) for first in (0, 1))


def look_alikes(names: Iterable[str]) -> list[list[str]]:
    """Return the groups of different names that differ only in blanks, case or Unicode form, in order of name."""
    found = names if isinstance(names, pl.Series) else pl.Series(list(names), dtype=pl.String)
    frame = pl.DataFrame({"name": found.unique()})
    folded = pl.col("name").str.normalize("NFKC").str.to_lowercase().str.replace_all(r"[\s\p{Cf}]+", "")
    alike = frame.with_columns(folded.alias("folded")).filter(pl.col("folded").is_duplicated()).sort("name")
    return alike.group_by("folded", maintain_order=True).agg("name")["name"].to_list()
