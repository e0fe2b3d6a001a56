-- view: sra_confidence_observations
-- grain: cell, unit_id
-- SRA's six confidence signals as observations. Agreement has one row a question-condition and is never copied onto
-- rollouts; its outcome is the native answer's. The others have one row a rollout. A signal that does not apply to
-- a cell, or was withheld, has no rows; a value that should be there and is not (null, NaN, not joined) is a row
-- without a usable confidence, and is counted.
-- column unit: question_condition (agreement) or rollout (all others)
-- column unit_id: instance_id, with '/' and the sample behind it for a rollout
-- column confidence: agreement: agreement_recomputed; ab and tf: p(correct); entropy_*: minus the mean entropy of the
--   whole generation, of the answer span or of its numeric tokens
CREATE OR REPLACE VIEW sra_confidence_observations AS
WITH
_cells AS (
    SELECT
        model,
        dataset,
        condition,
        signal,
        cell_name('sra', model, dataset, condition, signal) AS cell
    FROM signal_coverage
    WHERE status NOT IN ('not_applicable', 'withheld')
),

_repaired AS (
    SELECT
        model,
        dataset,
        condition,
        instance_id,
        bool_or(cap_repair) AS cap_repair
    FROM rollouts
    GROUP BY model, dataset, condition, instance_id
)

SELECT
    c.cell,
    'sra' AS source,
    q.model,
    q.dataset,
    q.condition,
    c.signal,
    'question_condition' AS unit,
    q.instance_id AS unit_id,
    q.instance_id AS question_id,
    q.agreement_recomputed AS confidence,
    true AS is_probability,
    q.native_correct AS correct,
    r.cap_repair
FROM question_conditions AS q
INNER JOIN _cells AS c
    ON q.model = c.model AND q.dataset = c.dataset AND q.condition = c.condition
LEFT JOIN _repaired AS r
    ON
        q.model = r.model
        AND q.dataset = r.dataset
        AND q.condition = r.condition
        AND q.instance_id = r.instance_id
WHERE c.signal = 'agreement'
UNION ALL
SELECT
    c.cell,
    'sra' AS source,
    r.model,
    r.dataset,
    r.condition,
    c.signal,
    'rollout' AS unit,
    concat(r.instance_id, '/', r.sample) AS unit_id,
    r.instance_id AS question_id,
    CASE c.signal
        WHEN 'ab' THEN r.ab_p_correct
        WHEN 'tf' THEN r.tf_p_correct
        WHEN 'entropy_whole' THEN -r.entropy_mean
        WHEN 'entropy_answer' THEN -r.answer_entropy_mean
        WHEN 'entropy_numeric' THEN -r.numeric_entropy_mean
    END AS confidence,
    c.signal IN ('ab', 'tf') AS is_probability,
    r.correct,
    r.cap_repair
FROM rollouts AS r
INNER JOIN _cells AS c
    ON r.model = c.model AND r.dataset = c.dataset AND r.condition = c.condition
WHERE c.signal <> 'agreement';
