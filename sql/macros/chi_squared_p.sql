-- macro: chi_squared_p
-- kind: scalar
-- returns: upper tail of chi-squared with a whole number of degrees of freedom; null below one
-- The finite sums for even and odd degrees of freedom, from the far end.
-- example: SELECT chi_squared_p(1.1014867, 4) AS p
CREATE OR REPLACE MACRO chi_squared_p(x, degrees) AS
CASE
    WHEN NOT expected(coalesce(degrees = floor(degrees), true), 'degrees', degrees, 'a whole number') THEN NULL
    WHEN NOT expected(coalesce(x >= 0, true), 'x', x, 'a number of at least 0') THEN NULL
    WHEN degrees < 1 THEN NULL
    WHEN degrees % 2 = 0 THEN
        exp(-x::DOUBLE / 2)
        * list_reduce(
            range(degrees::BIGINT // 2 - 1, 0, -1),
            LAMBDA tail, j: 1 + x::DOUBLE / 2 / j * tail,
            1.0::DOUBLE
        )
    WHEN degrees = 1 THEN erfc(sqrt(x::DOUBLE / 2))
    ELSE
        erfc(sqrt(x::DOUBLE / 2))
        + exp(-x::DOUBLE / 2) * sqrt(2 * x::DOUBLE / pi())
        * list_reduce(
            range((degrees::BIGINT - 3) // 2, 0, -1),
            LAMBDA tail, j: 1 + x::DOUBLE / (2 * j + 1) * tail,
            1.0::DOUBLE
        )
END;
