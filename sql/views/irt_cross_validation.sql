-- view: irt_cross_validation
-- grain: fit x predictor x scope x scope_name
-- How well a fit predicts responses it has not seen, beside three baselines from the same folds: the model's mean score
-- over all, over the category and over the benchmark. micro: all responses alike; benchmark: those of one; macro: the
-- mean over benchmarks that have the figure. A prediction counts as a score of 1 above one half, and as 0 at it.
-- Ranks are those of BenchMIRT: tied models share the lowest.
-- column fit_id: fit, as irt_fits names it
-- column predictor: irt, model_mean, model_mean_by_category or model_mean_by_benchmark
-- column scope: micro, macro or benchmark
-- column scope_name: the benchmark; else the scope again
-- column n: responses predicted [responses]
-- column n_null: responses not predicted, for the other folds hold nothing to predict them from [responses]
-- column n_models: models with a prediction [models]
-- column n_benchmarks: benchmarks averaged; 1 unless macro
-- column mae: mean absolute difference of score and prediction [probability]
-- column accuracy: share of responses on the predicted side of one half
-- column brier: mean squared difference of score and prediction
-- column rank_correlation: Spearman correlation over models of mean score and mean prediction; null where all are tied
CREATE OR REPLACE VIEW irt_cross_validation AS
WITH
_cells AS (
    SELECT
        p.fit_id,
        p.model,
        p.fold,
        p.correct::INTEGER AS y,
        p.predicted,
        coalesce(i.benchmark, 'all') AS benchmark,
        coalesce(i.category, 'all') AS category
    FROM irt_predictions AS p
    LEFT JOIN benchmirt_items AS i ON p.item_id = i.item_id
),

_folds AS (
    SELECT
        fit_id,
        model,
        category,
        benchmark,
        fold,
        count(*) AS n,
        sum(y) AS k
    FROM _cells
    GROUP BY ALL
),

-- A baseline's prediction: the mean over the model's responses in the other folds.
_means AS (
    SELECT
        *,
        (sum(k) OVER model_all - sum(k) OVER model_fold)::DOUBLE
        / nullif(sum(n) OVER model_all - sum(n) OVER model_fold, 0) AS by_model,
        (sum(k) OVER category_all - sum(k) OVER category_fold)::DOUBLE
        / nullif(sum(n) OVER category_all - sum(n) OVER category_fold, 0) AS by_category,
        (sum(k) OVER benchmark_all - sum(k) OVER benchmark_fold)::DOUBLE
        / nullif(sum(n) OVER benchmark_all - sum(n) OVER benchmark_fold, 0) AS by_benchmark
    FROM _folds
    WINDOW
        model_all AS (PARTITION BY fit_id, model),
        model_fold AS (PARTITION BY fit_id, model, fold),
        category_all AS (PARTITION BY fit_id, model, category),
        category_fold AS (PARTITION BY fit_id, model, category, fold),
        benchmark_all AS (PARTITION BY fit_id, model, benchmark),
        benchmark_fold AS (PARTITION BY fit_id, model, benchmark, fold)
),

_predicted AS (
    SELECT
        fit_id,
        model,
        benchmark,
        'irt' AS predictor,
        count(*) AS n_all,
        count(predicted) AS n,
        sum(y) FILTER (predicted IS NOT NULL) AS k,
        coalesce(exact_sum(predicted), 0) AS p,
        coalesce(exact_sum(abs(y - predicted)), 0) AS gap,
        coalesce(exact_sum(pow(y - predicted, 2)), 0) AS squared,
        count(*) FILTER ((predicted > 0.5) = (y = 1)) AS hits
    FROM _cells
    GROUP BY fit_id, model, benchmark
),

_baselines AS (
    SELECT
        fit_id,
        model,
        benchmark,
        n,
        k,
        unnest(['model_mean', 'model_mean_by_category', 'model_mean_by_benchmark']) AS predictor,
        unnest([by_model, by_category, by_benchmark]) AS predicted
    FROM _means
),

_all AS (
    FROM _predicted
    UNION ALL BY NAME
    SELECT
        fit_id,
        model,
        benchmark,
        predictor,
        sum(n)::BIGINT AS n_all,
        coalesce(sum(n) FILTER (predicted IS NOT NULL), 0)::BIGINT AS n,
        sum(k) FILTER (predicted IS NOT NULL) AS k,
        coalesce(exact_sum(n * predicted), 0) AS p,
        coalesce(exact_sum(k * (1 - predicted) + (n - k) * predicted), 0) AS gap,
        coalesce(exact_sum(k * pow(1 - predicted, 2) + (n - k) * pow(predicted, 2)), 0) AS squared,
        coalesce(sum(CASE WHEN predicted > 0.5 THEN k WHEN predicted <= 0.5 THEN n - k END), 0)::BIGINT AS hits
    FROM _baselines
    GROUP BY fit_id, model, benchmark, predictor
),

_scopes AS (
    SELECT
        * EXCLUDE (fit_id, predictor, benchmark),
        fit_id,
        predictor,
        unnest(['micro', 'benchmark']) AS scope,
        unnest(['micro', benchmark]) AS scope_name
    FROM _all
),

_models AS (
    SELECT
        fit_id,
        predictor,
        scope,
        scope_name,
        model,
        sum(n_all)::BIGINT AS n_all,
        sum(n)::BIGINT AS n,
        sum(k)::BIGINT AS k,
        exact_sum(p) AS p,
        exact_sum(gap) AS gap,
        exact_sum(squared) AS squared,
        sum(hits)::BIGINT AS hits
    FROM _scopes
    GROUP BY fit_id, predictor, scope, scope_name, model
),

-- Rounded, so that means that are equal on paper are tied.
_ranks AS (
    SELECT
        *,
        CASE WHEN n > 0 THEN rank() OVER (part ORDER BY k / nullif(n, 0) NULLS LAST) END AS r,
        CASE WHEN n > 0 THEN rank() OVER (part ORDER BY round(p / nullif(n, 0), 12) NULLS LAST) END AS s
    FROM _models
    WINDOW part AS (PARTITION BY fit_id, predictor, scope, scope_name)
),

_figures AS (
    SELECT
        fit_id,
        predictor,
        scope,
        scope_name,
        sum(n)::BIGINT AS n,
        sum(n_all - n)::BIGINT AS n_null,
        count(r) AS n_models,
        exact_sum(gap) / nullif(sum(n), 0) AS mae,
        sum(hits)::BIGINT / nullif(sum(n), 0) AS accuracy,
        exact_sum(squared) / nullif(sum(n), 0) AS brier,
        (count(r) * sum(r * s) - sum(r) * sum(s))::DOUBLE / sqrt(
            nullif(
                (count(r) * sum(r * r) - sum(r) * sum(r))::DOUBLE * (count(r) * sum(s * s) - sum(s) * sum(s))::DOUBLE,
                0
            )
        ) AS rank_correlation
    FROM _ranks
    GROUP BY fit_id, predictor, scope, scope_name
)

SELECT
    fit_id,
    predictor,
    scope,
    scope_name,
    n,
    n_null,
    n_models,
    1::BIGINT AS n_benchmarks,
    mae,
    accuracy,
    brier,
    rank_correlation
FROM _figures
UNION ALL BY NAME
SELECT
    fit_id,
    predictor,
    'macro' AS scope,
    'macro' AS scope_name,
    sum(n)::BIGINT AS n,
    sum(n_null)::BIGINT AS n_null,
    max(n_models) AS n_models,
    count(mae) AS n_benchmarks,
    exact_sum(mae) / nullif(count(mae), 0) AS mae,
    exact_sum(accuracy) / nullif(count(accuracy), 0) AS accuracy,
    exact_sum(brier) / nullif(count(brier), 0) AS brier,
    exact_sum(rank_correlation) / nullif(count(rank_correlation), 0) AS rank_correlation
FROM _figures
WHERE scope = 'benchmark'
GROUP BY fit_id, predictor;
