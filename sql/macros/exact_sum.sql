-- macro: exact_sum
-- kind: scalar
-- internal
-- returns: the sum of a column of doubles, the same to the last bit whatever the order of rows and number of threads
-- An aggregate. A sum of doubles depends on the order of its terms, and threads change the order. Here the terms
-- are whole multiples of 2^-96 and the sum is one of integers. For terms of the size of probabilities and log
-- losses: the sum may not reach 2^30, and an infinity or NaN raises an error.
-- example: SELECT exact_sum(x / 10) AS total FROM range(10) AS t (x)
CREATE OR REPLACE MACRO exact_sum(x) AS
(sum((x::DOUBLE * 79228162514264337593543950336.0::DOUBLE)::HUGEINT)::DOUBLE / 79228162514264337593543950336.0::DOUBLE);
