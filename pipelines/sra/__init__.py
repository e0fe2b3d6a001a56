"""Reading an SRA bundle from disk: verify everything, then cells in a pool of processes.

Belongs here: the bundle's files on disk, the jobs of worker processes, and the keys by which a cell is reused.

Does not belong here: what a line of a file means (`transforms/sra`), and anything another source would need too
(`pipelines`).
"""
