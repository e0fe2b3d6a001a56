"""Every rule notices the file it is for, and does not notice a sound one."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from synthetic.benchmirt import make_release
from tests.unit.benchmirt.files import ITEMS, MODELS, parquet, read, rules_of, whole
from transforms.benchmirt import Hints, Limits, SourceTables, audit_alignment, read_benchmirt, read_responses, to_matrix
from transforms.benchmirt.rules import RULES
from warehouse.contracts import Issue, Severity

SOUND = b"question_id,acc_norm_org__a,acc_norm_org__b\nx,1.0,0.0\ny,0.0,1.0\n"
# Without the time of packing: the ids of tests are the same in every process that collects them.
PACKED, PACKED_NOTHING = (gzip.compress(data, mtime=0) for data in (SOUND, b""))
LINE = b'{"subject_id": "m", "responses": {"x": 1}}\n'


def replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    return data.replace(old, new)


def responses(data: bytes, hints: Hints | None = None) -> Callable[[], list[Issue]]:
    return lambda: read(data, hints).issues


def limited(data: bytes, limits: Limits) -> Callable[[], list[Issue]]:
    return lambda: read_responses(data, "x", limits).issues


def items(data: bytes) -> Callable[[], list[Issue]]:
    return lambda: whole(items=data).issues


def models(data: bytes) -> Callable[[], list[Issue]]:
    return lambda: whole(models=data).issues


def audited(change: Callable[[npt.NDArray[np.float64]], None]) -> Callable[[], list[Issue]]:
    def issues() -> list[Issue]:
        release = make_release(n_models=20, items_a_benchmark=60)
        matrix = to_matrix(read_responses(release.responses_csv, "x").responses)
        change(matrix.scores)
        return audit_alignment(matrix).issues

    return issues


def misaligned(scores: npt.NDArray[np.float64]) -> None:
    scores[:6] = scores[:6, ::-1]


def in_halves(scores: npt.NDArray[np.float64]) -> None:
    scores[:12, 240:], scores[12:, :240] = np.nan, np.nan


def of_one_model_few(scores: npt.NDArray[np.float64]) -> None:
    scores[0, 5:] = np.nan


CASES: dict[str, Callable[[], list[Issue]]] = {
    "empty_file": responses(b"question_id,acc_norm_m\n"),
    "too_large": limited(SOUND, Limits(cells=3)),
    "not_utf8": responses(replaced(SOUND, b"x,", b"\xff,")),
    "nul_byte": responses(replaced(SOUND, b"x,", b"\x00,")),
    "unreadable": responses(parquet(pl.read_csv(SOUND))[:-20]),
    "open_quote": responses(replaced(SOUND, b"x,", b'"x,')),
    "ragged_row": responses(replaced(SOUND, b"y,0.0,1.0", b"y,0.0")),
    "byte_order_mark": responses(b"\xef\xbb\xbf" + SOUND),
    "crlf": responses(SOUND.replace(b"\n", b"\r\n")),
    "json_document": responses(b'[{"subject_id": "m", "responses": {"x": 1}}]\n'),
    "delimiter": responses(SOUND.replace(b",", b";")),
    "separator_hint": responses(b"sep=,\n" + SOUND),
    "short_header": responses(b"a,b\nx,1,0\n"),
    "form": responses(SOUND),
    "no_header": responses(b"x,1,0\ny,0,1\n"),
    "unknown_side": responses(b",a,b\nx,1,0\n"),
    "no_score_column": responses(b"item,model,grade\nx,m,1\n"),
    "no_such_column": responses(SOUND, Hints(item_column="qid")),
    "ambiguous_column": responses(b"item,model,score,correct\nx,m,1,1\n"),
    "unused_option": responses(LINE, Hints(models_in="rows")),
    "index_column": responses(b",question_id,m\n0,x,1\n"),
    "no_scores": responses(b"question_id,m,average_score\nx,1,0.5\n"),
    "unnamed_model": responses(replaced(SOUND, b"acc_norm_org__b", b"acc_norm_ ")),
    "repeated_response": responses(b"item,model,score\nx,m,1\nx,m,1\n"),
    "similar_names": responses(replaced(SOUND, b"org__b", b"Org__a")),
    "missing_word": responses(replaced(SOUND, b"x,1.0", b"x,NA")),
    "truth_word": responses(replaced(SOUND, b"x,1.0", b"x,TRUE")),
    "decimal_comma": responses(b"question_id;m\nx;0,5\n"),
    "no_id_column": responses(replaced(SOUND, b"question_id", b"question")),
    "no_model_column": responses(b"question_id,question,subset\nx,y,z\n"),
    "repeated_column": responses(replaced(SOUND, b"org__b", b"org__a")),
    "unnamed_column": responses(replaced(SOUND, b"acc_norm_org__b", b"")),
    "empty_id": responses(replaced(SOUND, b"y,", b",")),
    "repeated_item": responses(replaced(SOUND, b"y,", b"x,")),
    "repeated_model": responses(LINE + LINE),
    "not_a_number": responses(replaced(SOUND, b"x,1.0", b"x,right")),
    "score_out_of_range": responses(replaced(SOUND, b"x,1.0", b"x,1.5")),
    "unknown_column": responses(replaced(SOUND, b"acc_norm_org__b", b"org__b")),
    "nan_score": responses(replaced(SOUND, b"x,1.0", b"x,NaN")),
    "fractional_score": responses(replaced(SOUND, b"x,1.0", b"x,0.5")),
    "empty_score": responses(replaced(SOUND, b"x,1.0", b"x,")),
    "score_formats": responses(SOUND),
    "empty_column": responses(b"question_id,acc_norm_m,\nx,1,\n"),
    "bad_subject": responses(LINE + b'{"subject_id": 7, "responses": {"x": 1}}\n'),
    "unknown_key": responses(b'{"subject_id": "m", "responses": {"x": 1}, "note": 1}\n'),
    "absent_column": items(replaced(ITEMS, b"benchmark,", b"bench,")),
    "bad_statistic": items(replaced(ITEMS, b"math,0.5", b"math,half")),
    "item_without_metadata": items(replaced(ITEMS, b"mmlu_pro__72", b"mmlu_pro__73")),
    "model_without_metadata": models(replaced(MODELS, b"org__b", b"org__c")),
    "item_without_responses": items(ITEMS + b"more,bbh,General Reasoning,x,x,x,0.5\n"),
    "model_without_responses": models(MODELS + b"org__c,c,1,False,2024-01-01\n"),
    "stored_statistic_differs": items(replaced(ITEMS, b"math,0.5", b"math,0.6")),
    "derived_columns": models(MODELS.replace(b"\n", b",0.5\n").replace(b"date,0.5", b"date,total_average")),
    "misaligned_models": audited(misaligned),
    "models_share_no_item": audited(in_halves),
    "models_not_comparable": audited(of_one_model_few),
}  # fmt: skip
# What a sound file of the same kind has beside it.
ALWAYS = {"benchmirt.form", "benchmirt.score_formats"}


def test_every_rule_has_a_case() -> None:
    assert {rule.name for rule in RULES} == {f"benchmirt.{name}" for name in CASES}


@pytest.mark.parametrize("name", CASES)
def test_each_rule_notices_its_case(name: str) -> None:
    found = [issue for issue in CASES[name]() if issue.rule == f"benchmirt.{name}"]
    assert found
    (rule,) = [rule for rule in RULES if rule.name == f"benchmirt.{name}"]
    assert {issue.severity for issue in found} == {rule.severity}
    for issue in found:
        assert issue.message.endswith((".", "?"))
        assert issue.source == "benchmirt"


def test_sound_files_are_not_noticed() -> None:
    assert set(rules_of(read(SOUND))) == ALWAYS
    assert rules_of(read(LINE)) == ["benchmirt.form"]
    assert set(rules_of(whole())) == ALWAYS | {"benchmirt.empty_score"}


def test_an_error_leaves_every_table_empty_and_the_file_refused() -> None:
    found = whole(items=replaced(ITEMS, b"mmlu_pro__72", b"bbh__boolean_expressions_0"))
    assert all(frame.is_empty() for frame in found.tables.values())
    assert dict(found.source_files.select("path", "status").rows()) == {
        "items.csv": "refused", "models.csv": "ok", "responses.csv": "ok",
    }  # fmt: skip


def test_all_errors_are_listed_not_the_first() -> None:
    data = b"question_id,acc_norm_a,acc_norm_b\nx,1,9\nx,no,0\n,1,0\ny,-1,maybe\n"
    found = whole(data, b"benchmark\nbbh\n", b"Model\nm\nm\n")
    errors = {(issue.path, issue.rule) for issue in found.issues if issue.severity is Severity.ERROR}
    assert errors == {
        ("responses.csv", "benchmirt.repeated_item"),
        ("responses.csv", "benchmirt.empty_id"),
        ("responses.csv", "benchmirt.not_a_number"),
        ("responses.csv", "benchmirt.score_out_of_range"),
        ("items.csv", "benchmirt.no_id_column"),
        ("models.csv", "benchmirt.repeated_model"),
    }


def where(found: SourceTables, rule: str) -> list[tuple[int | None, str | None, str | None]]:
    return [(i.line, i.model, i.instance_id) for i in found.issues if i.rule == f"benchmirt.{rule}"]


def test_lines_are_those_of_the_file_whatever_a_cell_holds() -> None:
    data = b'question_id,question,acc_norm_a,acc_norm_b\n"x\n1","two\nlines",1,0\n\ny,,oops,0\ny,,1,2\nz,,1,0\n'
    found = whole(data, None, None)
    assert where(found, "not_a_number") == [(6, "a", "y")]
    assert where(found, "score_out_of_range") == [(7, "b", "y")]
    assert where(found, "repeated_item") == [(6, None, "y")]
    ragged = whole(b'question_id,acc_norm_a\n"x\n\n1",1\ny\nz,1,2\n', None, None)
    assert where(ragged, "ragged_row") == [(5, None, None), (6, None, None)]


def test_a_flood_is_counted_and_twenty_are_listed() -> None:
    rows = b"".join(b"i%d,bad\n" % i for i in range(500))
    (issue,) = [i for i in read(b"question_id,acc_norm_m\n" + rows).issues if i.rule == "benchmirt.not_a_number"]
    assert issue.value == "500"
    assert issue.message.endswith(" and 480 more.")
    assert issue.message.count("line ") == 20


def test_no_message_repeats_a_cell() -> None:
    secret = b"the patient was forty"
    found = whole(
        b"question_id,question,acc_norm_a\nx,%s,%s\n" % (secret, secret),
        b"question_id,question_text,average_score\nx,%s,%s\n" % (secret, secret),
        None,
    )
    assert {"benchmirt.not_a_number", "benchmirt.bad_statistic"} <= set(rules_of(found))
    for issue in found.issues:
        assert "patient" not in issue.message + (issue.value or "")


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "benchmirt.empty_file"),
        (b"\n\n  \n", "benchmirt.empty_file"),
        (PACKED_NOTHING, "benchmirt.empty_file"),
        (PACKED[:-5], "gzip.truncated"),
        (PACKED[:-9] + b"\x00" * 9, "gzip.checksum"),
        (b"PAR1" + b"\x00" * 100, "benchmirt.unreadable"),
        (b"{not json\n", "jsonl.invalid"),
        (b'{"subject_id": "m", "responses": {"x": 1, "x": 0}}\n', "jsonl.repeated_key"),
        (b'{"subject_id": "m", "responses": {"": 1}}\n', "benchmirt.empty_id"),
        (b'{"subject_id": "m", "responses": {}}\n', "benchmirt.bad_subject"),
        (b'{"subject_id": "m", "responses": {"x": "1"}}\n', "benchmirt.not_a_number"),
        (b'{"subject_id": "m", "responses": {"x": [1]}}\n', "benchmirt.not_a_number"),
        (b'{"subject_id": "m", "responses": {"x": -1}}\n', "benchmirt.score_out_of_range"),
        (b'{"subject_id": "m", "responses": {"x": Infinity}}\n', "benchmirt.score_out_of_range"),
        (b'question_id,acc_norm_m\nx,"1"2\n', None),
        (b"a;b;c\nx;1;0\n", "benchmirt.no_id_column"),
        (b"question_id,acc_norm_m\nx,1e400\n", "benchmirt.score_out_of_range"),
        (b"question_id,acc_norm_m\nx,yes\n", "benchmirt.not_a_number"),
        (b"PK\x03\x04" + b"\x00" * 40, "benchmirt.unreadable"),
        ("question_id,acc_norm_m\nx,1\n".encode("utf-16"), "benchmirt.not_utf8"),
        (b"question_id,acc_norm_m\nx,1_0\n", "benchmirt.not_a_number"),
        (b'"question_id,acc_norm_m\nx,1\n', "benchmirt.open_quote"),
    ],
)
def test_damaged_and_hostile_files_are_refused_by_name(data: bytes, rule: str | None) -> None:
    found = read(data)
    assert found.responses.is_empty()
    assert any(issue.severity is Severity.ERROR for issue in found.issues)
    if rule:
        assert rule in rules_of(found)


def test_a_question_column_is_text_and_is_never_evaluated() -> None:
    hostile = "__import__('os').abort()"
    nested = "[" * 100_000
    data = f"question_id,question,acc_norm_m\nx,{hostile},1\ny,{nested},0\n".encode()
    found = read_benchmirt(("r", data))
    texts = dict(found.tables["benchmirt_item_texts"].select("item_id", "question").rows())
    assert texts == {"x": hostile, "y": nested}
    assert audited(lambda _scores: None)() == []
