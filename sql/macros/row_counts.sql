-- macro: row_counts
-- kind: table
-- internal
-- returns: one row a cell
-- Every row is counted once: usable for calibration, out of range, NaN or null. Nothing is repaired. A row whose
-- confidence or outcome is null counts as null.
-- example: SELECT * FROM row_counts('t')
CREATE OR REPLACE MACRO row_counts(observations) AS TABLE
SELECT
    cell,
    count(*) AS n_rows,
    count(*) FILTER (conf_ok(confidence) AND correct IS NOT NULL) AS n_in_range,
    count(*) FILTER (conf_ranks(confidence) AND NOT conf_ok(confidence) AND correct IS NOT NULL) AS n_out_of_range,
    count(*) FILTER (isnan(confidence::DOUBLE) AND correct IS NOT NULL) AS n_nan,
    count(*) FILTER (confidence IS NULL OR correct IS NULL) AS n_null
FROM query_table(observations)
GROUP BY cell;
