-- view: grace_question_scores
-- grain: question x model
-- GRACE's two figures for one question and one model, from which grace_calscore takes its means. A model whose run
-- list is empty for a question has a row and no score.
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
WITH
_runs AS (
    SELECT
        packet || '/' || ordinal || '/' || model AS cell,
        packet || '/' || ordinal AS question_id,
        clue,
        n_humans_correct,
        confidence,
        correct,
        human_share
    FROM grace_runs
),

_last_runs AS (
    SELECT
        cell,
        max_by(n_humans_correct, clue) AS n_humans_correct
    FROM _runs
    GROUP BY cell
),

_lists AS (
    SELECT
        *,
        packet || '/' || ordinal || '/' || model AS cell
    FROM grace_run_lists
),

_adjusted AS (FROM cal_score_of('_runs')),

_unadjusted AS (FROM grace_mce('_runs'))

SELECT
    _lists.packet,
    _lists.ordinal,
    questions.tossup_index,
    questions.category_group,
    _lists.model,
    _lists.elicitation,
    _lists.n_runs,
    coalesce(_adjusted.n, 0) AS n,
    _lists.n_human_buzzers,
    _last_runs.n_humans_correct,
    _unadjusted.grace_mce,
    _adjusted.cal_score
FROM _lists
LEFT JOIN grace_questions AS questions
    ON _lists.packet = questions.packet AND _lists.ordinal = questions.ordinal
LEFT JOIN _last_runs ON _lists.cell = _last_runs.cell
LEFT JOIN _adjusted ON _lists.cell = _adjusted.cell
LEFT JOIN _unadjusted ON _lists.cell = _unadjusted.cell
ORDER BY _lists.packet, _lists.ordinal, _lists.model;
