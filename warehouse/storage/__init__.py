"""The one seam to disk: put a finished file under a key, list, open, and move the pointer.

Belongs here: paths, locks, staging, publishing, versions, records, Parquet files; whatever must survive a power cut.

Does not belong here: the meaning of a table, SQL, a source's name; the catalog is a reader of what stands here
(`warehouse/catalog.py`).
"""
