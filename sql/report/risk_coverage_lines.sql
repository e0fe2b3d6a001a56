-- picture: risk_coverage_lines
-- title: Oracle and random line
-- shows: The best curve that any order of the same rows could have, and the one that a random order expects.
-- hides: Not a bound on other rows: both lines follow from the error rate of these.
SELECT
    source,
    model,
    dataset,
    condition,
    signal,
    coverage,
    oracle_risk,
    random_risk
FROM risk_coverage_reference
ORDER BY source, model, dataset, condition, signal, coverage;
