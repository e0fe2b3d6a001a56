-- macro: usable_conf
-- kind: scalar
-- internal
-- returns: the confidence where a calibration figure may use the row, else null
-- A row is usable where its confidence is a probability and its outcome is known. Nothing is clipped.
-- example: SELECT usable_conf(confidence, correct) AS used FROM t
CREATE OR REPLACE MACRO usable_conf(conf, correct) AS
CASE WHEN conf_ok(conf) AND correct IS NOT NULL THEN conf::DOUBLE END;
