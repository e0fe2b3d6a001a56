-- macro: is_correct
-- kind: scalar
-- internal
-- returns: the outcome as a boolean; null stays null
-- Takes booleans and the numbers 0 and 1. Anything else, such as a partial score, raises an error and is not
-- rounded.
-- example: SELECT is_correct(1) AS yes, is_correct(false) AS no
CREATE OR REPLACE MACRO is_correct(correct) AS
CASE
    WHEN correct IS NULL THEN NULL
    WHEN correct::DOUBLE IN (0, 1) THEN correct::DOUBLE = 1
    ELSE error(concat('correct is ', correct, ': expected true, false, 1 or 0'))
END;
