-- view: cap_repair_sensitivity
-- grain: source, model, dataset, condition, signal, rows_used
-- The headline figures of every cell that has cap-repaired rows, over all its rows and without those. A cap-
-- repaired rollout was drawn again, with a presence penalty, after it hit the length cap; a row of agreement counts
-- as repaired when any of its nine rollouts was, because its share of matching answers rests on all nine.
-- example: SELECT model, dataset, condition, signal, n, auroc, auroc_change FROM cap_repair_sensitivity
-- column rows_used: all, or without_cap_repair
-- column n_cap_repair: cap-repaired rows of the cell, usable or not
CREATE OR REPLACE VIEW cap_repair_sensitivity AS
SELECT
    c.source,
    c.model,
    c.dataset,
    c.condition,
    c.signal,
    f.rows_used,
    c.cell,
    c.n_cap_repair,
    f.n,
    f.n_questions,
    f.accuracy,
    f.accuracy - w.accuracy AS accuracy_change,
    f.accuracy_se,
    f.accuracy_lo,
    f.accuracy_hi,
    f.mean_confidence,
    f.mean_confidence - w.mean_confidence AS mean_confidence_change,
    f.bias,
    f.bias - w.bias AS bias_change,
    f.bias_se,
    f.bias_lo,
    f.bias_hi,
    f.ece,
    f.ece - w.ece AS ece_change,
    f.brier,
    f.brier - w.brier AS brier_change,
    f.log_loss,
    f.auroc,
    f.auroc - w.auroc AS auroc_change,
    f.auroc_se,
    f.auroc_lo,
    f.auroc_hi,
    f.aurc,
    f.augrc,
    f.calibration_reason,
    f.auroc_reason,
    f.aurc_reason,
    f.accuracy_se_reason,
    f.auroc_se_reason
FROM calibration_figures AS f
INNER JOIN confidence_cells AS c ON f.cell = c.cell
INNER JOIN calibration_figures AS w ON f.cell = w.cell AND w.rows_used = 'all'
WHERE c.n_cap_repair > 0;
