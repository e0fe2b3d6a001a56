"""The tests of the project, by what they hold.

Belongs here: what several kinds of test share, such as where the shared data lies; each kind has a package of its own
below.

Does not belong here: anything that the project itself imports.
"""
