-- macro: is_clipped
-- kind: scalar
-- internal
-- returns: true where the clip decides the log loss of the row: the side that is penalised was moved
-- example: SELECT is_clipped(0, true) AS yes, is_clipped(0, false) AS no
CREATE OR REPLACE MACRO is_clipped(conf, is_right, eps := 2.220446049250313e-16) AS
CASE
    WHEN NOT expected(eps::DOUBLE >= 0 AND eps::DOUBLE < 0.5, 'eps', eps, 'a number of at least 0 and below 0.5')
        THEN NULL
    WHEN is_right THEN conf::DOUBLE < eps
    WHEN NOT is_right THEN conf::DOUBLE > 1 - eps
END;
