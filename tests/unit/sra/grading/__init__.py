"""Grading, against the benchmarks' own evaluators and against hostile answers.

Belongs here: tests of `transforms/sra/grading`, and answers made for them.

Does not belong here: reading questions files (`tests/unit/sra/test_questions.py`).
"""
