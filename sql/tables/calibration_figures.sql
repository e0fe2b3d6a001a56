-- table: calibration_figures
-- grain: cell, rows_used
-- The figures of every cell over all its rows, and of every cell that has cap-repaired rows once more without them.
WITH
_kept AS MATERIALIZED (
    SELECT o.*
    FROM confidence_observations AS o
    INNER JOIN confidence_cells AS c ON o.cell = c.cell
    WHERE c.n_cap_repair > 0 AND o.cap_repair IS DISTINCT FROM true
),

_kept_counts AS (FROM row_counts('_kept')),

_kept_cells AS (
    SELECT
        c.cell,
        c.is_probability,
        coalesce(k.n_in_range, 0) AS n_in_range,
        coalesce(k.n_out_of_range, 0) AS n_out_of_range
    FROM confidence_cells AS c
    LEFT JOIN _kept_counts AS k ON c.cell = k.cell
    WHERE c.n_cap_repair > 0
),

_kept_groups AS MATERIALIZED (FROM score_groups('_kept')),

_kept_sums AS (FROM question_sums('_kept')),

_kept_placements AS (FROM question_placements('_kept', '_kept_groups')),

_kept_clusters AS MATERIALIZED (
    SELECT
        s.*,
        p.wrong_above_correct,
        p.correct_above_wrong
    FROM _kept_sums AS s
    INNER JOIN _kept_placements AS p ON s.cell = p.cell AND s.question_id = p.question_id
),

_figures AS (
    SELECT
        'all' AS rows_used,
        *
    FROM calibration_figures_of('confidence_cells', 'confidence_groups', 'confidence_clusters')
    UNION ALL
    SELECT
        'without_cap_repair' AS rows_used,
        *
    FROM calibration_figures_of('_kept_cells', '_kept_groups', '_kept_clusters')
)

SELECT
    c.source,
    c.model,
    f.cell,
    f.rows_used,
    f.n,
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
    f.ece_equal_mass,
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
    f.auroc,
    f.auroc_se,
    f.auroc_lo,
    f.auroc_hi,
    f.average_precision,
    f.aurc,
    f.e_aurc,
    f.augrc,
    f.prr,
    f.calibration_reason,
    f.brier_skill_reason,
    f.spiegelhalter_reason,
    f.auroc_reason,
    f.average_precision_reason,
    f.aurc_reason,
    f.prr_reason,
    f.accuracy_se_reason,
    f.auroc_se_reason
FROM _figures AS f
INNER JOIN confidence_cells AS c ON f.cell = c.cell;
