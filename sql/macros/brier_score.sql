-- macro: brier_score
-- kind: scalar
-- returns: mean squared difference between confidence and outcome; null without a usable row
-- An aggregate, for any GROUP BY. Rows whose confidence is not in [0, 1] or whose outcome is null are left out.
-- example: SELECT brier_score(confidence, correct) AS brier FROM t
CREATE OR REPLACE MACRO brier_score(conf, correct) AS (
    exact_sum(pow(usable_conf(conf, correct) - is_correct(correct)::INTEGER, 2))
    / nullif(count(usable_conf(conf, correct)), 0)
);
