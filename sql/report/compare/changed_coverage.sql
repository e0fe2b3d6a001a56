-- picture: changed_coverage
-- title: Coverage that changed
-- of: coverage
-- shows: Where the number of data sets of a status, or the number of values present, is another one.
-- hides: Not which data set it is: ask signal_coverage.
SELECT
    coalesce(a.model, b.model) AS model,
    coalesce(a.condition, b.condition) AS condition,
    coalesce(a.signal, b.signal) AS signal,
    coalesce(a.status, b.status) AS status,
    coalesce(b.n_datasets, 0) AS n_datasets_before,
    coalesce(a.n_datasets, 0) AS n_datasets_after,
    coalesce(b.n_present, 0) AS n_present_before,
    coalesce(a.n_present, 0) AS n_present_after
FROM after AS a
FULL JOIN before AS b
    ON a.model = b.model AND a.condition = b.condition AND a.signal = b.signal AND a.status = b.status
WHERE a.n_datasets IS DISTINCT FROM b.n_datasets OR a.n_present IS DISTINCT FROM b.n_present
ORDER BY ALL;
