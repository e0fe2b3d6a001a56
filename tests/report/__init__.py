"""The report, read back from its page, by a parser and by a browser, and compared with the SQL that stands on it.

Belongs here: what a page carries against the rows of its queries, hostile names, lakes of any shape, the browser and
what is missing for one, geometry of marks.

Does not belong here: whether a figure is right (`tests/sql`), what other commands print (`tests/pipelines`).
"""
