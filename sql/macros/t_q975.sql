-- macro: t_q975
-- kind: scalar
-- internal
-- returns: the 97.5 % quantile of Student's t: how many standard errors a 95 % interval reaches; null below one
-- From the table t_quantiles; degrees of freedom that are not in it by the expansion around the normal quantile
-- (Abramowitz and Stegun 26.7.5), which is right to 1e-12 from 200 on.
-- example: SELECT t_q975(222) AS q975
CREATE OR REPLACE MACRO t_q975(degrees) AS
CASE
    WHEN degrees < 1 THEN NULL
    ELSE coalesce(
        (
            SELECT q.q975
            FROM t_quantiles AS q
            WHERE q.df = degrees
        ),
        1.959963984540054
        + 2.372271230298562 / degrees
        + 2.822498615739611 / pow(degrees, 2)
        + 2.555849679507722 / pow(degrees, 3)
        + 1.589534053393823 / pow(degrees, 4)
    )
END;
