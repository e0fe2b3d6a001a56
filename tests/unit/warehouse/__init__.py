"""Contracts, files, versions and the dictionary.

Belongs here: tests of `warehouse` on lakes made of small frames.

Does not belong here: the catalog's macros and views (`tests/sql`), builds (`tests/pipelines`).
"""
