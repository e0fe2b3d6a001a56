-- picture: reliability
-- title: Reliability diagrams
-- shows: In each tenth of the confidence, how often the answer is right: dots on the diagonal are well calibrated, dots
--     below it are over-confident. Whiskers are 95 % Wilson intervals on the effective number of rows; bars count rows.
-- hides: Not whether two models differ: the whiskers are of one bin each, and few rows make wide ones.
SELECT
    source,
    model,
    dataset,
    condition,
    signal,
    bin,
    n,
    mean_confidence,
    accuracy,
    accuracy_lo,
    accuracy_hi
FROM reliability_diagram
WHERE n > 0
ORDER BY source, model, dataset, condition, signal, bin;
