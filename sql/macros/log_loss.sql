-- macro: log_loss
-- kind: scalar
-- returns: mean log loss, natural logarithm [nats]; null without a usable row
-- An aggregate, for any GROUP BY. A confidence is moved into [eps, 1 - eps] first, because the logarithm of 0 is
-- infinite; eps is 2^-52 where not given, and n_clipped counts the rows that this decides.
-- example: SELECT log_loss(confidence, correct) AS log_loss, n_clipped(confidence, correct) AS n_clipped FROM t
CREATE OR REPLACE MACRO log_loss(conf, correct, eps := 2.220446049250313e-16) AS (
    exact_sum(log_loss_of_row(usable_conf(conf, correct), is_correct(correct), eps := eps))
    / nullif(count(usable_conf(conf, correct)), 0)
);
