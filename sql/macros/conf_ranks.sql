-- macro: conf_ranks
-- kind: scalar
-- returns: true where the confidence can be ranked: neither null nor NaN
-- Rank statistics take logits and entropies too, so the range does not matter to them.
-- example: SELECT conf_ranks(-3.2) AS usable, conf_ranks(NULL) AS not_usable
CREATE OR REPLACE MACRO conf_ranks(conf) AS coalesce(NOT isnan(conf::DOUBLE), false);
