"""Benchmarks: run by `make bench`, never timed inside a test.

Belongs here: measurements of time, memory and coverage of intervals at full size, and the least that could be done to
compare with.

Does not belong here: an assertion: what must hold is a test of another package.
"""
