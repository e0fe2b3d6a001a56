-- picture: calibration
-- title: The figures below each diagram
-- shows: Calibration errors, Brier score and AUROC of each signal, with 95 % intervals clustered by question.
-- hides: Not a ranking of models: each figure is of one cell, over the rows that cell has.
SELECT
    source,
    model,
    dataset,
    condition,
    signal,
    n,
    ece,
    ece_lo,
    ece_hi,
    smooth_ece,
    brier,
    brier_lo,
    brier_hi,
    auroc,
    auroc_lo,
    auroc_hi
FROM calibration_summary
WHERE is_probability
ORDER BY source, model, dataset, condition, signal;
