-- macro: sigmoid
-- kind: scalar
-- returns: 1 / (1 + exp(-x)): the probability of a log-odds
-- example: SELECT sigmoid(1.6) AS p
CREATE OR REPLACE MACRO sigmoid(x) AS 1 / (1 + exp(-x::DOUBLE));
