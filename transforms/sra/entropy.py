"""A cell's token entropies: a binary file of float16 entropies and int32 token ids, and the index that says whose.

The steps are `read_blocks` here, `find_spans` in `spans`, then `summarise` and `token_tables` in `entropy_summary`.
"""

from __future__ import annotations

import polars as pl

from transforms.sra.entropy_blocks import place_blocks
from transforms.sra.entropy_checks import check_values
from transforms.sra.token_blocks import Layout, TokenBlocks, gather
from transforms.sra.tokenizers import Vocabulary
from warehouse.contracts.issues import Issue, has_errors


def read_blocks(
    data: bytes | memoryview,
    index: pl.DataFrame,
    path: str,
    index_path: str,
    *,
    layout: Layout = "blocked",
    vocabulary: Vocabulary | None = None,
) -> tuple[TokenBlocks | None, list[Issue]]:
    """Read one cell's tokens, rollouts sorted by (instance_id, sample).

    `index` has the schema `entropy_index.INDEX_SCHEMA`; the paths are how messages name the two files. `layout` is
    `blocked` (a rollout's entropies, then its ids) or `interleaved` (token by token). With a `vocabulary`, ids that it
    does not know are errors too. A rollout of no tokens is sound: the model may generate nothing.

    Returns the blocks, or None when anything in either file is an error, after all of it was looked at. Source: the SRA
    bundle's `token_entropy9.bin` and `token_entropy9.index.jsonl.gz`.
    """
    placed, issues = place_blocks(index, memoryview(data).nbytes, path, index_path)
    blocks = gather(data, placed, layout)
    issues += check_values(blocks, placed, vocabulary, path, index_path)
    return (None if has_errors(issues) else blocks), issues
