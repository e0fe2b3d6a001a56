"""What a fault is, and how one is planted: on a view of a bundle that records what was changed and reads no more.

Faults work on any mapping from path to bytes, so a bundle may stay on disk: only files a fault looks at are read, and a
refreshed manifest differs from the old one in the lines of changed files only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, Literal

import orjson

from synthetic.sra.records import inflate, json_lines
from synthetic.sra.streams import Generator

Outcome = Literal["refused", "warning", "info", "identical"]
Record = dict[str, Any]

BUNDLE: Final = "bundle/"
MANIFEST: Final = "bundle/MANIFEST.csv"
AUDIT: Final = "bundle/BUNDLE_AUDIT.json"
SAMPLING: Final = "bundle/models/*/sampling9.jsonl.gz"
AB: Final = "bundle/models/*/ab_logprob9.jsonl.gz"
TF: Final = "bundle/models/*/tf_logprob9.jsonl.gz"
BIN: Final = "bundle/models/*/token_entropy9.bin"
INDEX: Final = "bundle/models/*/token_entropy9.index.jsonl.gz"
TOKENIZER: Final = "bundle/tokenizers/*/tokenizer.json"
AUX: Final = "bundle/aux/*"
INSTANCES: Final = "instances/*.json"


POINTER: Final = (
    b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0123456789abcdef" * 4 + b"\nsize 81234\n"
)
BY_MANIFEST: Final[tuple[Outcome, str]] = ("refused", "manifest.")
"""What becomes of any file that is not what the manifest says."""


class Patch:
    """A bundle with changes on top; `changes` maps a path to its new bytes, or to None where it was removed."""

    def __init__(self, files: Mapping[str, bytes], rng: Generator) -> None:
        self._files, self.rng = files, rng
        self.changes: dict[str, bytes | None] = {}

    def paths(self, pattern: str) -> list[str]:
        """Paths that match, in an order drawn anew."""
        names = {*self._files, *self.changes} - {p for p, data in self.changes.items() if data is None}
        found = sorted(name for name in names if fnmatchcase(name, pattern))
        if not found:
            raise ValueError(f"no file of the bundle matches {pattern}: this fault needs one")
        return [found[k] for k in self.rng.permutation(len(found)).tolist()]

    def pick(self, pattern: str) -> str:
        """One matching path."""
        return self.paths(pattern)[0]

    def read(self, path: str) -> bytes:
        """Bytes of one file, as changed so far."""
        data = self.changes.get(path) if path in self.changes else self._files[path]
        if data is None:
            raise ValueError(f"{path} was removed by this fault already")
        return data

    def write(self, path: str, data: bytes) -> None:
        """Replace or add a file."""
        self.changes[path] = data

    def remove(self, path: str) -> None:
        """Take a file away."""
        self.changes[path] = None

    def lines(self, path: str) -> list[Record]:
        """Records of a compressed JSON lines file."""
        return [orjson.loads(line) for line in inflate(self.read(path)).splitlines()]

    def write_lines(self, path: str, records: Iterable[Record]) -> None:
        """Replace a compressed JSON lines file."""
        self.write(path, json_lines(records))

    def edit_line(
        self, pattern: str, edit: Callable[[Record], object], where: Callable[[Record], bool] | None = None
    ) -> str:
        """Edit one record, drawn among those `where` accepts, in place; returns its path."""
        for path in self.paths(pattern):
            records = self.lines(path)
            fitting = [record for record in records if where is None or where(record)]
            if fitting:
                edit(fitting[int(self.rng.integers(len(fitting)))])
                self.write_lines(path, records)
                return path
        raise ValueError(f"no record in {pattern} is of the kind this fault needs")

    def edit_json(self, pattern: str, edit: Callable[[Any], object]) -> None:
        """Edit a JSON document in place."""
        path = self.pick(pattern)
        document = orjson.loads(self.read(path))
        edit(document)
        self.write(path, orjson.dumps(document, option=orjson.OPT_INDENT_2))

    def each_rollout_block(self, path: str) -> Iterator[tuple[int, int]]:
        """Yield offset and token count of every block of a binary file."""
        index = path.replace("token_entropy9.bin", "token_entropy9.index.jsonl.gz")
        yield from ((line["offset"], line["n_tokens"]) for line in self.lines(index))

    def refresh_manifest(self) -> None:
        """State the changed files as they now are: new lines for new files, none for removed ones."""
        header, *rows = self.read(MANIFEST).decode().splitlines()
        listed = {row.split(",", 1)[0]: row for row in rows}
        for path, data in self.changes.items():
            name = path.removeprefix(BUNDLE)
            if not path.startswith(BUNDLE) or path == MANIFEST:
                continue
            listed.pop(name, None)
            if data is not None:
                listed[name] = f"{name},{len(data)},{hashlib.sha256(data).hexdigest()}"
        self.write(MANIFEST, "\n".join([header, *(listed[name] for name in sorted(listed)), ""]).encode())


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that may be wrong with a bundle.

    `outcome` and `rule_hint` (the rule, or the start of its name) say what a build makes of it once the manifest was
    refreshed, so that only the content can tell. `unrefreshed` says the same where the manifest was left as it was;
    it is None where refreshing makes no difference to what is noticed. `tells_itself` says that the manifest left as it
    was is not what tells, or tells something of its own. `settings` are what the source's settings have
    to say for the outcome, `second_build` whether it shows only after a build of the sound bundle.
    """

    name: str
    description: str
    outcome: Outcome
    rule_hint: str
    plant: Callable[[Patch], object] = field(repr=False)
    refreshable: bool = True
    unrefreshed: tuple[Outcome, str] | None = BY_MANIFEST
    settings: Mapping[str, str] = field(default_factory=dict)
    second_build: bool = False

    @property
    def tells_itself(self) -> bool:
        """Whether the fault is noticed in a way of its own where the manifest was left as it was."""
        return self.refreshable and self.unrefreshed not in {None, BY_MANIFEST}

    def expected(self, refresh_manifest: bool) -> tuple[Outcome, str]:
        """Outcome and rule hint of one of the two variants."""
        left = not refresh_manifest and self.refreshable and self.unrefreshed
        return left or (self.outcome, self.rule_hint)


Planter = Callable[[Patch], object]
