-- macro: macro_mean_se
-- kind: scalar
-- returns: standard error of an unweighted mean of independent cells
-- An aggregate: the root of the summed squares over the number of cells; null where a cell has no standard error.
-- example: SELECT macro_mean_se(accuracy_se) AS se FROM calibration_summary WHERE signal = 'tf'
CREATE OR REPLACE MACRO macro_mean_se(se) AS
CASE WHEN count(*) = count(se) THEN sqrt(ordered_sum(pow(se, 2))) / nullif(count(*), 0) END;
