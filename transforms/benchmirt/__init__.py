"""BenchMIRT: graded answers of many models to many benchmark items, as long tables.

Belongs here: reading response tables and metadata, their rules, and whether the rows of all models describe the same
items.

Does not belong here: fits of the responses (`transforms/irt`), files on disk (`pipelines/sources/benchmirt.py`).
"""

from transforms.benchmirt.alignment import Audit, audit_alignment
from transforms.benchmirt.hints import Hints
from transforms.benchmirt.limits import Limits
from transforms.benchmirt.pyirt import write_subjects
from transforms.benchmirt.responses import Responses, read_responses
from transforms.benchmirt.source import SourceTables, read_benchmirt
from transforms.irt.matrix import Matrix, to_matrix

__all__ = [
    "Audit",
    "Hints",
    "Limits",
    "Matrix",
    "Responses",
    "SourceTables",
    "audit_alignment",
    "read_benchmirt",
    "read_responses",
    "to_matrix",
    "write_subjects",
]
