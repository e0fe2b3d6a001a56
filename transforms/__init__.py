"""Pure transforms: bytes and frames in, frames and findings out.

Belongs here: a package a source, `statistics`, `irt`, and readers that several sources share, such as of JSON lines
and gzip.

Does not belong here: a path that is opened, a clock, a process, a database, Dagster; only `warehouse.contracts` is
imported.
"""
