-- check: question_conditions_count_their_rollouts
-- Every question-condition has its nine rollouts, samples 0 to 8, and counts the right ones among them.
WITH
_rollouts AS (
    SELECT
        model,
        dataset,
        condition,
        instance_id,
        count(DISTINCT sample) AS n,
        count(*) FILTER (correct) AS n_correct
    FROM rollouts
    GROUP BY model, dataset, condition, instance_id
)

SELECT
    coalesce(q.model, r.model) AS model,
    coalesce(q.instance_id, r.instance_id) AS instance_id
FROM question_conditions AS q
FULL JOIN _rollouts AS r
    ON
        q.model = r.model
        AND q.dataset = r.dataset
        AND q.condition = r.condition
        AND q.instance_id = r.instance_id
WHERE
    q.model IS NULL
    OR r.model IS NULL
    OR r.n <> 9
    OR q.n_rollouts <> r.n
    OR q.n_correct <> r.n_correct
    OR q.accuracy <> r.n_correct / r.n
