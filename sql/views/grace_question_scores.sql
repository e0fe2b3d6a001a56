-- view: grace_question_scores
-- grain: question x model
-- GRACE's two figures for one question and one model, from which grace_calscore takes its means. A model whose run list
-- is empty for a question has a row and no score.
-- column packet: packet, from the file's name
-- column ordinal: question of the packet, from 0
-- column tossup_index: the publishers' own identifier, unique inside a packet only
-- column category_group: the publishers' coarse grouping of categories
-- column model: the model's key: M1, M2, …
-- column elicitation: logit or verb
-- column n_runs: runs in the list [runs]
-- column n: usable runs [runs]
-- column n_human_buzzers: human teams that buzz on the question: the denominator of h [teams]
-- column n_humans_correct: human teams that have been right by the last run [teams]
-- column grace_mce: 1 - mean(g * c) over the usable runs; null without any
-- column cal_score: 1 - mean((1 - h) * g * c) over the usable runs; null without any
CREATE OR REPLACE VIEW grace_question_scores AS
WITH runs AS (
    SELECT
        packet || '/' || ordinal || '/' || model AS cell,
        packet || '/' || ordinal AS question_id,
        confidence,
        correct,
        human_share
    FROM grace_runs
),

last_runs AS (
    SELECT
        packet,
        ordinal,
        model,
        max(n_humans_correct) AS n_humans_correct
    FROM (
        SELECT
            packet,
            ordinal,
            model,
            n_humans_correct,
            clue = max(clue) OVER (PARTITION BY packet, ordinal, model) AS is_last
        FROM grace_runs
    )
    WHERE is_last
    GROUP BY packet, ordinal, model
)

SELECT
    lists.packet,
    lists.ordinal,
    questions.tossup_index,
    questions.category_group,
    lists.model,
    lists.elicitation,
    lists.n_runs,
    coalesce(adjusted.n, 0) AS n,
    lists.n_human_buzzers,
    last_runs.n_humans_correct,
    plain.grace_mce,
    adjusted.cal_score
FROM grace_run_lists AS lists
LEFT JOIN grace_questions AS questions ON questions.packet = lists.packet AND questions.ordinal = lists.ordinal
LEFT JOIN last_runs
    ON last_runs.packet = lists.packet AND last_runs.ordinal = lists.ordinal AND last_runs.model = lists.model
LEFT JOIN cal_score('runs') AS adjusted
    ON adjusted.cell = lists.packet || '/' || lists.ordinal || '/' || lists.model
LEFT JOIN grace_mce('runs') AS plain ON plain.cell = adjusted.cell
ORDER BY lists.packet, lists.ordinal, lists.model;
