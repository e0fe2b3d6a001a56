-- macro: ordered_sum
-- kind: scalar
-- internal
-- returns: the sum of a column of doubles of any size, added from the smallest to the largest
-- An aggregate. The order makes it the same to the last bit in every run. Slower than exact_sum, and without its
-- limits.
-- example: SELECT ordered_sum(-x) AS total FROM range(10) AS t (x)
CREATE OR REPLACE MACRO ordered_sum(x) AS list_sum(list(x::DOUBLE ORDER BY x::DOUBLE) FILTER (x IS NOT NULL));
