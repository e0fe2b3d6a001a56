-- macro: clustered_mean
-- kind: table
-- returns: one row a cell
-- Mean of a column over rows that come in clusters, the questions, with the standard error that allows for it (CR1,
-- Miller 2024) and Student's t with n_questions - 1 degrees of freedom. naive_se is what rows taken as independent
-- would give, and deff = (mean_se / naive_se)^2. Rows without a value are counted and left out of both sums.
-- parameter col: column to average: correct where not given; confidence, or any other numeric or boolean column
-- example: SELECT cell, mean, mean_se, deff FROM clustered_mean('t', col := 'confidence')
CREATE OR REPLACE MACRO clustered_mean(tbl, col := 'correct') AS TABLE
FROM clustered_mean_of(tbl, col)
WHERE (SELECT known FROM known_keys(tbl));
