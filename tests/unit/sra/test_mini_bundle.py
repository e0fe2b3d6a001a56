"""The whole of a bundle written by a program that shares no code with this one: nothing wrong, every value the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl
import pytest

from tests.unit.sra.record_cases import MINI
from transforms.gzipped import inflate
from transforms.sra.audit import CellCounts, check_audit, count_records
from transforms.sra.entropy_blocks import match_rollouts, place_blocks
from transforms.sra.entropy_index import check_token_counts, parse_index
from transforms.sra.join import Joined, join_ab, join_tf
from transforms.sra.layout import CellKey, check_cell_files, group_cells
from transforms.sra.manifest import FoundFile, compare_manifest, parse_manifest
from transforms.sra.sampling import Sampling, missing_questions, parse_sampling
from transforms.sra.verdicts_ab import parse_ab
from transforms.sra.verdicts_tf import parse_tf
from warehouse.contracts import Issue

pytestmark = pytest.mark.skipif(not MINI.is_dir(), reason=f"{MINI} is not there")
KEY = ["instance_id", "sample"]


@dataclass
class Bundle:
    files: pl.DataFrame
    issues: list[Issue]
    rollouts: list[pl.DataFrame] = field(default_factory=list)
    counts: dict[CellKey, CellCounts] = field(default_factory=dict)
    questions: dict[CellKey, list[str]] = field(default_factory=dict)

    def inflated(self, path: str) -> bytes:
        data, issues = inflate((MINI / path).read_bytes(), path)
        self.issues += issues
        assert data is not None
        return data

    def take(self, cell: CellKey, files: Mapping[str, str]) -> None:
        self.issues += check_cell_files(cell, files)
        sampling = parse_sampling(self.inflated(files["sampling"]), cell, files["sampling"])
        self.issues += sampling.issues
        probes = [self.joined(kind, cell, files, sampling) for kind in ("ab", "tf")]
        rows = sampling.rollouts.drop("text", "line")
        for probe in probes:
            rows = rows if probe is None else rows.join(probe.values, on=KEY, how="left")
        conditions = sampling.question_conditions.select("instance_id", "agreement", "agreement_recomputed")
        keys = [pl.lit(value).alias(name) for name, value in cell.columns.items()]
        self.rollouts.append(rows.join(conditions, on="instance_id", how="left").with_columns(keys))
        self.questions[cell] = sampling.question_conditions["instance_id"].to_list()
        ab, tf = (count_records(None if probe is None else probe.verdicts) for probe in probes)
        entropy = self.entropy(cell, files, sampling)
        self.counts[cell] = CellCounts(len(self.questions[cell]), rows.height, ab, tf, entropy)

    def joined(self, kind: str, cell: CellKey, files: Mapping[str, str], sampling: Sampling) -> Joined | None:
        if kind not in files:
            return None
        path = files[kind]
        verdicts = (parse_ab if kind == "ab" else parse_tf)(self.inflated(path), cell, path)
        found = (join_ab if kind == "ab" else join_tf)(verdicts, sampling.rollouts, cell, path)
        self.issues += [*verdicts.issues, *found.issues]
        assert found.verdicts["join_status"].unique().to_list() == ["joined"]
        return found

    def entropy(self, cell: CellKey, files: Mapping[str, str], sampling: Sampling) -> tuple[int, int] | None:
        if "entropy_index" not in files:
            return None
        path = files["entropy_index"]
        index, issues = parse_index(self.inflated(path), cell, path)
        size = (MINI / files["entropy_bin"]).stat().st_size
        self.issues += [*issues, *place_blocks(index, size, files["entropy_bin"], path)[1]]
        self.issues += match_rollouts(index, sampling.rollouts, path)
        self.issues += check_token_counts(index, sampling.rollouts, cell, path)
        return index.height, int(index["n_tokens"].sum())


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    paths = [path for path in MINI.rglob("*") if path.is_file()]
    found = {
        path.relative_to(MINI).as_posix(): FoundFile(
            "file", path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()
        )
        for path in paths
    }
    entries, issues = parse_manifest((MINI / "MANIFEST.csv").read_bytes())
    files, differences = compare_manifest(entries, found)
    read = Bundle(files, [*issues, *differences])
    for cell, kinds in group_cells(files.filter(status="ok")["path"]).items():
        read.take(cell, kinds)
    return read


def test_every_file_is_as_listed(bundle: Bundle) -> None:
    assert bundle.files.height == 228
    assert bundle.files["status"].unique().to_list() == ["ok"]
    kinds = dict(bundle.files["kind"].value_counts().iter_rows())
    assert kinds == {
        "sampling": 56, "ab": 36, "tf": 44, "entropy_bin": 40, "entropy_index": 40, "tokenizer": 5, "audit": 1,
        "manifest": 1, "other": 5,
    }  # fmt: skip


def test_nothing_but_dress_is_noticed(bundle: Bundle) -> None:
    assert {issue.rule for issue in bundle.issues} <= {"manifest.dress"}


def test_the_audit_is_borne_out(bundle: Bundle) -> None:
    assert check_audit((MINI / "BUNDLE_AUDIT.json").read_bytes(), bundle.counts) == []
    assert missing_questions(bundle.questions) == []


@pytest.mark.parametrize(
    ("truth", "column"),
    [("ab", "ab_p_correct"), ("tf", "tf_p_correct"), ("agreement", "found"), ("agreement", "agreement_recomputed")],
)
def test_every_value_is_the_one_that_was_written(bundle: Bundle, truth: str, column: str) -> None:
    written = pl.read_parquet(MINI.parent / "mini.truth.parquet")
    keys = ["model", "dataset", "condition", *KEY]
    read = pl.concat(bundle.rollouts, how="diagonal").rename({"agreement": "found"})
    both = written.join(read.with_columns(pl.col("sample").cast(pl.Int64)), on=keys, how="inner")
    assert both.height == written.height == read.height == 6048
    expected, found = both[truth].fill_nan(None), both[column]
    assert expected.is_null().equals(found.is_null())
    assert (expected - found).abs().max() <= 1e-15  # type: ignore[operator]
