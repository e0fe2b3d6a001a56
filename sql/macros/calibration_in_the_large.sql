-- macro: calibration_in_the_large
-- kind: scalar
-- returns: mean confidence minus accuracy, above 0 where over-confident; null without a usable row
-- An aggregate, for any GROUP BY: the figure that the views call bias.
-- example: SELECT calibration_in_the_large(confidence, correct) AS bias FROM t
CREATE OR REPLACE MACRO calibration_in_the_large(conf, correct) AS (
    exact_sum(usable_conf(conf, correct) - is_correct(correct)::INTEGER)
    / nullif(count(usable_conf(conf, correct)), 0)
);
