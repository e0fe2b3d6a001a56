-- macro: wilson_lo
-- kind: scalar
-- returns: lower end of Wilson's interval of k in n, at 95 % unless another z is given; null where n is 0
-- Both may be fractions, for an effective number of rows.
-- example: SELECT wilson_lo(3, 10) AS lo, wilson_hi(3, 10) AS hi
CREATE OR REPLACE MACRO wilson_lo(k, n, z := 1.959963984540054) AS
CASE
    WHEN NOT expected(z::DOUBLE > 0 AND isfinite(z::DOUBLE), 'z', z, 'a number above 0') OR k IS NULL THEN NULL
    WHEN n > 0 AND k = 0 THEN 0.0::DOUBLE
    WHEN n > 0 THEN greatest(
        0.0::DOUBLE,
        (k + z::DOUBLE * z / 2 - z::DOUBLE * sqrt(greatest(0.0, k * (n - k) / n::DOUBLE) + z::DOUBLE * z / 4))
        / (n + z::DOUBLE * z)
    )
END;
