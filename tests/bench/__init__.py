"""Benchmarks: run by `make bench`, never timed inside a test."""
