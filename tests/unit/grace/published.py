"""The public release, read with nothing but the standard library."""

from __future__ import annotations

import functools
import json
import re
import zipfile
from typing import Any

from tests.unit.grace.made import RELEASE
from transforms.grace import SourceTables, read_release


@functools.cache
def published_packets() -> dict[int, list[dict[str, Any]]]:
    """The questions by packet, as the file has them."""
    found = {}
    with zipfile.ZipFile(RELEASE) as archive:
        for name in archive.namelist():
            if match := re.search(r"packet(\d+)_buzzpoints\.json$", name):
                found[int(match[1])] = json.loads(archive.read(name, pwd=b"buzzbuzz"))
    return found


@functools.cache
def published_tables() -> SourceTables:
    """The release as the project reads it."""
    return read_release(RELEASE.read_bytes(), RELEASE.name, "buzzbuzz")
