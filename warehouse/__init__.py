"""Storage: contracts, layout, atomic writes, publishing, the catalog and the data dictionary.

Belongs here: what a table is, where a version stands, how it is written, found, described, checked and copied.

Does not belong here: a source's format or its options, the order of a build's steps, what is printed; nothing of ours
is imported.
"""
