"""Builds and commands from the outside, as a person or Dagster runs them.

Belongs here: `callake` and its exit codes, the Dagster definitions, whole builds of small inputs, lakes that were
damaged.

Does not belong here: a rule of a reader or a figure, which need no build (`tests/unit`, `tests/sql`).
"""
