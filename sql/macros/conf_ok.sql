-- macro: conf_ok
-- kind: scalar
-- returns: true where the confidence is a probability; false for null, NaN and anything outside [0, 1]
-- NaN is the largest number in DuckDB, so only BETWEEN keeps it out.
-- example: SELECT conf_ok(0.3) AS usable, conf_ok('NaN'::DOUBLE) AS not_usable
CREATE OR REPLACE MACRO conf_ok(conf) AS coalesce(conf::DOUBLE BETWEEN 0 AND 1, false);
