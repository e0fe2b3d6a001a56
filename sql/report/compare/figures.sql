-- picture: figures
-- title: Figures of a version
-- shows: The headline figures of every cell.
-- hides: Not their intervals.
SELECT
    source,
    model,
    dataset,
    condition,
    signal,
    n::DOUBLE AS n,
    accuracy,
    mean_confidence,
    ece,
    brier,
    auroc,
    aurc
FROM calibration_summary
ORDER BY source, model, dataset, condition, signal;
