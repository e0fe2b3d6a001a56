"""Fuzzing of every parser: in the test suite for seconds and the same each time, by `make fuzz` guided by coverage."""
