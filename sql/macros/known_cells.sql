-- macro: known_cells
-- kind: table
-- internal
-- returns: one row: true, or an error that names the cells there are
-- How a macro that compares two cells refuses a name that is none. `tbl` names the caller's relation; it is asked as
-- known_keys is.
-- example: SELECT known FROM known_cells('t', 'direct', 'llm_select')
CREATE OR REPLACE MACRO known_cells(tbl, a, b) AS TABLE
WITH
_cells AS (
    SELECT
        list(DISTINCT cell ORDER BY cell) AS names,
        concat('a cell of the relation, which has: ', array_to_string(names[:5], ', ')) AS wanted
    FROM query_table(tbl)
)

SELECT expected(list_contains(names, a), 'a', a, wanted) AND expected(list_contains(names, b), 'b', b, wanted) AS known
FROM _cells;
