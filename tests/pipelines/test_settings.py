"""Settings: the command line, the environment and a Dagster run take the same values and refuse with the same words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from pipelines.automation import new_inputs
from pipelines.cli import cli
from pipelines.definitions import defs
from pipelines.options import LAKE, Option, OptionError, lake_folder, read_settings
from pipelines.resources import BuildResource
from pipelines.source import all_options, command_options, configured_options, environment_options
from synthetic.grace import synth_release

BY_KEY = {option.key: option for option in all_options()}


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for option in (*all_options(), LAKE):
        monkeypatch.delenv(option.variable, raising=False)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sound_value(option: Option) -> str:
    if option.choices:
        return option.choices[-1]
    by_kind = {"folder": "~/folder", "file": "~/file", "count": "7", "cell": "m m/d:d/c", "flag": "yes"}
    return by_kind.get(option.kind, "a text")


BAD = {
    "folder": ["nowhere", "file", "~somebody/x"],
    "file": ["nowhere", "folder", "~somebody/x"],
    "count": ["-1", "1e3", "many", "²", "1.5", "9" * 30],
    "cell": ["a/b", "a//c", "a/b/c/d"],
    "flag": ["maybe", "2"],
    "text": [],
}
BAD_VALUES = [
    (option.key, text)
    for option in all_options()
    for text in (["none of them"] if option.choices else BAD[option.kind])
    + (["0"] if option.kind == "count" and option.least == 1 else [])
]


def refusal(read: Any) -> list[str]:
    with pytest.raises(OptionError) as refused:
        read()
    return str(refused.value).splitlines()


@pytest.mark.parametrize(("key", "text"), BAD_VALUES)
def test_a_value_is_refused_with_one_sentence_wherever_it_comes_from(
    key: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    option = BY_KEY[key]
    typed: Any = [text] if option.multiple else text
    (on_the_line,) = refusal(lambda: command_options({key: typed}))
    assert on_the_line.startswith(f"{option.flag} is {text!r}")
    assert "expected" in on_the_line or "give the whole path" in on_the_line
    (configured,) = refusal(lambda: configured_options({key: typed}))
    monkeypatch.setenv(option.variable, text)
    for read in (environment_options, lambda: command_options({})):
        (found,) = refusal(read)
        assert found == on_the_line.replace(option.flag, option.variable, 1)
    assert configured == on_the_line.replace(option.flag, key, 1)


@pytest.mark.parametrize("key", BY_KEY)
def test_a_sound_value_is_the_same_wherever_it_comes_from(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    option = BY_KEY[key]
    text = sound_value(option)
    # What an option needs besides has its own test.
    (alone,) = ([option],)
    typed: Any = [text] if option.multiple else text
    line = read_settings(alone, {key: typed}, {}, lambda known: known.flag)
    environment = read_settings(alone, {}, {option.variable: text}, lambda known: known.variable)
    assert (line.problems, environment.problems) == ([], [])
    assert line.values == environment.values
    assert read_settings(alone, line.values, {}, lambda known: known.key).values == line.values
    assert "~" not in str(line.values[key])
    empty = read_settings(alone, {}, {option.variable: ""}, lambda known: known.variable)
    assert empty.values[key] == option.unset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my model", ["my model"]),
        ("my model\nllama3:8b\n", ["my model", "llama3:8b"]),
        ("  my model\r\n\n  a,b ", ["my model", "a,b"]),
        ('["my model", "llama3:8b", " [x]"]', ["my model", "llama3:8b", " [x]"]),
        ("[]", []),
    ],
)
def test_a_variable_for_many_has_a_value_a_line_or_is_a_json_array(
    text: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLAKE_IRT_MODELS", text)
    assert environment_options()["irt_models"] == expected
    assert command_options({})["irt_models"] == expected


@pytest.mark.parametrize(
    ("text", "said"), [('["a"', "no JSON array"), ("[1]", "something else than texts"), ('["a", null]', "texts")]
)
def test_what_starts_like_a_json_array_is_one(text: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLAKE_IRT_MODELS", text)
    (found,) = refusal(environment_options)
    assert found.startswith("CALLAKE_IRT_MODELS")
    assert said in found


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1)))
def test_any_names_pass_through_a_json_array(names: list[str]) -> None:
    option = BY_KEY["irt_models"]
    assert option.from_environment({option.variable: json.dumps(names)}) == names


def test_what_is_typed_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLAKE_KEEP", "9")
    monkeypatch.setenv("CALLAKE_WORKERS", "0")
    assert command_options({"keep": "4", "workers": "2"})["keep"] == 4
    assert configured_options({})["keep"] == 3


def test_everything_wrong_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLAKE_KEEP", "0")
    monkeypatch.setenv("CALLAKE_SRA", "folder")
    monkeypatch.setenv("CALLAKE_ALLOW_PARTIAL", "perhaps")
    found = refusal(environment_options)
    assert len(found) == 3
    assert "CALLAKE_SRA needs CALLAKE_INSTANCES." in found
    assert refusal(lambda: configured_options({"keeep": 3}))[0].startswith("keeep is no option")


def test_a_fit_that_can_not_be_is_refused_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLAKE_IRT_FIT", "1pl")
    monkeypatch.setenv("CALLAKE_IRT_DIMS", "2")
    monkeypatch.setenv("CALLAKE_IRT_FOLDS", "1")
    dims, folds = refusal(environment_options)
    assert dims.startswith("CALLAKE_IRT_DIMS is 2 and 1pl has 1 dimension")
    assert folds.startswith("CALLAKE_IRT_FOLDS is 1")


def test_a_password_is_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLAKE_GRACE_PASSWORD", "hushhush")
    assert environment_options()["grace_password"] == "hushhush"
    assert "empty" in refusal(lambda: command_options({"grace_password": ""}))[0]
    assert "hushhush" not in refusal(lambda: configured_options({"grace_password": 5, "keep": 0}))[0]


def build(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["build", *arguments])


def test_the_command_refuses_a_variable_before_any_work(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (clean / "release.zip").write_bytes(synth_release(1))
    monkeypatch.setenv("CALLAKE_KEEP", "0")
    found = build("--grace", "release.zip")
    assert found.exit_code == 2
    assert "CALLAKE_KEEP is '0': expected a whole number, 1 or more." in found.output
    assert not (clean / "lake").exists()
    monkeypatch.setenv("CALLAKE_LAKE", "file")
    monkeypatch.setenv("CALLAKE_KEEP", "1")
    found = build("--grace", "release.zip")
    assert found.exit_code == 2
    assert "CALLAKE_LAKE is 'file', which is a file" in found.output


def test_the_lake_is_found_the_same_way(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLAKE_LAKE", "~/some lake")
    assert lake_folder(None) == clean / "some lake"
    assert lake_folder("other") == Path("other")
    said = CliRunner().invoke(cli, ["status"])
    assert str(clean / "some lake") in str(said.exception)


def ran(options: dict[str, Any]) -> dg.ExecuteInProcessResult:
    with dg.instance_for_test(overrides={"telemetry": {"enabled": False}}) as instance:
        return defs.resolve_job_def("rebuild").execute_in_process(
            instance=instance, resources={"build": BuildResource(options=options)}, raise_on_error=False
        )


@pytest.mark.parametrize("configured", [False, True])
def test_a_dagster_run_refuses_before_any_work(clean: Path, monkeypatch: pytest.MonkeyPatch, configured: bool) -> None:
    (clean / "release.zip").write_bytes(synth_release(1))
    monkeypatch.setenv("CALLAKE_GRACE", "~/release.zip")
    monkeypatch.setenv("CALLAKE_KEEP", "0")
    result = ran({"grace": "release.zip", "keep": "0"} if configured else {})
    assert not result.success
    errors = [str(event.event_specific_data) for event in result.all_events if event.is_failure]
    assert any("is '0': expected a whole number, 1 or more." in error for error in errors)
    assert not (clean / "lake").exists()


def test_a_dagster_run_without_a_source_says_so(clean: Path) -> None:
    result = ran({})
    assert not result.success
    errors = [str(event.event_specific_data) for event in result.all_events if event.is_failure]
    assert any("Nothing to build: give at least one of CALLAKE_" in error for error in errors)
    assert not (clean / "lake").exists()


def test_the_sensor_refuses_with_the_same_sentence(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (clean / "release.zip").write_bytes(synth_release(1))
    monkeypatch.setenv("CALLAKE_GRACE", "~/release.zip")
    monkeypatch.setenv("CALLAKE_KEEP", "three")
    with dg.build_sensor_context() as context:
        said = new_inputs(context)
        assert isinstance(said, Iterator)
        assert refusal(lambda: next(said)) == ["CALLAKE_KEEP is 'three': expected a whole number, 1 or more."]
    monkeypatch.setenv("CALLAKE_KEEP", "2")
    with dg.build_sensor_context() as context:
        said = new_inputs(context)
        assert isinstance(said, Iterator)
        assert isinstance(next(said), dg.RunRequest)
