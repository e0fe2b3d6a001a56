"""`callake report`: one page, without a script, that shows what a version of the lake says.

`picture` holds each picture's words and SQL, `reading` asks a version, `sections` lay rows out, `drawing` turns numbers
into marks, and `page` puts the HTML together. Everything after `reading` is a pure function of its rows.

Belongs here: asking a version for the rows of pictures, templates and the style sheet, the page, the small picture,
the asset.

Does not belong here: a figure: what is drawn is a column of a view or table, and one that is missing becomes a view;
queries, which stand in `sql/report`.
"""
