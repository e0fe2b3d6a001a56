"""Where things stand on disk. Nothing else in the project spells these paths."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warehouse.contracts import Table
from warehouse.errors import LakeError
from warehouse.storage.files import folder_name, fsync_directory

Cell = tuple[str, str, str]
"""(model, dataset, condition)."""

PART: Final = "part-0.parquet"


def table_file(table: Table, cell: Cell | None) -> str:
    """Return a table file's path inside a version."""
    if table.by_cell != (cell is not None):
        raise LakeError(f"Table {table.name} is laid out {'by cell' if table.by_cell else 'as one file'}.")
    folders = [folder_name(name) for name in cell or ()]
    return "/".join(["tables", table.name, *folders, PART])


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
        """Return the id of the version that readers see, or None for an empty lake."""
        try:
            return Path(self.current.readlink()).name
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise LakeError(
                f"{self.current} is no link, so a copy followed the links: copy the lake with `cp -a`, or remove "
                "`current` and run `callake rollback ID`."
            ) from problem

    def require_current(self) -> Path:
        """Return the folder of the current version. Raises LakeError for a lake without one."""
        version_id = self.current_id()
        if version_id is None or not self.version(version_id).is_dir():
            raise LakeError(
                f"There is no published version in {self.root}: run `callake build --lake {self.root} …` first, "
                "or `callake demo` for a small one."
            )
        return self.version(version_id)

    def create(self) -> None:
        """Make the folders and the fixed links. They dangle until the first version is published.

        Raises LakeError for a path that DuckDB can not open a database under.
        """
        if "?" in str(self.root):
            raise LakeError(f"{self.root} has a '?' in it, where DuckDB takes settings to start: use another path.")
        for folder in (self.versions, self.staging, self.published):
            folder.mkdir(parents=True, exist_ok=True)
        for name, target in (("CURRENT", "current/VERSION"), ("lake.duckdb", "current/lake.duckdb")):
            self._link(self.root / name, target)

    def _link(self, link: Path, target: str) -> None:
        try:
            link.symlink_to(target)
        except FileExistsError:
            if not link.is_symlink():
                raise LakeError(f"{link} is there and is no link: name a folder that is a lake or empty.") from None

    def point_to(self, version_id: str) -> None:
        """Move `current` to a version by one rename."""
        aside = self.root / f".current.{os.getpid()}"
        aside.unlink(missing_ok=True)
        aside.symlink_to(f"versions/{version_id}")
        aside.replace(self.current)
        fsync_directory(self.root)
