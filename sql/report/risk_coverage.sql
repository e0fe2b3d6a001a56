-- picture: risk_coverage
-- title: Risk–coverage curves
-- shows: How often an answer is wrong if only the surest share of all answers is given; lower is better.
-- hides: Not where to put a threshold for other questions, and not whether a confidence is calibrated: only its order
--     counts.
SELECT
    source,
    model,
    dataset,
    condition,
    signal,
    coverage,
    selective_risk
FROM risk_coverage_curve
ORDER BY source, model, dataset, condition, signal, coverage;
