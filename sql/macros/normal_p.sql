-- macro: normal_p
-- kind: scalar
-- returns: two-sided p-value of a standard normal statistic
-- example: SELECT normal_p(1.96) AS p
CREATE OR REPLACE MACRO normal_p(z) AS erfc(abs(z::DOUBLE) / sqrt(2.0::DOUBLE));
