-- macro: log_loss_of_row
-- kind: scalar
-- internal
-- returns: minus the natural logarithm of the probability given to what happened [nats]
-- The confidence is moved into [eps, 1 - eps] first, because the logarithm of 0 is infinite. By default eps is
-- 2^-52.
-- example: SELECT log_loss_of_row(0.8, true) AS nats
CREATE OR REPLACE MACRO log_loss_of_row(conf, is_right, eps := 2.220446049250313e-16) AS
CASE
    WHEN NOT expected(eps::DOUBLE >= 0 AND eps::DOUBLE < 0.5, 'eps', eps, 'a number of at least 0 and below 0.5')
        THEN NULL
    WHEN conf IS NULL THEN NULL
    WHEN is_right THEN -ln(greatest(eps, least(1 - eps, conf::DOUBLE)))
    WHEN NOT is_right THEN -ln(1 - greatest(eps, least(1 - eps, conf::DOUBLE)))
END;
