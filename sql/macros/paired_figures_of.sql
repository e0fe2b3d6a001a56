-- macro: paired_figures_of
-- kind: table
-- internal
-- returns: one row a cell of `pairs`
-- Means of differences over questions with standard error, interval and p-value, and whether accuracy and
-- confidence move together. `pairs` names a relation with a row a cell and question: in_a, in_b (whether each side
-- has a usable row) and d_accuracy, d_confidence, d_bias, d_brier, which are null unless both have.
-- example: WITH p AS (SELECT 'c' AS cell, true AS in_a, true AS in_b, 0.1 AS d_accuracy, 0.2 AS d_confidence,
--   0.1 AS d_bias, 0.0 AS d_brier) FROM paired_figures_of('p')
CREATE OR REPLACE MACRO paired_figures_of(pairs) AS TABLE
WITH
_means AS (
    SELECT
        cell,
        count(*) FILTER (in_a AND in_b) AS n_pairs,
        count(*) FILTER (in_a AND NOT in_b) AS n_a_only,
        count(*) FILTER (in_b AND NOT in_a) AS n_b_only,
        ordered_mean(d_accuracy) AS d_accuracy,
        ordered_mean(d_confidence) AS d_confidence,
        ordered_mean(d_bias) AS d_bias,
        ordered_mean(d_brier) AS d_brier,
        count(*) FILTER (sign(d_accuracy) * sign(d_confidence) > 0) AS n_same_sign,
        count(*) FILTER (sign(d_accuracy) * sign(d_confidence) < 0) AS n_opposite_sign
    FROM query_table(pairs)
    GROUP BY cell
),

_errors AS (
    SELECT
        p.cell,
        difference_se(p.d_accuracy, m.d_accuracy) AS d_accuracy_se,
        difference_se(p.d_confidence, m.d_confidence) AS d_confidence_se,
        difference_se(p.d_bias, m.d_bias) AS d_bias_se,
        difference_se(p.d_brier, m.d_brier) AS d_brier_se,
        ordered_sum((p.d_accuracy - m.d_accuracy) * (p.d_confidence - m.d_confidence)) AS products
    FROM query_table(pairs) AS p
    INNER JOIN _means AS m ON p.cell = m.cell
    WHERE p.in_a AND p.in_b
    GROUP BY p.cell
),

_figures AS (
    SELECT
        _means.*,
        _errors.* EXCLUDE (cell),
        t_q975(n_pairs - 1) AS t_reach
    FROM _means
    LEFT JOIN _errors ON _means.cell = _errors.cell
)

SELECT
    cell,
    n_pairs,
    n_a_only,
    n_b_only,
    d_accuracy,
    d_accuracy_se,
    d_accuracy - t_reach * d_accuracy_se AS d_accuracy_lo,
    d_accuracy + t_reach * d_accuracy_se AS d_accuracy_hi,
    student_p(d_accuracy / nullif(d_accuracy_se, 0), n_pairs - 1) AS d_accuracy_p,
    d_confidence,
    d_confidence_se,
    d_confidence - t_reach * d_confidence_se AS d_confidence_lo,
    d_confidence + t_reach * d_confidence_se AS d_confidence_hi,
    student_p(d_confidence / nullif(d_confidence_se, 0), n_pairs - 1) AS d_confidence_p,
    d_bias,
    d_bias_se,
    d_bias - t_reach * d_bias_se AS d_bias_lo,
    d_bias + t_reach * d_bias_se AS d_bias_hi,
    student_p(d_bias / nullif(d_bias_se, 0), n_pairs - 1) AS d_bias_p,
    d_brier,
    d_brier_se,
    d_brier - t_reach * d_brier_se AS d_brier_lo,
    d_brier + t_reach * d_brier_se AS d_brier_hi,
    student_p(d_brier / nullif(d_brier_se, 0), n_pairs - 1) AS d_brier_p,
    n_same_sign,
    n_opposite_sign,
    n_same_sign / nullif(n_same_sign + n_opposite_sign, 0) AS sign_agreement,
    CASE
        WHEN n_pairs < 3 OR d_accuracy_se * d_confidence_se = 0 THEN NULL
        ELSE greatest(
            -1.0, least(1.0, products / (d_accuracy_se * d_confidence_se * n_pairs * (n_pairs - 1)))
        )
    END AS pearson_r,
    difference_reason(n_pairs, d_accuracy_se) AS d_accuracy_reason,
    difference_reason(n_pairs, d_confidence_se) AS d_confidence_reason,
    CASE
        WHEN n_pairs > 0 AND d_bias IS NULL THEN 'not_a_probability'
        ELSE difference_reason(n_pairs, d_bias_se)
    END AS d_bias_reason,
    CASE
        WHEN n_pairs > 0 AND d_brier IS NULL THEN 'not_a_probability'
        ELSE difference_reason(n_pairs, d_brier_se)
    END AS d_brier_reason,
    CASE WHEN sign_agreement IS NULL THEN 'no_change' END AS sign_agreement_reason,
    CASE
        WHEN n_pairs < 3 THEN 'too_few_pairs'
        WHEN pearson_r IS NULL THEN 'constant_signal'
    END AS pearson_reason
FROM _figures;
