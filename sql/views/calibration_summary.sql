-- view: calibration_summary
-- grain: source, model, dataset, condition, signal
-- The figures of every cell: how right, how sure, how well calibrated and how well ranked. Calibration figures use
-- rows with a confidence in [0, 1] and exist only where the confidence is a probability; rank figures leave out
-- only null and NaN. Standard errors are clustered by question, intervals are 95 %: Student's t for means, the
-- logit scale for auroc, cluster bootstrap for ece and the aurc family. A figure that does not exist is null and a
-- reason says why. Nothing is pooled over cells: for a mean over cells take macro_mean and call it that.
-- example: SELECT model, dataset, accuracy, mean_confidence, ece, auroc FROM calibration_summary WHERE signal = 'tf'
-- column n_unjoined: rows, counted in n_null, to which no record was joined; null for signals that are not joined
-- column ece_se: standard error of ece by cluster bootstrap
-- column ece_lo: lower end of the 95 % percentile interval of ece, cluster bootstrap
-- column ece_hi: upper end of that interval
-- column ece_bootstrap_bias: mean of ece over bootstrap replicates less ece, above 0 because every replicate is noisier
CREATE OR REPLACE VIEW calibration_summary AS
WITH
_resampled AS (
    SELECT
        source,
        model,
        dataset,
        condition,
        signal,
        any_value(bootstrap_bias) FILTER (statistic = 'ece') AS ece_bootstrap_bias,
        any_value(se) FILTER (statistic = 'ece') AS ece_se,
        any_value(lo) FILTER (statistic = 'ece') AS ece_lo,
        any_value(hi) FILTER (statistic = 'ece') AS ece_hi,
        any_value(se) FILTER (statistic = 'aurc') AS aurc_se,
        any_value(lo) FILTER (statistic = 'aurc') AS aurc_lo,
        any_value(hi) FILTER (statistic = 'aurc') AS aurc_hi,
        any_value(se) FILTER (statistic = 'e_aurc') AS e_aurc_se,
        any_value(lo) FILTER (statistic = 'e_aurc') AS e_aurc_lo,
        any_value(hi) FILTER (statistic = 'e_aurc') AS e_aurc_hi,
        any_value(se) FILTER (statistic = 'augrc') AS augrc_se,
        any_value(lo) FILTER (statistic = 'augrc') AS augrc_lo,
        any_value(hi) FILTER (statistic = 'augrc') AS augrc_hi,
        any_value(se) FILTER (statistic = 'prr') AS prr_se,
        any_value(lo) FILTER (statistic = 'prr') AS prr_lo,
        any_value(hi) FILTER (statistic = 'prr') AS prr_hi
    FROM bootstrap_intervals
    GROUP BY source, model, dataset, condition, signal
)

SELECT
    c.source,
    c.model,
    c.dataset,
    c.condition,
    c.signal,
    c.cell,
    c.unit,
    c.is_probability,
    f.n,
    c.n_rows,
    c.n_null,
    c.n_nan,
    CASE WHEN c.is_probability THEN c.n_out_of_range ELSE 0 END AS n_out_of_range,
    u.n_unjoined,
    c.n_cap_repair,
    f.n_questions,
    f.n_correct,
    f.accuracy,
    f.accuracy_se,
    f.accuracy_lo,
    f.accuracy_hi,
    f.deff,
    f.mean_confidence,
    f.mean_confidence_se,
    f.mean_confidence_lo,
    f.mean_confidence_hi,
    f.bias,
    f.bias_se,
    f.bias_lo,
    f.bias_hi,
    f.ece,
    i.ece_se,
    i.ece_lo,
    i.ece_hi,
    i.ece_bootstrap_bias,
    f.ece_equal_mass,
    t.smooth_ece,
    f.mce,
    f.mce_n,
    f.rmsce,
    f.rmsce_debiased,
    f.overconfidence,
    f.underconfidence,
    f.brier,
    f.brier_se,
    f.brier_lo,
    f.brier_hi,
    f.reliability,
    f.resolution,
    f.uncertainty,
    f.within_bin_variance,
    f.within_bin_covariance,
    f.brier_skill,
    f.log_loss,
    f.log_loss_se,
    f.log_loss_lo,
    f.log_loss_hi,
    f.n_clipped,
    f.spiegelhalter_z,
    f.spiegelhalter_p,
    t.calibration_slope,
    t.calibration_intercept,
    t.intercept_in_the_large,
    t.temperature,
    f.auroc,
    f.auroc_se,
    f.auroc_lo,
    f.auroc_hi,
    f.average_precision,
    f.aurc,
    i.aurc_se,
    i.aurc_lo,
    i.aurc_hi,
    f.e_aurc,
    i.e_aurc_se,
    i.e_aurc_lo,
    i.e_aurc_hi,
    f.augrc,
    i.augrc_se,
    i.augrc_lo,
    i.augrc_hi,
    f.prr,
    i.prr_se,
    i.prr_lo,
    i.prr_hi,
    f.calibration_reason,
    f.brier_skill_reason,
    f.spiegelhalter_reason,
    f.auroc_reason,
    f.average_precision_reason,
    f.aurc_reason,
    f.prr_reason,
    f.accuracy_se_reason,
    f.auroc_se_reason
FROM confidence_cells AS c
INNER JOIN calibration_figures AS f ON c.cell = f.cell AND f.rows_used = 'all'
LEFT JOIN unjoined_counts AS u
    ON
        c.source = u.source
        AND c.model = u.model
        AND c.dataset = u.dataset
        AND c.condition = u.condition
        AND c.signal = u.signal
LEFT JOIN _resampled AS i
    ON
        c.source = i.source
        AND c.model = i.model
        AND c.dataset = i.dataset
        AND c.condition = i.condition
        AND c.signal = i.signal
LEFT JOIN calibration_fits AS t
    ON
        c.source = t.source
        AND c.model = t.model
        AND c.dataset = t.dataset
        AND c.condition = t.condition
        AND c.signal = t.signal;
