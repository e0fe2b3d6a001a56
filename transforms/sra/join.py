"""Binding verdicts to rollouts: proved by answer hashes where there are any, else by position and remembered."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import orjson
import polars as pl

from transforms.issue_log import IssueLog, shown_all
from transforms.sra.layout import CellKey
from transforms.sra.probes import HASH_BASIS, POSITION_BASIS, Verdicts
from warehouse.contracts import TABLES, Issue, Rule, Severity
from warehouse.contracts.sra import SOURCE

_KEY: Final = ["instance_id", "sample"]
# A rollout without an answer was hashed as the empty string, or has a null in its place.
_NO_ANSWER: Final = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class JoinRules:
    """The rules of one probe's join, each under the probe's name."""

    hash_mismatch: Rule
    no_rollout: Rule
    missing_question: Rule

    @property
    def all(self) -> tuple[Rule, ...]:
        """Every one of them."""
        return self.hash_mismatch, self.no_rollout, self.missing_question


def _join_rules(prefix: str) -> JoinRules:
    error = Severity.ERROR
    return JoinRules(
        Rule(f"{prefix}.hash_mismatch", error, "A record's hashes are not those of its rollouts' answers."),
        Rule(f"{prefix}.no_rollout", error, "A record is of a question or sample that the sampling file lacks."),
        Rule(f"{prefix}.missing_question", error, "A question that was sampled has no record in the probe's file."),
    )


AB: Final = _join_rules("ab")
TF: Final = _join_rules("tf")
STALE = Rule(
    "stale_positional_join", Severity.WARNING, "Answers changed under T/F records that only their position binds."
)
ACCEPTED = Rule("tf.stale_accepted", Severity.INFO, "A stale positional join was accepted by name.")
RULES: Final = (*AB.all, *TF.all, STALE, ACCEPTED)

_AB_VALUES: Final = ("ab_p_correct", "ab_p_correct_ab", "ab_p_correct_ba", "ab_logit")


class TfMemory(NamedTuple):
    """What a cell's positional T/F records were last bound to and believed; an input of every later build.

    `anchor_sha256` is of the ordered (instance_id, sample, answer) of the cell, `tf_sha256` of the positional records.
    """

    anchor_sha256: str
    tf_sha256: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A probe's verdicts with what became of each, and what the rollouts get from it.

    `verdicts`: the probe's table as its contract has it, a row an incoming row, none lost, each with one status.
    `values`: a row a joined rollout; `instance_id`, `sample` and the probe's columns of `rollouts`, to be left-joined.
    `memory`: what the next build of the cell has to be given as `previous`; always None for the A/B probe.
    """

    verdicts: pl.DataFrame
    values: pl.DataFrame
    issues: list[Issue]
    memory: TfMemory | None = None


def join_ab(verdicts: Verdicts, rollouts: pl.DataFrame, cell: CellKey, path: str) -> Joined:
    """Bind A/B verdicts to the cell's rollouts (`instance_id`, `sample`, `answer`) by their answer hashes."""
    log = IssueLog(source=SOURCE, path=path, **cell.columns)
    bound = _bound(verdicts.frame, rollouts, stale=False)
    _report(bound, rollouts, AB, log)
    mass = (pl.col("letter_mass_ab") + pl.col("letter_mass_ba")) / 2
    values = bound.filter(join_status="joined").select(
        *_KEY, *_AB_VALUES, ab_letter_mass=mass, ab_join_basis=pl.col("join_basis")
    )
    return Joined(_as_table("ab_verdicts", bound, cell), values, log.issues)


def join_tf(
    verdicts: Verdicts,
    rollouts: pl.DataFrame,
    cell: CellKey,
    path: str,
    previous: TfMemory | None = None,
    *,
    accepted: bool = False,
    acceptance: TfMemory | None = None,
) -> Joined:
    """Bind T/F verdicts to the cell's rollouts (`instance_id`, `sample`, `answer`), by hash or else by position.

    Positional records are believed the first time they are seen, when they have changed since, and when the answers
    are those they were bound to. If the answers have changed and the records have not, they are stale: left out with a
    warning, unless `accepted`. An `acceptance` is what an earlier build accepted: it is for the answers and records it
    names and for no others. What is stale is not remembered: `memory` then stays what it was, so that the next
    build, and the one after it, finds them stale too, until the records are renewed, the old answers come back or the
    join is accepted by name; from then on the memory is of the new answers. A file without positional records leaves
    the memory as it was.
    """
    log = IssueLog(source=SOURCE, path=path, **cell.columns)
    now = _memory(verdicts.frame, rollouts)
    moved = now is not None and previous is not None and now.tf_sha256 == previous.tf_sha256 and now != previous
    stale = moved and not accepted
    is_accepted = now is not None and ((moved and accepted) or now == acceptance)
    bound = _bound(verdicts.frame, rollouts, stale=stale)
    _report(bound, rollouts, TF, log)
    if stale or is_accepted:
        _report_moved(bound, cell, log, stale=stale)
    values = bound.filter(join_status="joined").select(
        *_KEY, "tf_p_correct", tf_producer=pl.col("producer"), tf_join_basis=pl.col("join_basis")
    )
    memory = previous if stale or now is None else now
    return Joined(_as_table("tf_verdicts", bound, cell), values, log.issues, memory)


def _memory(verdicts: pl.DataFrame, rollouts: pl.DataFrame) -> TfMemory | None:
    """Return what the positional records would be bound to now; None where there are none."""
    positional = verdicts.filter(join_basis=POSITION_BASIS).sort(_KEY)
    if positional.is_empty():
        return None
    return TfMemory(_anchor(rollouts), _content(positional))


def _anchor(rollouts: pl.DataFrame) -> str:
    return hashlib.sha256(orjson.dumps(rollouts.sort(_KEY).select(*_KEY, "answer").rows())).hexdigest()


def _content(positional: pl.DataFrame) -> str:
    """Return the SHA-256 of the records' keys and numbers, as bits, which no other way of writing them changes."""
    content = hashlib.sha256(orjson.dumps(positional.select(_KEY).rows()))
    for name in ("tf_p_correct", "tf_p_correct_tf", "tf_p_correct_ft"):
        values = positional[name]
        numbers = values.fill_null(0.0).to_numpy()
        content.update(values.is_null().to_numpy().tobytes())
        content.update(np.where(np.isnan(numbers), np.nan, numbers).astype("<f8").tobytes())
    return content.hexdigest()


def _bound(verdicts: pl.DataFrame, rollouts: pl.DataFrame, *, stale: bool) -> pl.DataFrame:
    """Give every verdict exactly one `join_status`; `differs` says whose hash is not its rollout's."""
    answers = rollouts.select(*_KEY, "answer", is_there=pl.lit(value=True))
    hashed = pl.col("join_basis") == HASH_BASIS
    if not verdicts.filter(hashed).is_empty():
        answers = answers.join(_answer_hashes(answers["answer"]), on="answer", how="left", nulls_equal=True)
    else:
        answers = answers.with_columns(found_sha256=pl.lit(None, pl.String))
    bound = verdicts.join(answers, on=_KEY, how="left", maintain_order="left")
    is_hash = pl.col("answer_sha256").eq_missing(pl.col("found_sha256"))
    is_no_answer = pl.col("answer").is_null() & (pl.col("answer_sha256") == _NO_ANSWER).fill_null(value=False)
    is_there = pl.col("is_there").is_not_null()
    differs = (hashed & is_there & ~is_hash & ~is_no_answer).alias("differs")
    status = (
        pl.when(~is_there).then(pl.lit("no_rollout"))
        .when(hashed & pl.col("differs").any().over("instance_id")).then(pl.lit("hash_mismatch"))
        .when(~hashed & pl.lit(stale)).then(pl.lit("stale_positional_join"))
        .otherwise(pl.lit("joined"))
    )  # fmt: skip
    return bound.with_columns(differs).with_columns(join_status=status)


def _answer_hashes(answers: pl.Series) -> pl.DataFrame:
    """Return the SHA-256 of every distinct answer; null for null."""
    distinct = answers.unique().to_list()
    hashes = [None if answer is None else hashlib.sha256(answer.encode()).hexdigest() for answer in distinct]
    return pl.DataFrame(
        {"answer": distinct, "found_sha256": hashes}, schema=dict.fromkeys(("answer", "found_sha256"), pl.String)
    )


def _as_table(name: str, bound: pl.DataFrame, cell: CellKey) -> pl.DataFrame:
    schema = TABLES[name].polars_schema
    keyed = bound.with_columns(pl.lit(value).alias(key) for key, value in cell.columns.items())
    return keyed.select(pl.col(column).cast(dtype) for column, dtype in schema.items()).sort(TABLES[name].key)


# --- what is said about it ------------------------------------------------------------------------------------------


def _report(bound: pl.DataFrame, rollouts: pl.DataFrame, rules: JoinRules, log: IssueLog) -> None:
    """Record every question whose records are not bound, and every sampled question without any."""
    is_absent = pl.col("join_status") == "no_rollout"
    records = (
        bound.filter(is_absent | (pl.col("join_status") == "hash_mismatch"))
        .group_by("instance_id", "join_status", maintain_order=True)
        .agg(
            pl.col("line").min(),
            pl.col("sample").filter(pl.col("differs") | is_absent),
            permuted=pl.col("answer_sha256").sort().eq_missing(pl.col("found_sha256").sort()).all(),
        )
    )
    for row in records.iter_rows(named=True):
        where = {"line": row["line"], "instance_id": row["instance_id"]}
        if row["join_status"] == "no_rollout":
            message = f"The sampling file has no sound rollout of samples {shown_all(row['sample'])} of this question."
            log.add(rules.no_rollout, message, **where)
        else:
            log.add(rules.hash_mismatch, _mismatch(row["sample"], permuted=row["permuted"]), **where)
    for instance_id in rollouts.join(bound, on="instance_id", how="anti")["instance_id"].unique().sort():
        message = "The sampling file has this question and the probe's file has no sound record of it; expected one, "
        log.add(rules.missing_question, message + "with nulls where the probe failed.", instance_id=instance_id)


def _mismatch(samples: list[int], *, permuted: bool) -> str:
    message = (
        f"The answer hashes of samples {shown_all(samples)} are not those of the rollouts' answers: the probe judged "
    )
    other = "the same answers in another order, and orders are not guessed. " if permuted else "other answers. "
    return message + other + "None of the nine is joined; fetch the probe's file that belongs to this sampling file."


def _report_moved(bound: pl.DataFrame, cell: CellKey, log: IssueLog, *, stale: bool) -> None:
    n = bound.filter(join_basis=POSITION_BASIS).height
    if not stale:
        log.add(ACCEPTED, f"The positional join of {n} T/F values was stale and is accepted by name.", value=str(n))
        return
    message = (
        f"The cell's answers have changed since its {n} positional T/F values were bound to them, and the values have "
        "not: they may judge answers that are gone. They are left out. Renew the T/F file, or accept the join with "
        f"--accept-positional {cell.name}."
    )
    log.add(STALE, message, value=str(n))
