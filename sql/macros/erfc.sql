-- macro: erfc
-- kind: scalar
-- internal
-- returns: the complementary error function of a number that is not negative
-- Below 2 by the series of positive terms, above by the continued fraction, both summed from the far end.
-- example: SELECT erfc(0.5) AS tail
CREATE OR REPLACE MACRO erfc(x) AS
CASE
    WHEN x < 2 THEN
        1 - 2 / sqrt(pi()) * x * exp(-x * x)
        * list_reduce(range(60, 0, -1), LAMBDA tail, j: 1 + 2 * x * x / (2 * j + 1) * tail, 1.0::DOUBLE)
    ELSE
        exp(-x * x) / sqrt(pi())
        / list_reduce(range(120, 0, -1), LAMBDA tail, j: x + j / 2.0::DOUBLE / tail, x::DOUBLE)
END;
