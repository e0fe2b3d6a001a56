"""Tests of one module or package at a time; the folders mirror the code.

Belongs here: functions called with inputs small enough to read, and the references they are compared with.

Does not belong here: a whole build (`tests/pipelines`), SQL (`tests/sql`).
"""
