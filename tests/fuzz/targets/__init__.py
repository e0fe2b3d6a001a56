"""The targets, one a parser.

Belongs here: how bytes become a parser's arguments, and what must hold of its answer, one module a family of parsers.

Does not belong here: how inputs are drawn or mutated (`tests/fuzz`).
"""

from __future__ import annotations

from typing import Final

from tests.fuzz.target import Target
from tests.fuzz.targets import benchmirt, containers, grace, grading, sra, tokens

TARGETS: Final[dict[str, Target]] = {
    target.name: target for module in (containers, sra, tokens, grading, grace, benchmirt) for target in module.TARGETS
}
