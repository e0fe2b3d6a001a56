"""SRA: the skill-confidence bundle.

Belongs here: reading the bundle's files and its questions, spans and summaries of token entropies, joins, coverage, a
cell as a whole.

Does not belong here: a benchmark's rules of what is right (`grading`); statistics over cells
(`transforms/statistics`, `sql/`); files and processes (`pipelines/sra`).
"""
