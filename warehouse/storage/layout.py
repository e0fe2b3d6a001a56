"""Where things stand on disk. Nothing else in the project spells these paths."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warehouse.contracts import Table
from warehouse.errors import LakeError
from warehouse.storage.files import folder_name, fsync_directory

Cell = tuple[str, str, str]
"""(model, dataset, condition)."""

PART: Final = "part-0.parquet"
LINKS: Final = {"CURRENT": "current/VERSION", "lake.duckdb": "current/lake.duckdb"}
"""The links of a lake that never move, by name: where each leads to."""


def table_file(table: Table, cell: Cell | None) -> str:
    """Return a table file's path inside a version."""
    if table.by_cell != (cell is not None):
        raise LakeError(f"Table {table.name} is laid out {'by cell' if table.by_cell else 'as one file'}.")
    folders = [folder_name(name) for name in cell or ()]
    return "/".join(["tables", table.name, *folders, PART])


def no_rows_file(table: Table) -> str:
    """Return the path of the one file of a table that has no rows, and so no cells."""
    return f"tables/{table.name}/{PART}"


@dataclass(frozen=True, slots=True)
class Lake:
    """The folders of one lake."""

    root: Path

    @classmethod
    def at(cls, root: Path | str) -> Lake:
        """Return the lake at `root`, by absolute path and without resolving links above it."""
        return cls(Path(root).absolute())

    @property
    def versions(self) -> Path:
        """Folder of the immutable versions."""
        return self.root / "versions"

    @property
    def current(self) -> Path:
        """The one link that a publish moves."""
        return self.root / "current"

    @property
    def staging(self) -> Path:
        """Folder of the build that is under way."""
        return self.root / ".staging"

    @property
    def quarantine(self) -> Path:
        """Folder of what refused builds noticed."""
        return self.root / "quarantine"

    @property
    def published(self) -> Path:
        """Folder of one empty marker a version that was ever current."""
        return self.root / ".published"

    @property
    def lock(self) -> Path:
        """File that the one build at a time holds."""
        return self.root / ".lock"

    def version(self, version_id: str) -> Path:
        """Folder of one version."""
        return self.versions / version_id

    def current_id(self) -> str | None:
        """Return the id of the version that readers see; None where `current` is not there or is no link."""
        return self.current.readlink().name if self.current.is_symlink() else None

    def command(self, *words: str) -> str:
        """Return a command on this lake as a message shows it, for a shell to take as it is."""
        return f"`{shlex.join(['callake', *words, '--lake', str(self.root)])}`"

    def require_current(self) -> Path:
        """Return the folder of the current version. Raises LakeError for a lake without one."""
        version_id = self.current_id()
        if version_id is None or not self.version(version_id).is_dir():
            raise LakeError(
                f"There is no published version in {self.root}: give `callake build` the sources and "
                f"`--lake {shlex.quote(str(self.root))}` first, or run {self.command('demo')} for a small one."
            )
        return self.version(version_id)

    def create(self) -> None:
        """Make the folders and the fixed links. They dangle until the first version is published.

        Raises LakeError for a path that DuckDB can not open a database under, and for a folder of something else.
        """
        if "?" in str(self.root):
            raise LakeError(f"{self.root} has a '?' in it, where DuckDB takes settings to start: use another path.")
        for name in ("current", *LINKS):
            path = self.root / name
            # Of a lake, a copy that followed the links made it so: there is a way back from that, in `link_problems`.
            if path.exists() and not path.is_symlink() and not self.versions.is_dir():
                raise LakeError(f"{path} is there and is no link: name a folder that is a lake or empty.")
        is_new = not self.versions.is_dir() or not any(self.versions.iterdir())
        # Where there are versions and no markers, that there is no folder of them tells a copy: `first_build_died`.
        for folder in (self.versions, self.staging, *([self.published] if is_new else [])):
            folder.mkdir(parents=True, exist_ok=True)
        for name, target in LINKS.items():
            with suppress(FileExistsError):
                (self.root / name).symlink_to(target)

    def point_to(self, version_id: str) -> None:
        """Move `current` to a version by one rename."""
        self._link("current", f"versions/{version_id}")

    def restore_links(self) -> None:
        """Make the fixed links again where a file has the place of one, or one leads elsewhere."""
        for name, target in LINKS.items():
            path = self.root / name
            if not path.is_symlink() or path.readlink() != Path(target):
                self._link(name, target)

    def _link(self, name: str, target: str) -> None:
        aside = self.root / f".{name}.{os.getpid()}"
        aside.unlink(missing_ok=True)
        aside.symlink_to(target)
        aside.replace(self.root / name)
        fsync_directory(self.root)
