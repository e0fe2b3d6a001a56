-- view: tf_join_audit
-- source: sra
-- grain: model, dataset, condition, producer
-- How the true/false verdicts of a cell were bound to rollouts, for each schema they came in. Where the record
-- carries hashes of the answers, the binding is proved; where it does not, it is by position and rests on the
-- sampling file being the one that was judged.
-- example: SELECT model, dataset, condition, producer, n_verified, n_positional FROM tf_join_audit
-- column producer: schema the records came in: hashed, bare or tf
-- column n_rows: verdicts, one a rollout
-- column n_joined: verdicts that stand in the joined table
-- column n_verified: those of them whose answer's hash was compared and matched
-- column n_positional: those of them bound by position, which nothing in the file can prove
-- column n_hash_mismatch: verdicts of a record with an answer that is not the rollout's
-- column n_stale_positional_join: verdicts left out because the answers changed and the verdicts did not
-- column n_no_rollout: verdicts for a rollout that does not exist
-- column n_null: joined verdicts without a value: the probe failed
-- column n_nan: joined verdicts that are NaN
-- column n_questions: questions with a verdict
CREATE OR REPLACE VIEW tf_join_audit AS
SELECT
    model,
    dataset,
    condition,
    producer,
    count(*) AS n_rows,
    count(*) FILTER (join_status = 'joined') AS n_joined,
    count(*) FILTER (join_status = 'joined' AND join_basis = 'answer_sha256') AS n_verified,
    count(*) FILTER (join_status = 'joined' AND join_basis = 'position') AS n_positional,
    count(*) FILTER (join_status = 'hash_mismatch') AS n_hash_mismatch,
    count(*) FILTER (join_status = 'stale_positional_join') AS n_stale_positional_join,
    count(*) FILTER (join_status = 'no_rollout') AS n_no_rollout,
    count(*) FILTER (join_status = 'joined' AND tf_p_correct IS NULL) AS n_null,
    count(*) FILTER (join_status = 'joined' AND isnan(tf_p_correct)) AS n_nan,
    count(DISTINCT instance_id) AS n_questions
FROM tf_verdicts
GROUP BY model, dataset, condition, producer;
