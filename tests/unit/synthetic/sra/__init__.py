"""Synthetic SRA bundles: their plan, their signals, their faults.

Belongs here: tests of `synthetic/sra`: what it draws has the truth it states, and follows the format.

Does not belong here: what a build makes of a planted fault (`tests/faults`).
"""
