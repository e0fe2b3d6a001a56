"""The generators: what they write follows the raw formats, is repeatable, and has the truth it claims.

Belongs here: tests of `synthetic`, a module or package a source.

Does not belong here: how the release of a source is read (`tests/unit/sra` and its neighbours).
"""
