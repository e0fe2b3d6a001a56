"""Settings, and the one way to read them: from the command line, from the environment, from a Dagster configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from warehouse.errors import LakeError

_FLAGS: Final = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}

_LONGEST_NUMBER: Final = 18


class OptionError(LakeError):
    """Settings that no command can use: a sentence each, a line each."""


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: `--name` on the command line, `CALLAKE_NAME` in the environment.

    `kind` says what a value is: a `folder` or `file` that is there, a `place` for a folder, a `count` of at least
    `least`, a `cell` as MODEL/DATASET/CONDITION, a `flag`, or a `text`, one of `choices` where there are any.
    """

    name: str
    help: str
    kind: Literal["folder", "file", "place", "text", "count", "cell", "flag"] = "text"
    choices: Sequence[str] = ()
    multiple: bool = False
    default: str | None = None
    needs: Sequence[str] = ()
    least: int = 1

    @property
    def key(self) -> str:
        """The option as a Python name."""
        return self.name.replace("-", "_")

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return f"--{self.name}"

    @property
    def variable(self) -> str:
        """The option in the environment. A repeated one has a value a line there, or is a JSON array of texts."""
        return "CALLAKE_" + self.key.upper()

    @property
    def metavar(self) -> str:
        """What stands for a value in the help."""
        plain = {"count": "NUMBER", "cell": "MODEL/DATASET/CONDITION", "place": "FOLDER"}
        return f"[{'|'.join(self.choices)}]" if self.choices else plain.get(self.kind, self.kind.upper())

    def read(self, value: object, name: str) -> Any:  # noqa: ANN401 - text, number, list or flag, by `kind`
        """Return a given value as builds use it. Raises OptionError, with a sentence that calls the option `name`."""
        if not self.multiple:
            return self._read_one(value, name)
        if not isinstance(value, list | tuple):
            raise OptionError(f"{name} is a {type(value).__name__}: expected a list.")
        return [self._read_one(part, name) for part in value]

    def from_environment(self, environment: Mapping[str, str]) -> object | None:
        """Return the value that the environment gives, or None; an empty variable gives none."""
        text = environment.get(self.variable)
        return _listed(text, self.variable) if text and self.multiple else text or None

    def unset(self) -> Any:  # noqa: ANN401 - as `read`
        """Return the value of an option that nobody gives."""
        if self.multiple:
            return []
        if self.kind == "flag":
            return False
        return None if self.default is None else self.read(self.default, self.flag)

    def _read_one(self, value: object, name: str) -> Any:  # noqa: ANN401
        if self.kind == "flag":
            return _flag(value, name)
        if self.kind == "count":
            return _count(value, name, self.least)
        if not isinstance(value, str):
            raise OptionError(f"{name} is a {type(value).__name__}: expected a text.")
        if self.kind in {"folder", "file", "place"}:
            return _path(value, name, self.kind)
        if self.kind == "cell" and (value.count("/") != 2 or not all(value.split("/"))):
            raise OptionError(f"{name} is {value!r}: expected MODEL/DATASET/CONDITION.")
        if self.choices and value not in self.choices:
            raise OptionError(f"{name} is {value!r}: expected one of {', '.join(self.choices)}.")
        if not value:
            raise OptionError(f"{name} is empty: give a text, or leave it out.")
        return value


def _flag(value: object, name: str) -> bool:
    known = _FLAGS.get(str(value).strip().lower())
    if known is None:
        raise OptionError(f"{name} is {value!r}: expected one of {', '.join(_FLAGS)}.")
    return known


def _count(value: object, name: str, least: int) -> int:
    text = str(value).strip()
    is_number = not isinstance(value, bool) and text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER
    if not is_number or int(text) < least:
        raise OptionError(f"{name} is {value!r}: expected a whole number, {least} or more.")
    return int(text)


def _path(text: str, name: str, kind: str) -> str:
    path = Path(expanded(text, name))
    found = "is a file" if path.is_file() else "is a folder" if path.is_dir() else "is there"
    if kind == "place":
        if path.exists() and not path.is_dir():
            raise OptionError(f"{name} is {text!r}, which {found}: expected a folder, which may be a new one.")
        return str(path)
    if not text or not path.exists():
        raise OptionError(f"{name} is {text!r}, which is not there: expected a {kind}.")
    if path.is_dir() != (kind == "folder"):
        raise OptionError(f"{name} is {text!r}, which {found}: expected a {kind}.")
    if not os.access(path, os.R_OK):
        raise OptionError(f"{name} is {text!r}, which this user can not read: give the right to it.")
    return str(path.resolve())


def expanded(text: str, name: str) -> str:
    """Return a path with the home folder in the place of `~`. Raises OptionError for `~` in any other sense."""
    if not text.startswith("~"):
        return text
    home = os.environ.get("HOME")
    if not home or not (text == "~" or text.startswith("~/")):
        raise OptionError(f"{name} is {text!r}: ~ is taken as ~/… where HOME is set, so give the whole path.")
    return home + text[1:]


def _listed(text: str, name: str) -> list[str]:
    """Return the values of a variable for a repeated option: one a line, or those of a JSON array."""
    if not text.lstrip().startswith("["):
        return [line.strip() for line in text.split("\n") if line.strip()]
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise OptionError(
            f"{name} starts with [ and is no JSON array ({problem}): give a value a line, or a JSON array of texts."
        ) from problem
    if not all(isinstance(value, str) for value in values):
        raise OptionError(f"{name} is a JSON array that holds something else than texts: expected texts.")
    return list(values)


Spelling = Callable[[Option], str]
"""How a caller knows an option that is not given: `--name` on the command line, CALLAKE_NAME in the environment."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of options by key, with the name by which each was given and what was wrong with any."""

    values: Mapping[str, Any]
    names: Mapping[str, str]
    problems: Sequence[str]


def read_settings(
    options: Sequence[Option], given: Mapping[str, object], environment: Mapping[str, str], spelling: Spelling
) -> Settings:
    """Return every option's value: as given by key, else as the environment gives it, else its default."""
    values: dict[str, Any] = {}
    names: dict[str, str] = {}
    problems = []
    for option in options:
        try:
            is_given = given.get(option.key) is not None
            value = given[option.key] if is_given else option.from_environment(environment)
            names[option.key] = spelling(option) if is_given or value is None else option.variable
            values[option.key] = option.unset() if value is None else option.read(value, names[option.key])
        except OptionError as problem:
            problems.append(str(problem))
    return Settings(values, names, problems + _halves(options, values, names))


def _halves(options: Sequence[Option], values: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    """Return a sentence for each option that is given without those it needs."""
    found = []
    for option in options:
        keys = [name.replace("-", "_") for name in option.needs]
        missing = [names[key] for key in keys if key in values and not values[key]]
        if values.get(option.key) and missing:
            found.append(f"{names[option.key]} needs {' and '.join(missing)}.")
    return found


LAKE: Final = Option("lake", "Folder of the lake.", "place", default="lake")


def lake_folder(given: str | None) -> Path:
    """Return the folder of the lake: as given, else as CALLAKE_LAKE says, else `lake` here. Raises OptionError."""
    found = read_settings([LAKE], {LAKE.key: given}, os.environ, lambda option: option.flag)
    if found.problems:
        raise OptionError("\n".join(found.problems))
    return Path(found.values[LAKE.key])
