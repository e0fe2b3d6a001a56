-- macro: ordered_mean
-- kind: scalar
-- internal
-- returns: the mean of a column of doubles, nulls left out, added from the smallest to the largest
-- An aggregate; see ordered_sum.
-- example: SELECT ordered_mean(x) AS mean FROM range(10) AS t (x)
CREATE OR REPLACE MACRO ordered_mean(x) AS ordered_sum(x) / nullif(count(x), 0);
