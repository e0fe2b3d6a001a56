-- macro: is_whole
-- kind: scalar
-- internal
-- returns: true for a finite number without a fraction and of at least `lowest`; false for anything else and null
-- example: SELECT is_whole(10, 1) AS yes, is_whole(2.5, 1) AS no, is_whole(NULL, 1) AS neither
CREATE OR REPLACE MACRO is_whole(x, lowest) AS
coalesce(isfinite(x::DOUBLE) AND x::DOUBLE >= lowest AND x::DOUBLE = floor(x::DOUBLE), false);
