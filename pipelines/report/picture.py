"""What each picture shows, what it does not, and the SQL that makes it: the files of `sql/report/`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from warehouse.code import SQL_ROOT

_ITEM: Final = re.compile(r"-- (picture|title|of|shows|hides): (.+)")


@dataclass(frozen=True, slots=True)
class Picture:
    """One query and the words that stand under what is drawn from it.

    `hides` is what the picture does not say. A query with an `of` compares two versions: `before` and `after` are the
    rows that the query of that name gives in each.
    """

    name: str
    title: str
    shows: str
    hides: str
    sql: str
    of: str = ""


def parse_picture(text: str) -> Picture:
    """Return a picture from the text of its file: four header items, then one statement.

    Raises ValueError where an item is not there, for a reader would miss it.
    """
    items: dict[str, str] = {}
    lines = text.strip().splitlines()
    head = [line for line in lines if line.startswith("--")]
    last = ""
    for line in head:
        if found := _ITEM.fullmatch(line):
            last = found[1]
            items[last] = found[2]
        elif line.startswith("--    ") and last:
            items[last] += f" {line[2:].strip()}"
        else:
            raise ValueError(f"{line!r} is no item of a picture's header: picture, title, shows or hides.")
    if missing := {"picture", "title", "shows", "hides"} - items.keys():
        raise ValueError(f"A picture's header says {', '.join(sorted(missing))}, and this one does not.")
    sql = "\n".join(lines[len(head) :]).strip().removesuffix(";")
    return Picture(items["picture"], items["title"], items["shows"], items["hides"], sql, items.get("of", ""))


@cache
def load_pictures(folder: Path = SQL_ROOT / "report") -> Mapping[str, Picture]:
    """Return every picture of a folder by name. Raises ValueError where a file and its picture have two names."""
    found = {}
    for path in sorted(folder.glob("*.sql")):
        picture = parse_picture(path.read_text(encoding="utf-8"))
        if picture.name != path.stem:
            raise ValueError(f"{path.name} holds {picture.name!r}: a picture and its file have one name.")
        found[picture.name] = picture
    return found


def load_comparisons() -> Mapping[str, Picture]:
    """Return what compares two versions: queries with an `of`, and those that only they need."""
    return load_pictures(SQL_ROOT / "report" / "compare")
