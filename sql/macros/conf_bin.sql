-- macro: conf_bin
-- kind: scalar
-- returns: the equal-width bin of a confidence, from 1 to n; null where the confidence is not a probability
-- Bins are (lo, hi], the first closed at 0. An edge is the double k / n and is compared with <=, so 7/9 is in bin 7
-- of 9: neither a ceiling of conf * n nor a ladder of added steps puts every such value right, so the ceiling is
-- only a first guess that the two comparisons correct.
-- example: SELECT conf_bin(7 / 9, 9) AS seventh, conf_bin(0.3, 10) AS third, conf_bin(0, 10) AS first
CREATE OR REPLACE MACRO conf_bin(conf, n) AS
CASE
    WHEN NOT expected(is_whole(n, 1), 'n_bins', n, 'a whole number of at least 1') THEN NULL
    WHEN conf_ok(conf) THEN greatest(
        1,
        ceil(conf::DOUBLE * n)::BIGINT
        - (conf::DOUBLE <= (ceil(conf::DOUBLE * n) - 1) / n)::BIGINT
        + (conf::DOUBLE > ceil(conf::DOUBLE * n) / n)::BIGINT
    )
END;
