"""SRA: the readers of a bundle's files, joins, coverage, spans and entropies.

Belongs here: tests of `transforms/sra`, and the records and entropies made for them.

Does not belong here: grading, which has a package of its own below; how bundles are made up (`tests/unit/synthetic`);
bundles on disk (`tests/pipelines`).
"""
