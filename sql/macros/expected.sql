-- macro: expected
-- kind: scalar
-- internal
-- returns: true where `holds` is true; else an error that says what the argument is and what is wanted
-- How a macro refuses an argument. Over constants it is evaluated once, when the query is planned. A table macro has
-- it in a last branch without rows, `UNION ALL BY NAME SELECT NULL AS cell WHERE NOT expected(…)`, because a
-- condition inside the query is not looked at where no row gets so far.
-- example: SELECT expected(is_whole(5, 1), 'n_bins', 5, 'a whole number of at least 1') AS holds
CREATE OR REPLACE MACRO expected(holds, argument, given, wanted) AS
CASE
    WHEN holds THEN true
    ELSE error(concat(argument, ' is ', coalesce(given::VARCHAR, 'NULL'), ': expected ', wanted))
END;
