"""BenchMIRT: reading, alignment.

Belongs here: tests of `transforms/benchmirt`, and response tables made for them.

Does not belong here: fits (`tests/unit/irt`), a build of a response table (`tests/pipelines`, `tests/faults`).
"""
