-- view: benchmirt_confidence_observations
-- grain: response that a fit predicted out of fold: fit x model x item
-- The predictions of item response fits as observations of confidence, so that every calibration view and macro judges
-- the fit itself. The model is the one that answered; how sure the fit is that it scores is the confidence. Responses
-- the fit could not predict, because the other folds hold none of the item or of the model, have a null one.
-- column cell: source/model/dataset/condition/signal
-- column source: benchmirt
-- column model: the model that answered
-- column dataset: the item's benchmark; all without metadata
-- column condition: the fit, as irt_fits names it: 2pl-1d, m2pl-2d, …
-- column signal: irt
-- column unit: response
-- column unit_id: the item
-- column question_id: the item: the cluster
-- column confidence: out-of-fold probability of a score of 1 [probability]
-- column is_probability: true
-- column correct: whether the score is 1; benchmirt_items.polarity says what that means
-- column cap_repair: null: a property of SRA's rollouts
CREATE OR REPLACE VIEW benchmirt_confidence_observations AS
WITH
_named AS (
    SELECT
        'benchmirt' AS source,
        p.model,
        p.fit_id AS condition,
        'irt' AS signal,
        p.item_id,
        p.predicted,
        p.correct,
        coalesce(i.benchmark, 'all') AS dataset
    FROM irt_predictions AS p
    LEFT JOIN benchmirt_items AS i ON p.item_id = i.item_id
),

_celled AS (
    SELECT
        *,
        cell_name(source, model, dataset, condition, signal) AS cell
    FROM _named
)

SELECT
    cell,
    source,
    model,
    dataset,
    condition,
    signal,
    'response' AS unit,
    item_id AS unit_id,
    item_id AS question_id,
    predicted AS confidence,
    true AS is_probability,
    correct,
    NULL::BOOLEAN AS cap_repair
FROM _celled;
