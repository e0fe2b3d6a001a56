-- view: grace_confidence_observations
-- grain: run: question x model x clue
-- GRACE's model runs as observations of confidence: after each clue a guess, whether it is right, and how sure the
-- model is. Rows without a usable confidence are there with a null one. Empty where no run files were given.
-- column cell: source/model/dataset/condition/signal
-- column source: grace
-- column model: the model's key in the run files
-- column dataset: grace
-- column condition: clue: the question is heard clue by clue
-- column signal: verbalized (the model states a probability) or logprob (exp of the log-probability of its guess)
-- column unit: clue
-- column unit_id: packet/ordinal/clue
-- column question_id: packet/ordinal: the cluster
-- column confidence: probability the model gives its guess [probability]
-- column is_probability: true
-- column correct: whether the guess is right
-- column cap_repair: null: a property of SRA's rollouts
CREATE OR REPLACE VIEW grace_confidence_observations AS
WITH named AS (
    SELECT
        'grace' AS source,
        model,
        'grace' AS dataset,
        'clue' AS condition,
        CASE elicitation WHEN 'verb' THEN 'verbalized' ELSE 'logprob' END AS signal,
        'clue' AS unit,
        packet || '/' || ordinal AS question_id,
        clue,
        confidence,
        correct
    FROM grace_runs
)

SELECT
    cell_name(source, model, dataset, condition, signal) AS cell,
    source,
    model,
    dataset,
    condition,
    signal,
    unit,
    question_id || '/' || clue AS unit_id,
    question_id,
    confidence,
    true AS is_probability,
    correct,
    NULL::BOOLEAN AS cap_repair
FROM named;
