"""Fits of a lake: another selection is another fit, too little is refused, and what a fit reads decides on reuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import transforms.benchmirt.source as reading
from pipelines.cli import cli
from pipelines.commands.build import run_build
from synthetic.benchmirt import make_release
from tests.pipelines.conftest import options
from transforms.benchmirt.alignment import Audit, audit_alignment
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake

MODELS = make_release(n_models=16, seed=3).models


def responses(folder: Path, *, n_items: int = 40) -> str:
    path = folder / "r.csv"
    path.write_bytes(make_release(n_models=16, items_a_benchmark=n_items, seed=3).responses_csv)
    return str(path)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Responses and no fit; every test fits what it needs under names of its own."""
    folder = tmp_path_factory.mktemp("fits")
    found = Lake.at(folder / "lake")
    run_build(found, options(benchmirt=responses(folder)), quiet=True)
    return found


def fit(lake: Lake, *arguments: str) -> str:
    found = CliRunner().invoke(cli, ["irt", "fit", "--folds", "0", "--lake", str(lake.root), *arguments])
    if isinstance(found.exception, LakeError):
        raise found.exception
    assert found.exit_code == 0, found.output
    return found.output


def only(*models: str) -> list[str]:
    return [word for model in models for word in ("--only", model)]


def table(lake: Lake, name: str) -> pl.DataFrame:
    return pl.read_parquet(lake.require_current() / "tables" / name / "part-0.parquet", glob=False)


def fits(lake: Lake) -> dict[str, int]:
    return dict(table(lake, "irt_fits").select("fit_id", "n_models").rows())


def test_fits_of_other_models_have_other_names_and_stay(lake: Lake) -> None:
    fit(lake, "--model", "1pl", *only(*MODELS[:12]))
    fit(lake, "--model", "1pl", *only(*MODELS[:11]))
    found = {name: n for name, n in fits(lake).items() if name.startswith("1pl-1d-selected-")}
    assert sorted(found.values()) == [11, 12]
    fit(lake, "--model", "1pl", *only(*MODELS[11::-1], MODELS[3]))
    assert {name: n for name, n in fits(lake).items() if name.startswith("1pl-1d-selected-")} == found


@pytest.mark.parametrize("other", [only(*MODELS[1:12]), [], [*only(*MODELS[:12]), "--no-priors"]])
def test_a_name_that_was_given_to_other_models_is_refused(lake: Lake, other: list[str]) -> None:
    if "--no-priors" in other:
        fit(lake, "--model", "1pl", "--selection", "mine-no-priors", *only(*MODELS[:12]))
    fit(lake, "--model", "1pl", "--selection", "mine", *only(*MODELS[:12]))
    before = fits(lake)
    with pytest.raises(LakeError, match=r"The fit 1pl-1d-mine.* is there, of 12 named models; .* --selection"):
        fit(lake, "--model", "1pl", "--selection", "mine", *other)
    assert fits(lake) == before
    fit(lake, "--model", "1pl", "--selection", "mine", *only(*MODELS[:12]), "--max-iterations", "3")
    assert fits(lake) == before


def test_several_dimensions_of_one_item_are_refused(tmp_path: Path) -> None:
    one = tmp_path / "one.csv"
    one.write_text("question_id," + ",".join(MODELS) + "\nq," + ",".join("01" * 8) + "\n")
    found = Lake.at(tmp_path / "lake")
    run_build(found, options(benchmirt=str(one)), quiet=True)
    with pytest.raises(LakeError, match=r"The fit m2pl-3d was refused: .* 1 items have both .* needs 6 or more"):
        fit(found, "--model", "m2pl", "--dims", "3")
    assert not (found.require_current() / "tables" / "irt_fits").is_dir() or table(found, "irt_fits").is_empty()


def test_a_changed_rule_of_alignment_makes_the_fits_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same responses and the same fit; only what is said of the models' rows is another."""
    given = options(benchmirt=responses(tmp_path, n_items=12), irt_fit="1pl", irt_folds="0")
    found = Lake.at(tmp_path / "lake")
    run_build(found, given, quiet=True)
    assert fits(found) == {"1pl-1d": 16}

    def stricter(*arguments: Any) -> Audit:
        audit = audit_alignment(*arguments)
        apart = pl.col("model") == MODELS[0]
        changed = audit.table.with_columns(
            alignment_group=pl.when(apart).then(2).otherwise("alignment_group").cast(pl.Int32),
            alignment_status=pl.when(apart).then(pl.lit("misaligned")).otherwise("alignment_status"),
            alignment_suspect=apart | pl.col("alignment_suspect"),
        )
        return Audit(changed, audit.issues)

    monkeypatch.setattr(reading, "audit_alignment", stricter)
    run_build(found, options(benchmirt=given["benchmirt"]), quiet=True)
    assert fits(found) == {"1pl-1d": 15}
    assert table(found, "irt_models").filter(exclusion="misaligned")["model"].to_list() == [MODELS[0]]


def test_changed_code_of_the_fit_makes_the_fits_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import transforms.irt as fitting

    given = options(benchmirt=responses(tmp_path, n_items=12), irt_fit="1pl", irt_folds="0")
    found = Lake.at(tmp_path / "lake")
    run_build(found, given, quiet=True)
    made: list[str] = []
    fit_tables = fitting.fit_tables

    def counted(*arguments: Any) -> Any:
        made.append("again")
        return fit_tables(*arguments)

    monkeypatch.setattr(fitting, "fit_tables", counted)
    run_build(found, options(benchmirt=given["benchmirt"]), quiet=True)
    assert made == []
    monkeypatch.setattr("pipelines.sources.irt.code_hash", lambda *_patterns: "another")
    run_build(found, options(benchmirt=given["benchmirt"]), quiet=True)
    assert made == ["again"]
