-- view: grace_calscore
-- grain: model x elicitation
-- GRACE's two figures for each model, each averaged over the model's own questions: those it has usable runs for. A
-- model without any has a row of nulls: the public release has models that buzz and no runs. Definitions: Sung et al.
-- 2025, as their code has them (`Grace_q_non_adjusted`, `Grace_q_adjusted`); an empty run list is no score, not the
-- worst one. ECE, Brier and the rest, over all runs, are in calibration_summary; the publishers' take the last run
-- only.
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
-- column cal_score_reason: why there is no score: empty means no usable run
-- column cal_score_se_reason: why its standard error is null or 0
CREATE OR REPLACE VIEW grace_calscore AS
WITH
_runs AS (
    SELECT
        model || '/' || elicitation AS cell,
        packet || '/' || ordinal AS question_id,
        confidence,
        correct,
        human_share
    FROM grace_runs
),

_models AS (
    SELECT
        model,
        elicitation,
        model || '/' || elicitation AS cell,
        count(*) FILTER (n_runs = 0) AS n_questions_without_runs
    FROM grace_run_lists
    GROUP BY model, elicitation
    UNION ALL
    SELECT DISTINCT
        buzzes.team AS model,
        NULL AS elicitation,
        NULL AS cell,
        0 AS n_questions_without_runs
    FROM grace_buzzes AS buzzes
    ANTI JOIN grace_run_lists AS lists ON buzzes.team = lists.model
    WHERE buzzes.team_kind = 'model'
),

_adjusted AS (FROM cal_score_of('_runs')),

_unadjusted AS (FROM grace_mce('_runs'))

SELECT
    _models.model,
    _models.elicitation,
    coalesce(_adjusted.n, 0) AS n,
    coalesce(_adjusted.n_null, 0) AS n_null,
    coalesce(_adjusted.n_nan, 0) AS n_nan,
    coalesce(_adjusted.n_out_of_range, 0) AS n_out_of_range,
    coalesce(_adjusted.n_questions, 0) AS n_questions,
    _models.n_questions_without_runs,
    _unadjusted.grace_mce,
    _unadjusted.grace_mce_se,
    _unadjusted.grace_mce_lo,
    _unadjusted.grace_mce_hi,
    _adjusted.cal_score,
    _adjusted.cal_score_se,
    _adjusted.cal_score_lo,
    _adjusted.cal_score_hi,
    coalesce(_adjusted.cal_score_reason, undefined_reason(NULL, _adjusted.n, NULL)) AS cal_score_reason,
    coalesce(_adjusted.cal_score_se_reason, undefined_reason(NULL, _adjusted.n, NULL)) AS cal_score_se_reason
FROM _models
LEFT JOIN _adjusted ON _models.cell = _adjusted.cell
LEFT JOIN _unadjusted ON _models.cell = _unadjusted.cell
ORDER BY _models.model, _models.elicitation;
