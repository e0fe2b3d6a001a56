-- table: entropy_span_figures
-- grain: model, dataset, condition, span
-- Middles and AUROCs of the figures of a span's entropies, each inside one model, data set and condition: levels of
-- two models do not compare, so nothing is pooled. The AUROC of minus the mean is in calibration_figures. Cells are
-- numbered here, because comparing long names takes most of the time.
WITH
_spans AS MATERIALIZED (
    SELECT
        model,
        dataset,
        condition,
        span,
        4 * row_number() OVER (ORDER BY model, dataset, condition, span) AS number,
        count(*) FILTER (n_tokens > 0) AS n,
        count(*) FILTER (n_tokens = 0) AS n_without_span,
        sum(n_tokens) AS n_tokens,
        median(mean) AS median_of_mean,
        median(median) AS median_of_median,
        median(p90) AS median_of_p90,
        median(max) AS median_of_max,
        median(share_above_0_5) AS median_of_share_above_0_5
    FROM rollout_entropies
    GROUP BY model, dataset, condition, span
),

_observations AS (
    SELECT
        s.number + unnest(range(4)) AS cell,
        -unnest([e.median, e.p90, e.max, e.share_above_0_5]) AS confidence,
        r.correct
    FROM rollout_entropies AS e
    INNER JOIN rollouts AS r
        ON
            e.model = r.model
            AND e.dataset = r.dataset
            AND e.condition = r.condition
            AND e.instance_id = r.instance_id
            AND e.sample = r.sample
    INNER JOIN _spans AS s
        ON e.model = s.model AND e.dataset = s.dataset AND e.condition = s.condition AND e.span = s.span
),

_groups AS (FROM score_groups('_observations')),

_ranks AS MATERIALIZED (FROM rank_figures_of('_groups'))

SELECT
    s.* EXCLUDE (number),
    medians.auroc AS auroc_median,
    quantiles.auroc AS auroc_p90,
    maxima.auroc AS auroc_max,
    shares.auroc AS auroc_share_above_0_5
FROM _spans AS s
LEFT JOIN _ranks AS medians ON s.number = medians.cell
LEFT JOIN _ranks AS quantiles ON s.number + 1 = quantiles.cell
LEFT JOIN _ranks AS maxima ON s.number + 2 = maxima.cell
LEFT JOIN _ranks AS shares ON s.number + 3 = shares.cell;
