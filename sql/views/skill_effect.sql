-- view: skill_effect
-- grain: model, dataset, signal, contrast, skill_subset
-- Does a skill change how right a model is, and does its confidence change with it? Paired by question: for every
-- question with a usable row under both conditions, the mean of its rows with the skill less that of direct. Change in
-- accuracy, confidence and bias stand side by side; standard error sd / sqrt(n_pairs), interval and p by Student's t.
-- skill_subset splits the pairs by whether the skill supplied is one annotated for the question; the pairs of a subset
-- are questions the model chose well or badly for, so a difference between subsets is not an effect of annotation.
-- Comparisons are inside one model. Bias and Brier score are null where the confidence is not a probability.
-- example: SELECT model, dataset, d_accuracy, d_confidence, d_bias FROM skill_effect WHERE signal = 'tf'
-- column contrast: which condition minus which
-- column skill_subset: all pairs; annotated: the skill supplied is annotated for the question; not_annotated: it is not
-- column n_pairs: questions with a usable row under both conditions
-- column n_direct_only: questions with a usable row under direct alone
-- column n_skill_only: questions with a usable row under the other condition alone
-- column d_accuracy: mean change in accuracy
-- column d_confidence: mean change in confidence, in the signal's own unit: nats for entropies, whose sign is turned
-- column d_bias: mean change in confidence minus accuracy; above 0 the skill makes the model more over-confident
-- column d_brier: mean change in Brier score; below 0 is better
-- column n_same_sign: pairs whose accuracy and confidence both rise or both fall
-- column n_opposite_sign: pairs of which one rises and the other falls
-- column sign_agreement: n_same_sign / (n_same_sign + n_opposite_sign)
-- column pearson_r: correlation over pairs of the change in accuracy with the change in confidence
-- column pearson_reason: why pearson_r is null
CREATE OR REPLACE VIEW skill_effect AS
WITH
_sides AS (
    SELECT
        c.source,
        c.model,
        c.dataset,
        c.condition,
        c.signal,
        q.question_id,
        c.is_probability,
        CASE WHEN c.is_probability THEN q.n_in_range ELSE q.n_correct + q.n_wrong END AS n,
        CASE WHEN c.is_probability THEN q.n_correct_in_range ELSE q.n_correct END / n AS accuracy,
        CASE WHEN c.is_probability THEN q.confidence_sum ELSE q.score_sum END / n AS confidence,
        CASE WHEN c.is_probability THEN q.brier_sum END / n AS brier
    FROM confidence_clusters AS q
    INNER JOIN confidence_cells AS c ON q.cell = c.cell
    WHERE n > 0
),

_compared AS (
    SELECT DISTINCT
        source,
        model,
        dataset,
        condition,
        base_condition
    FROM skill_conditions
),

_contrasts AS (
    SELECT
        k.*,
        s.signal
    FROM _compared AS k
    INNER JOIN confidence_cells AS d
        ON k.source = d.source AND k.model = d.model AND k.dataset = d.dataset AND k.base_condition = d.condition
    INNER JOIN confidence_cells AS s
        ON
            k.source = s.source
            AND k.model = s.model
            AND k.dataset = s.dataset
            AND k.condition = s.condition
            AND d.signal = s.signal
),

_base AS (
    SELECT
        k.condition AS skill_condition,
        d.*
    FROM _sides AS d
    INNER JOIN _contrasts AS k
        ON
            d.source = k.source
            AND d.model = k.model
            AND d.dataset = k.dataset
            AND d.signal = k.signal
            AND d.condition = k.base_condition
),

_skilled AS (
    SELECT
        k.base_condition,
        s.*
    FROM _sides AS s
    INNER JOIN _contrasts AS k
        ON
            s.source = k.source
            AND s.model = k.model
            AND s.dataset = k.dataset
            AND s.signal = k.signal
            AND s.condition = k.condition
),

_questions AS (
    SELECT
        coalesce(s.source, d.source) AS source,
        coalesce(s.model, d.model) AS model,
        coalesce(s.dataset, d.dataset) AS dataset,
        coalesce(s.signal, d.signal) AS signal,
        coalesce(s.condition, d.skill_condition) AS condition,
        coalesce(s.base_condition, d.condition) AS base_condition,
        coalesce(s.question_id, d.question_id) AS question_id,
        d.n IS NOT NULL AS in_a,
        s.n IS NOT NULL AS in_b,
        s.accuracy - d.accuracy AS d_accuracy,
        s.confidence - d.confidence AS d_confidence,
        CASE WHEN s.is_probability THEN (s.confidence - s.accuracy) - (d.confidence - d.accuracy) END AS d_bias,
        s.brier - d.brier AS d_brier
    FROM _base AS d
    FULL JOIN _skilled AS s
        ON
            d.source = s.source
            AND d.model = s.model
            AND d.dataset = s.dataset
            AND d.signal = s.signal
            AND d.skill_condition = s.condition
            AND d.condition = s.base_condition
            AND d.question_id = s.question_id
),

_pairs AS (
    SELECT
        struct_pack(
            source := q.source,
            model := q.model,
            dataset := q.dataset,
            signal := q.signal,
            contrast := concat(q.condition, ' - ', q.base_condition),
            skill_subset := unnest(
                CASE
                    WHEN k.skill_is_annotated THEN ['all', 'annotated']
                    WHEN NOT k.skill_is_annotated THEN ['all', 'not_annotated']
                    ELSE ['all']
                END
            )
        ) AS cell,
        q.in_a,
        q.in_b,
        q.d_accuracy,
        q.d_confidence,
        q.d_bias,
        q.d_brier
    FROM _questions AS q
    LEFT JOIN skill_conditions AS k
        ON
            q.source = k.source
            AND q.model = k.model
            AND q.dataset = k.dataset
            AND q.condition = k.condition
            AND q.base_condition = k.base_condition
            AND q.question_id = k.question_id
)

SELECT
    cell.model,
    cell.dataset,
    cell.signal,
    cell.contrast,
    cell.skill_subset,
    n_pairs,
    n_a_only AS n_direct_only,
    n_b_only AS n_skill_only,
    d_accuracy,
    d_accuracy_se,
    d_accuracy_lo,
    d_accuracy_hi,
    d_accuracy_p,
    d_confidence,
    d_confidence_se,
    d_confidence_lo,
    d_confidence_hi,
    d_confidence_p,
    d_bias,
    d_bias_se,
    d_bias_lo,
    d_bias_hi,
    d_bias_p,
    d_brier,
    d_brier_se,
    d_brier_lo,
    d_brier_hi,
    d_brier_p,
    n_same_sign,
    n_opposite_sign,
    sign_agreement,
    pearson_r,
    d_accuracy_reason,
    d_confidence_reason,
    d_bias_reason,
    d_brier_reason,
    sign_agreement_reason,
    pearson_reason
FROM paired_figures_of('_pairs');
