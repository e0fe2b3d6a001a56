-- picture: risk_figures
-- title: The figures below each curve
-- shows: The area under each curve, and how far it is above the oracle's, with 95 % intervals by cluster bootstrap.
-- hides: Not a comparison across cells with other error rates: the area falls where accuracy rises.
SELECT
    source,
    model,
    dataset,
    condition,
    signal,
    n,
    aurc,
    aurc_lo,
    aurc_hi,
    e_aurc,
    e_aurc_lo,
    e_aurc_hi
FROM calibration_summary
ORDER BY source, model, dataset, condition, signal;
