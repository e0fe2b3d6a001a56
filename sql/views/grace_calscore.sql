-- view: grace_calscore
-- grain: model x elicitation
-- GRACE's two figures for each model, each averaged over the model's own questions: those it has usable runs for. A
-- model without any has a row of nulls: the public release has models that buzz and no runs. Definitions: Sung et al.
-- 2025, as their code has them (`Grace_q_non_adjusted`, `Grace_q_adjusted`); an empty run list is no score, not the
-- worst one. ECE, Brier and the rest, over all runs, are in calibration_summary; the publishers' take the last run only.
-- column model: the model's key: M1, M2, …
-- column elicitation: logit or verb; null where there are no runs
-- column n: usable runs [runs]
-- column n_null: runs left out because the confidence is null [runs]
-- column n_nan: runs left out because the confidence is NaN [runs]
-- column n_out_of_range: runs left out because the confidence is outside [0, 1] [runs]
-- column n_questions: questions with a usable run: the clusters [questions]
-- column n_questions_without_runs: questions for which the run files give the model an empty list [questions]
-- column grace_mce: mean over questions of 1 - mean(g * c); 0 is best
-- column grace_mce_se: its standard error, a question one cluster; null with one question
-- column grace_mce_lo: lower end of its 95 % interval, t with n_questions - 1
-- column grace_mce_hi: upper end of its 95 % interval
-- column cal_score: mean over questions of 1 - mean((1 - h) * g * c); lower is better, never below grace_mce
-- column cal_score_se: its standard error, a question one cluster; null with one question
-- column cal_score_lo: lower end of its 95 % interval, t with n_questions - 1
-- column cal_score_hi: upper end of its 95 % interval
CREATE OR REPLACE VIEW grace_calscore AS
WITH runs AS (
    SELECT
        model || '/' || elicitation AS cell,
        packet || '/' || ordinal AS question_id,
        confidence,
        correct,
        human_share
    FROM grace_runs
),

models AS (
    SELECT
        model,
        elicitation,
        count(*) FILTER (n_runs = 0) AS n_questions_without_runs
    FROM grace_run_lists
    GROUP BY model, elicitation
    UNION ALL
    SELECT DISTINCT
        team AS model,
        NULL AS elicitation,
        0 AS n_questions_without_runs
    FROM grace_buzzes
    WHERE team_kind = 'model' AND team NOT IN (SELECT run_lists.model FROM grace_run_lists AS run_lists)
)

SELECT
    models.model,
    models.elicitation,
    coalesce(adjusted.n, 0) AS n,
    coalesce(adjusted.n_null, 0) AS n_null,
    coalesce(adjusted.n_nan, 0) AS n_nan,
    coalesce(adjusted.n_out_of_range, 0) AS n_out_of_range,
    coalesce(adjusted.n_questions, 0) AS n_questions,
    models.n_questions_without_runs,
    plain.grace_mce,
    plain.grace_mce_se,
    plain.grace_mce_lo,
    plain.grace_mce_hi,
    adjusted.cal_score,
    adjusted.cal_score_se,
    adjusted.cal_score_lo,
    adjusted.cal_score_hi
FROM models
LEFT JOIN cal_score('runs') AS adjusted ON adjusted.cell = models.model || '/' || models.elicitation
LEFT JOIN grace_mce('runs') AS plain ON plain.cell = adjusted.cell
ORDER BY models.model, models.elicitation;
