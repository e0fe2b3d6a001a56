"""`callake report`: one page, without a script, that shows what a version of the lake says.

`picture` holds each picture's words and SQL, `reading` asks a version, `sections` lay rows out, `drawing` turns numbers
into marks, and `page` puts the HTML together. Everything after `reading` is a pure function of its rows.
"""
