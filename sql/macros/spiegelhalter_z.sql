-- macro: spiegelhalter_z
-- kind: scalar
-- returns: Spiegelhalter's z; null where every confidence is 0, 0.5 or 1
-- An aggregate, for any GROUP BY: sum (y - c)(1 - 2c) over the square root of sum (1 - 2c)^2 c(1 - c). It takes
-- rows as independent, which nine rollouts of one question are not. Its two-sided p-value is normal_p(z).
-- example: SELECT spiegelhalter_z(confidence, correct) AS z, normal_p(z) AS p FROM t
CREATE OR REPLACE MACRO spiegelhalter_z(conf, correct) AS (
    ordered_sum(
        (is_correct(correct)::INTEGER - usable_conf(conf, correct)) * (1 - 2 * usable_conf(conf, correct))
    )
    / nullif(
        sqrt(
            ordered_sum(
                pow(1 - 2 * usable_conf(conf, correct), 2)
                * usable_conf(conf, correct) * (1 - usable_conf(conf, correct))
            )
        ),
        0
    )
);
