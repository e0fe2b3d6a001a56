"""GRACE: archive, packets, buzzes, runs.

Belongs here: tests of `transforms/grace`, releases made for them, and the publishers' figures.

Does not belong here: GRACE's views (`tests/sql`).
"""
