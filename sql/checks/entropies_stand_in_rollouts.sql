-- check: entropies_stand_in_rollouts
-- The mean entropies in rollouts are those of rollout_entropies, span by span.
WITH
_spans AS (
    SELECT
        model,
        dataset,
        condition,
        instance_id,
        sample,
        any_value(mean) FILTER (span = 'whole') AS whole,
        any_value(mean) FILTER (span = 'answer') AS answer,
        any_value(mean) FILTER (span = 'numeric') AS digits
    FROM rollout_entropies
    GROUP BY model, dataset, condition, instance_id, sample
)

SELECT
    coalesce(r.model, s.model) AS model,
    coalesce(r.instance_id, s.instance_id) AS instance_id,
    coalesce(r.sample, s.sample) AS sample
FROM rollouts AS r
FULL JOIN _spans AS s
    ON
        r.model = s.model
        AND r.dataset = s.dataset
        AND r.condition = s.condition
        AND r.instance_id = s.instance_id
        AND r.sample = s.sample
WHERE
    r.model IS NULL
    OR r.entropy_mean IS DISTINCT FROM s.whole
    OR r.answer_entropy_mean IS DISTINCT FROM s.answer
    OR r.numeric_entropy_mean IS DISTINCT FROM s.digits
