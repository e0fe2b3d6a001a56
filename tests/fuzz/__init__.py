"""Fuzzing of every parser: in the test suite for seconds and the same each time, by `make fuzz` guided by coverage.

Belongs here: seeds, mutations, the properties that every input must keep, and the runner.

Does not belong here: an input that broke something: it becomes a test by name, of the package of what it broke.
"""
