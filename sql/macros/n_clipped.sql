-- macro: n_clipped
-- kind: scalar
-- returns: how many usable rows have a log loss that the clip decides
-- An aggregate, for any GROUP BY. Where it is not 0 the log loss says more about eps than about the model.
-- example: SELECT n_clipped(confidence, correct) AS n_clipped FROM t
CREATE OR REPLACE MACRO n_clipped(conf, correct, eps := 2.220446049250313e-16) AS
count(*) FILTER (is_clipped(usable_conf(conf, correct), is_correct(correct), eps := eps));
