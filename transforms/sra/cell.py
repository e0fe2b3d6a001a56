"""A cell as a pure function of its files' bytes, in two halves that can be reused apart from one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl
import pyarrow as pa

from transforms.gzipped import inflate
from transforms.issue_log import Unread
from transforms.sra.consequences import folded
from transforms.sra.entropy import read_blocks
from transforms.sra.entropy_blocks import match_rollouts
from transforms.sra.entropy_index import check_token_counts, parse_index
from transforms.sra.entropy_summary import rollout_columns, summarise, token_tables
from transforms.sra.grading import Grader
from transforms.sra.join import TfMemory, join_ab, join_tf
from transforms.sra.layout import CellKey
from transforms.sra.question import Question
from transforms.sra.sampling import Sampling, parse_sampling
from transforms.sra.spans import find_spans
from transforms.sra.token_blocks import Layout
from transforms.sra.tokenizers import Vocabulary
from transforms.sra.verdicts_ab import parse_ab
from transforms.sra.verdicts_tf import parse_tf
from warehouse.contracts import TABLES, Issue, has_errors
from warehouse.contracts.sra import SOURCE

KEY = ("instance_id", "sample")
UNREAD_SCHEMA: Final = {
    "path": pl.String, "line": pl.Int64, "instance_id": pl.String, "sample": pl.Int64, "key": pl.String,
    "value": pl.String,
}  # fmt: skip
File = tuple[str, bytes]
"""A file's path in the bundle and its bytes."""


@dataclass(slots=True)
class HalfResult:
    """Tables by name and what was noticed; no tables where anything is an error.

    `asked` has the questions of a sampling file that is sound by itself, also where something else is an error.
    """

    tables: dict[str, pl.DataFrame | Iterator[pa.Table]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    n_tokens: int | None = None
    asked: list[str] | None = None
    index: pl.DataFrame | None = None
    unread: list[Unread] = field(default_factory=list)


def read_tokens(
    cell: CellKey, bin_file: File, index_file: File, vocabulary: Vocabulary | None, layout: Layout, max_bytes: int
) -> HalfResult:
    """Read a cell's entropies: tables `token_entropies` and `rollout_entropies`, and the number of tokens."""
    result = _read_tokens(cell, bin_file, index_file, vocabulary, layout, max_bytes)
    result.issues = folded([issue.at(source=SOURCE, **cell.columns) for issue in result.issues])
    return result


def _read_tokens(
    cell: CellKey, bin_file: File, index_file: File, vocabulary: Vocabulary | None, layout: Layout, max_bytes: int
) -> HalfResult:
    result = HalfResult()
    (index_path, packed), (path, data) = index_file, bin_file
    inflated, result.issues = inflate(packed, index_path, max_bytes)
    if inflated is None:
        return result
    index, issues = parse_index(inflated, cell, index_path, unread=result.unread)
    result.index = index
    result.issues += issues
    blocks, issues = read_blocks(data, index, path, index_path, layout=layout, vocabulary=vocabulary)
    result.issues += issues
    if blocks is None or has_errors(result.issues):
        return result
    spans = None if vocabulary is None else find_spans(blocks, vocabulary)
    summary = summarise(blocks, spans)
    result.n_tokens = blocks.n_tokens
    result.tables = {
        "rollout_entropies": _keyed(cell, summary),
        "token_entropies": token_tables(blocks, spans, cell.columns),
    }
    return result


def _keyed(cell: CellKey, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.lit(value).alias(name) for name, value in cell.columns.items())


@dataclass(frozen=True, slots=True)
class AnswersInput:
    """What the second half needs; a probe's file is None where the cell has none, or where it does not apply.

    `entropies` is the `rollout_entropies` table of the first half, `index` its index file and `index_lines` what that
    holds where the first half has just been read, and None where it was reused.
    """

    sampling: File
    ab: File | None
    tf: File | None
    questions: Mapping[str, Question]
    entropies: pl.DataFrame | None
    index: File | None
    index_lines: pl.DataFrame | None
    index_unread: Sequence[Unread]
    memory: TfMemory | None
    accepted: bool
    acceptance: TfMemory | None
    max_bytes: int


def read_answers(cell: CellKey, given: AnswersInput) -> tuple[HalfResult, TfMemory | None]:
    """Read, grade and join a cell's rollouts: every table of the cell but the two of `read_tokens`.

    Returns also what the next build has to know of the cell's positional T/F records.
    """
    result = HalfResult()
    path, packed = given.sampling
    inflated, result.issues = inflate(packed, path, given.max_bytes)
    if inflated is None:
        result.issues = [issue.at(source=SOURCE, **cell.columns) for issue in result.issues]
        return result, given.memory
    sampling = parse_sampling(inflated, cell, path, given.questions.keys(), unread=result.unread)
    del inflated
    result.issues += sampling.issues
    if not has_errors(sampling.issues):
        result.asked = sampling.question_conditions["instance_id"].to_list()
    memory = _join_all(cell, given, sampling, result)
    result.unread += given.index_unread
    if result.unread:
        result.tables["unknown_fields"] = _keyed(cell, _unknown_fields(result.unread))
    result.issues = folded([issue.at(source=SOURCE, **cell.columns) for issue in result.issues])
    if has_errors(result.issues):
        result.tables = {}
    return result, memory


def _join_all(cell: CellKey, given: AnswersInput, sampling: Sampling, result: HalfResult) -> TfMemory | None:
    rollouts = sampling.rollouts
    graded = _graded(rollouts, given.questions)
    joined = graded.join(_ab_values(cell, given, rollouts, result), on=KEY, how="left")
    tf_values, memory = _tf_values(cell, given, rollouts, result)
    joined = joined.join(tf_values, on=KEY, how="left")
    joined = joined.join(_entropy_values(cell, given, rollouts, result), on=KEY, how="left")
    result.tables |= {
        "rollouts": _keyed(cell, joined),
        "rollout_texts": _keyed(cell, rollouts.select(*KEY, "text")),
        "question_conditions": _keyed(cell, _question_conditions(sampling, graded, given.questions)),
    }
    return memory


def _unknown_fields(unread: Sequence[Unread]) -> pl.DataFrame:
    found = pl.DataFrame(unread, schema=UNREAD_SCHEMA, orient="row").rename({"key": "field"})
    place = pl.int_range(pl.len()).over("path", "line").alias("place")
    return found.sort("path", "line", "field", "value", maintain_order=True).with_columns(place)


def _graded(rollouts: pl.DataFrame, questions: Mapping[str, Question]) -> pl.DataFrame:
    grades = Grader(questions).texts(rollouts["instance_id"].to_list(), rollouts["text"].to_list())
    return rollouts.drop("text", "line").with_columns(
        pl.Series("extracted_answer", [grade.extracted for grade in grades], pl.String),
        pl.Series("correct", [grade.correct for grade in grades], pl.Boolean),
        pl.Series("grade_rule", [grade.rule for grade in grades], pl.String),
    )


def _nothing(*prefixes: str) -> pl.DataFrame:
    """Return no rows with the keys and the columns of `rollouts` that start with one of the prefixes."""
    schema = TABLES["rollouts"].polars_schema
    return pl.DataFrame(schema={name: t for name, t in schema.items() if name in KEY or name.startswith(prefixes)})


def _ab_values(cell: CellKey, given: AnswersInput, rollouts: pl.DataFrame, result: HalfResult) -> pl.DataFrame:
    if given.ab is None:
        return _nothing("ab_")
    path, packed = given.ab
    inflated, issues = inflate(packed, path, given.max_bytes)
    result.issues += issues
    if inflated is None:
        return _nothing("ab_")
    verdicts = parse_ab(inflated, cell, path, unread=result.unread)
    joined = join_ab(verdicts, rollouts, cell, path)
    result.issues += [*verdicts.issues, *joined.issues]
    result.tables["ab_verdicts"] = joined.verdicts
    return joined.values


def _tf_values(
    cell: CellKey, given: AnswersInput, rollouts: pl.DataFrame, result: HalfResult
) -> tuple[pl.DataFrame, TfMemory | None]:
    if given.tf is None:
        return _nothing("tf_"), given.memory
    path, packed = given.tf
    inflated, issues = inflate(packed, path, given.max_bytes)
    result.issues += issues
    if inflated is None:
        return _nothing("tf_"), given.memory
    verdicts = parse_tf(inflated, cell, path, unread=result.unread)
    joined = join_tf(verdicts, rollouts, cell, path, given.memory, accepted=given.accepted, acceptance=given.acceptance)
    result.issues += [*verdicts.issues, *joined.issues]
    result.tables["tf_verdicts"] = joined.verdicts
    return joined.values, joined.memory


def _entropy_values(cell: CellKey, given: AnswersInput, rollouts: pl.DataFrame, result: HalfResult) -> pl.DataFrame:
    if given.entropies is None or given.index is None:
        return _nothing("entropy_", "answer_entropy", "numeric_entropy", "n_tokens_")
    values = rollout_columns(given.entropies)
    index_path, packed = given.index
    index = given.index_lines
    if index is None:
        inflated, _known = inflate(packed, index_path, given.max_bytes)
        index, _reported = parse_index(inflated or b"", cell, index_path, unread=result.unread)
    result.issues += match_rollouts(index, rollouts, index_path)
    result.issues += check_token_counts(index, rollouts, cell, index_path)
    return values


def _question_conditions(sampling: Sampling, graded: pl.DataFrame, questions: Mapping[str, Question]) -> pl.DataFrame:
    counts = graded.group_by("instance_id").agg(
        n_rollouts=pl.len().cast(pl.Int32), n_correct=pl.col("correct").sum().cast(pl.Int32)
    )
    found = sampling.question_conditions.join(counts, on="instance_id", how="left").sort("instance_id")
    ids, grader = found["instance_id"].to_list(), Grader(questions)
    native = [grade.correct for grade in grader.answers(ids, found["native_answer"].to_list())]
    majority = [grade.correct for grade in grader.answers(ids, found["majority_answer"].to_list())]
    annotated = [
        None if skill is None else skill in questions[instance_id].skill_ids
        for instance_id, skill in found.select("instance_id", "skill_id").iter_rows()
    ]
    return found.drop("line").with_columns(
        pl.Series("native_correct", native, pl.Boolean),
        pl.when(pl.col("majority_answer").is_not_null())
        .then(pl.Series(majority, dtype=pl.Boolean))
        .alias("majority_correct"),
        pl.Series("skill_is_annotated", annotated, pl.Boolean),
        accuracy=pl.col("n_correct") / pl.col("n_rollouts"),
    )
