-- picture: coverage
-- title: What is there, and what is not
-- shows: For every model, condition and signal, how many data sets have it whole, in part, or not at all, and why.
-- hides: Not whether a signal that is present is any good.
SELECT
    model,
    condition,
    signal,
    status,
    count(*) AS n_datasets,
    sum(n_present)::BIGINT AS n_present,
    sum(n_expected)::BIGINT AS n_expected,
    string_agg(DISTINCT reason, ' ' ORDER BY reason) AS reason
FROM signal_coverage
GROUP BY model, condition, signal, status
ORDER BY model, condition, signal, status;
