-- macro: difference_se
-- kind: scalar
-- internal
-- returns: standard error of a mean of independent differences; null with fewer than two
-- An aggregate; `mean` is their mean. Differences that are all within 1e-12 of each other are equal but for
-- rounding, so the standard error is 0 and not the size of the rounding.
-- example: SELECT difference_se(d, 0.5) AS se FROM (VALUES (0.25), (0.75)) AS t (d)
CREATE OR REPLACE MACRO difference_se(d, mean) AS
CASE
    WHEN count(d) > 1 AND max(d) - min(d) <= 1e-12 THEN 0.0
    ELSE sqrt(ordered_sum(pow(d - mean, 2)) / nullif(count(d) - 1, 0) / count(d))
END;
