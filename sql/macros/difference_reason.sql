-- macro: difference_reason
-- kind: scalar
-- internal
-- returns: why a mean difference or its p-value is null; null where neither is
-- example: SELECT difference_reason(1, NULL) AS reason
CREATE OR REPLACE MACRO difference_reason(n_pairs, se) AS
CASE
    WHEN n_pairs = 0 THEN 'too_few_pairs'
    WHEN n_pairs = 1 THEN 'one_question'
    WHEN se = 0 THEN 'zero_variance'
END;
