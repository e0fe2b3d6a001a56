"""Which version folders were published: the markers under `.published/`, and what counts where all of them are gone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from warehouse.storage.layout import Lake

_RESTORING: Final = ".published.restoring"


def version_folders(lake: Lake) -> list[Path]:
    """Return the folders among the versions, by name. A file or a link there is a stranger's, and none of them."""
    if not lake.versions.is_dir():
        return []
    return sorted(path for path in lake.versions.iterdir() if path.is_dir() and not path.is_symlink())


def published_ids(lake: Lake) -> list[str]:
    """Return the ids of the published versions, oldest first.

    Where no version has a marker, every complete one counts: copies and archives leave out folders that start with a
    dot. `VERSION` is the last file that a build writes, so a folder that has it is complete.
    """
    folders = version_folders(lake)
    marked = _marked(lake, folders)
    current = lake.current_id()
    return [
        folder.name
        for folder in folders
        if folder.name in marked or folder.name == current or (not marked and (folder / "VERSION").is_file())
    ]


def mark_published(lake: Lake, version_id: str) -> None:
    """Remember that a version was current once; one that never was is what a dead build left.

    Where no version has a marker, the complete ones get theirs first. The caller holds the lock.
    """
    restore_markers(lake)
    (lake.published / version_id).touch()


def restore_markers(lake: Lake) -> None:
    """Mark the complete versions of a lake in which none is marked. The caller holds the lock.

    A file says that this is under way: some of the markers alone would give the other versions up.
    """
    lake.published.mkdir(exist_ok=True)
    under_way = lake.root / _RESTORING
    if _marked(lake, version_folders(lake)):
        return
    found = published_ids(lake)
    if found:
        under_way.touch()
        for version_id in found:
            (lake.published / version_id).touch()
    under_way.unlink(missing_ok=True)


def first_build_died(lake: Lake) -> bool:
    """Tell whether nothing was current yet: then a complete version is what a build left that died before that.

    In a copy without folders that start with a dot, `.published` itself is not there.
    """
    was_current = lake.current.is_symlink() or lake.current.exists() or (lake.root / _RESTORING).exists()
    return lake.published.is_dir() and not was_current and not _marked(lake, version_folders(lake))


def _marked(lake: Lake, folders: list[Path]) -> set[str]:
    """Return the names of the version folders that have a marker; none while the markers are being restored."""
    if (lake.root / _RESTORING).exists():
        return set()
    return {folder.name for folder in folders if (lake.published / folder.name).exists()}
