-- view: entropy_by_span
-- source: sra
-- grain: model, dataset, condition, span
-- How well the entropies of a span tell right rollouts from wrong ones, inside one model, data set and condition:
-- AUROC of minus the mean, the median, the 90 % quantile, the largest and the share above 0.5 nats. A few tokens
-- own the mean, so the rank figures stand beside it. The medians of the levels are for reading one model; levels of
-- two models do not compare, and no view averages them over models.
-- example: SELECT dataset, span, auroc_mean, auroc_p90, auroc_max FROM entropy_by_span WHERE condition = 'direct'
-- column n: rollouts that have the span
-- column accuracy: share of the n that are right
-- column auroc_mean: AUROC of minus the mean entropy against correctness
-- column auroc_reason: why the AUROCs are null: empty or one_class
-- column auroc_mean_se_reason: why auroc_mean has no standard error or no interval
CREATE OR REPLACE VIEW entropy_by_span AS
SELECT
    s.model,
    s.dataset,
    s.condition,
    s.span,
    s.n,
    s.n_without_span,
    coalesce(f.n_questions, 0) AS n_questions,
    coalesce(f.n_correct, 0) AS n_correct,
    f.accuracy,
    s.n_tokens,
    f.auroc AS auroc_mean,
    f.auroc_se AS auroc_mean_se,
    f.auroc_lo AS auroc_mean_lo,
    f.auroc_hi AS auroc_mean_hi,
    s.auroc_median,
    s.auroc_p90,
    s.auroc_max,
    s.auroc_share_above_0_5,
    s.median_of_mean,
    s.median_of_median,
    s.median_of_p90,
    s.median_of_max,
    s.median_of_share_above_0_5,
    CASE WHEN s.n = 0 THEN 'empty' ELSE f.auroc_reason END AS auroc_reason,
    CASE WHEN s.n = 0 THEN 'empty' ELSE f.auroc_se_reason END AS auroc_mean_se_reason
FROM entropy_span_figures AS s
LEFT JOIN calibration_figures AS f
    ON
        f.rows_used = 'all'
        AND f.cell = cell_name('sra', s.model, s.dataset, s.condition, concat('entropy_', s.span));
