"""The tables every source writes to: the files that were read and the things that were noticed."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from warehouse.contracts.base import Table, big_count, one_of, sha256, text
from warehouse.contracts.issues import Severity

SOURCE: Final = "common"
FILE_STATUSES: Final = ("ok", "missing", "size_mismatch", "hash_mismatch", "unlisted", "refused")


class SourceFiles(dy.Schema):
    """Every file a manifest lists or that was found beside it."""

    source = text("Data set the file belongs to.", key=True)
    path = text("Path inside the input, with '/'.", key=True)
    kind = text("What the file holds, or 'other' where it is verified and not read.")
    bytes_declared = big_count("Size the manifest states; null where none does.", nullable=True, unit="bytes")
    bytes_actual = big_count("Size found; null where the file is missing or refused.", nullable=True, unit="bytes")
    sha256_declared = sha256("Hash the manifest states; null where none does.", nullable=True)
    sha256_actual = sha256("Hash found; null where the file is missing or refused.", nullable=True)
    status = one_of(FILE_STATUSES, "What verification found.")


class IngestIssues(dy.Schema):
    """One thing noticed while reading. Input text never stands here, only its length and hash."""

    severity = one_of([str(s) for s in Severity], "error refuses a build; warning and info are published and counted.")
    rule = text("Stable name of the rule that noticed it.")
    source = text("Data set it concerns.", nullable=True)
    path = text("File it concerns.", nullable=True)
    line = big_count("Line of that file, from 1.", nullable=True)
    model = text("Model it concerns.", nullable=True)
    dataset = text("Benchmark it concerns.", nullable=True)
    condition = text("Condition it concerns.", nullable=True)
    instance_id = text("Question it concerns.", nullable=True)
    # `sample` is a method of dataframely's Schema, hence the alias.
    sample_ = big_count("Rollout it concerns.", alias="sample", nullable=True)
    value = text("The value found, or its length and hash where it is text.", nullable=True)
    message = text("What was found, what was expected and what to do, as a sentence.")


TABLES: Final = (
    Table(
        "source_files",
        SourceFiles,
        SOURCE,
        "file",
        "Every file read or found, with both hashes. A folder of many files that a manifest does not list, as version "
        "control leaves it, is one row: its path ends in '/'.",
    ),
    Table(
        "ingest_issues",
        IngestIssues,
        SOURCE,
        "thing noticed",
        "Errors, warnings and information, none dropped.",
    ),
)
