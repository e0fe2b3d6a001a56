-- macro: cell_name
-- kind: scalar
-- returns: the name of a cell, for the column `cell`
-- The five keys joined by '/'; a '%' or '/' inside a key is written %25 or %2F, so that two cells never share a
-- name.
-- example: SELECT cell_name('sra', 'Qwen3-32B', 'champ', 'direct', 'ab') AS cell
CREATE OR REPLACE MACRO cell_name(source, model, dataset, condition, signal) AS
array_to_string(
    list_transform(
        [source, model, dataset, condition, signal],
        LAMBDA part: replace(replace(part, '%', '%25'), '/', '%2F')
    ),
    '/'
);
