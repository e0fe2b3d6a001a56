-- macro: calibration_figures_of
-- kind: table
-- internal
-- returns: one row a cell
-- Every figure of a cell, with its standard error, interval and reason, from the three published parts: `cells`,
-- `groups` and `clusters` name relations like confidence_cells, confidence_groups and confidence_clusters.
-- example: FROM calibration_figures_of('confidence_cells', 'confidence_groups', 'confidence_clusters')
CREATE OR REPLACE MACRO calibration_figures_of(cells, groups, clusters) AS TABLE
WITH
_cells AS (
    SELECT
        *,
        CASE WHEN is_probability THEN n_in_range ELSE n_in_range + n_out_of_range END AS n
    FROM query_table(cells)
),

_probabilities AS (
    SELECT g.*
    FROM query_table(groups) AS g
    INNER JOIN _cells AS c ON g.cell = c.cell
    WHERE c.is_probability
),

_sums AS (
    SELECT
        q.cell,
        q.question_id,
        CASE WHEN c.is_probability THEN q.n_in_range ELSE q.n_correct + q.n_wrong END AS n,
        CASE WHEN c.is_probability THEN q.n_correct_in_range ELSE q.n_correct END AS n_correct,
        CASE WHEN c.is_probability THEN q.confidence_sum END AS confidence_sum,
        CASE WHEN c.is_probability THEN q.brier_sum END AS brier_sum,
        CASE WHEN c.is_probability THEN q.log_loss_sum END AS log_loss_sum
    FROM query_table(clusters) AS q
    INNER JOIN _cells AS c ON q.cell = c.cell
    WHERE CASE WHEN c.is_probability THEN q.n_in_range ELSE q.n_correct + q.n_wrong END > 0
),

_wide AS (FROM binned_groups('_probabilities', 10, 'equal_width')),

_wide_bins AS (FROM bin_sums('_wide')),

_heavy AS (FROM binned_groups('_probabilities', 10, 'equal_mass')),

_heavy_bins AS (FROM bin_sums('_heavy')),

_scores AS (FROM proper_scores_of('_probabilities')),

_binned AS (FROM calibration_error_of('_wide_bins')),

_binned_by_mass AS (FROM calibration_error_of('_heavy_bins')),

_means AS (FROM cluster_errors_of('_sums')),

_ranks AS (FROM rank_figures_of(groups)),

_rank_errors AS (FROM auroc_se_of(clusters))

SELECT
    c.cell,
    c.n,
    coalesce(m.n_questions, 0) AS n_questions,
    coalesce(m.n_correct, 0) AS n_correct,
    m.accuracy,
    m.accuracy_se,
    m.accuracy - m.t_reach * m.accuracy_se AS accuracy_lo,
    m.accuracy + m.t_reach * m.accuracy_se AS accuracy_hi,
    m.deff,
    m.mean_confidence,
    m.mean_confidence_se,
    m.mean_confidence - m.t_reach * m.mean_confidence_se AS mean_confidence_lo,
    m.mean_confidence + m.t_reach * m.mean_confidence_se AS mean_confidence_hi,
    m.bias,
    m.bias_se,
    m.bias - m.t_reach * m.bias_se AS bias_lo,
    m.bias + m.t_reach * m.bias_se AS bias_hi,
    b.ece,
    h.ece AS ece_equal_mass,
    b.mce,
    b.mce_n,
    b.rmsce,
    b.rmsce_debiased,
    b.overconfidence,
    b.underconfidence,
    s.brier,
    m.brier_se,
    s.brier - m.t_reach * m.brier_se AS brier_lo,
    s.brier + m.t_reach * m.brier_se AS brier_hi,
    b.reliability,
    b.resolution,
    b.uncertainty,
    b.within_bin_variance,
    b.within_bin_covariance,
    1 - s.brier / nullif(b.uncertainty, 0) AS brier_skill,
    s.log_loss,
    m.log_loss_se,
    s.log_loss - m.t_reach * m.log_loss_se AS log_loss_lo,
    s.log_loss + m.t_reach * m.log_loss_se AS log_loss_hi,
    s.n_clipped,
    s.spiegelhalter_z,
    normal_p(s.spiegelhalter_z) AS spiegelhalter_p,
    r.auroc,
    e.auroc_se,
    e.auroc_lo,
    e.auroc_hi,
    r.average_precision,
    r.aurc,
    r.e_aurc,
    r.augrc,
    r.prr,
    CASE WHEN NOT c.is_probability THEN 'not_a_probability' WHEN c.n = 0 THEN 'empty' END AS calibration_reason,
    CASE
        WHEN NOT c.is_probability THEN 'not_a_probability'
        ELSE undefined_reason(nullif(b.uncertainty, 0), s.n, 'one_class')
    END AS brier_skill_reason,
    CASE
        WHEN NOT c.is_probability THEN 'not_a_probability'
        ELSE undefined_reason(s.spiegelhalter_z, s.n, 'degenerate_expectation')
    END AS spiegelhalter_reason,
    undefined_reason(r.auroc, r.n, 'one_class') AS auroc_reason,
    undefined_reason(r.average_precision, r.n, 'none_correct') AS average_precision_reason,
    undefined_reason(r.aurc, r.n, NULL) AS aurc_reason,
    undefined_reason(r.prr, r.n, 'one_class') AS prr_reason,
    CASE
        WHEN c.n = 0 THEN 'empty'
        WHEN m.accuracy_se = 0 THEN 'zero_variance'
        ELSE m.se_reason
    END AS accuracy_se_reason,
    coalesce(e.auroc_se_reason, undefined_reason(1, r.n, NULL)) AS auroc_se_reason
FROM _cells AS c
LEFT JOIN _means AS m ON c.cell = m.cell
LEFT JOIN _binned AS b ON c.cell = b.cell
LEFT JOIN _binned_by_mass AS h ON c.cell = h.cell
LEFT JOIN _scores AS s ON c.cell = s.cell
LEFT JOIN _ranks AS r ON c.cell = r.cell
LEFT JOIN _rank_errors AS e ON c.cell = e.cell;
