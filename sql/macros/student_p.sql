-- macro: student_p
-- kind: scalar
-- returns: two-sided p-value of Student's t with a whole number of degrees of freedom; null below one
-- The finite series for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4), summed from the far
-- end. Right to 1e-13; a p-value smaller than that comes out as 0 or as rounding.
-- example: SELECT student_p(2.1, 29) AS p
CREATE OR REPLACE MACRO student_p(t, degrees) AS
CASE
    WHEN NOT expected(coalesce(degrees = floor(degrees), true), 'degrees', degrees, 'a whole number') THEN NULL
    WHEN t IS NULL OR degrees IS NULL OR degrees < 1 THEN NULL
    WHEN degrees % 2 = 0 THEN greatest(
        0.0,
        1 - abs(t::DOUBLE) / sqrt(degrees + t::DOUBLE * t::DOUBLE)
        * list_reduce(
            range(degrees::BIGINT // 2 - 1, 0, -1),
            LAMBDA tail, j:
            1 + degrees / (degrees + t::DOUBLE * t::DOUBLE) * (2 * j - 1) / (2 * j) * tail,
            1.0::DOUBLE
        )
    )
    ELSE greatest(
        0.0,
        1 - 2 / pi() * (
            atan(abs(t::DOUBLE) / sqrt(degrees))
            + CASE
                WHEN degrees = 1 THEN 0.0
                ELSE
                    abs(t::DOUBLE) * sqrt(degrees) / (degrees + t::DOUBLE * t::DOUBLE)
                    * list_reduce(
                        range((degrees::BIGINT - 3) // 2, 0, -1),
                        LAMBDA tail, j:
                        1 + degrees / (degrees + t::DOUBLE * t::DOUBLE) * (2 * j) / (2 * j + 1) * tail,
                        1.0::DOUBLE
                    )
            END
        )
    )
END;
