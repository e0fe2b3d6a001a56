-- check: joined_verdicts_stand_in_rollouts
-- The probe values in rollouts are those of the verdicts that were joined, and no others: a verdict whose answer
-- does not match, or whose positional join is stale, has left no value behind.
SELECT
    r.model,
    r.dataset,
    r.condition,
    r.instance_id,
    r.sample
FROM rollouts AS r
LEFT JOIN ab_verdicts AS a
    ON
        a.join_status = 'joined'
        AND r.model = a.model
        AND r.dataset = a.dataset
        AND r.condition = a.condition
        AND r.instance_id = a.instance_id
        AND r.sample = a.sample
LEFT JOIN tf_verdicts AS t
    ON
        t.join_status = 'joined'
        AND r.model = t.model
        AND r.dataset = t.dataset
        AND r.condition = t.condition
        AND r.instance_id = t.instance_id
        AND r.sample = t.sample
WHERE
    r.ab_p_correct IS DISTINCT FROM a.ab_p_correct
    OR r.ab_join_basis IS DISTINCT FROM a.join_basis
    OR r.tf_p_correct IS DISTINCT FROM t.tf_p_correct
    OR r.tf_join_basis IS DISTINCT FROM t.join_basis
    OR r.tf_producer IS DISTINCT FROM t.producer
