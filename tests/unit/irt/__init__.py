"""Item response fits.

Belongs here: tests of `transforms/irt`: recovery of known parameters, likelihoods, errors, files of py-irt.

Does not belong here: how a response table is read (`tests/unit/benchmirt`).
"""
