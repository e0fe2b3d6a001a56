-- view: benchmirt_item_statistics
-- grain: item that has a response
-- Classical statistics of every item, over the models that have a score on it: how hard it is and how well it tells
-- able models from others. A model's total is its mean score over the items it has a score on, so that missing
-- cells do not make a model look weak. Correlations are null where item or total does not vary. Models tied at the
-- cut of the upper or lower 27 % count in part, so that no order of rows decides. Models whose rows describe other
-- items spoil all of them: see benchmirt_alignment_audit. The same by benchmark, category and domain is in
-- benchmirt_group_statistics.
-- column item_id: item, opaque
-- column benchmark: benchmark; null without metadata
-- column category: General Reasoning or Safety; null without metadata
-- column domain_superset: domain across benchmarks; null without metadata
-- column polarity: what a score of 1 means: correct, incorrect, refusal or compliance; null where unknown
-- column low_variance: whether the item is kept out of a fit: not 0.05 < difficulty < 0.95 [flag]
-- column n: models with a score [models]
-- column n_null: models whose cell is empty [models]
-- column n_nan: models whose cell says NaN [models]
-- column difficulty: mean score, the p of classical test theory: high is easy [score]
-- column point_biserial: Pearson correlation of score and total, the item itself included in the total
-- column item_rest_correlation: the same with the item taken out of the total, which corrects for its own part
-- column item_rest_correlation_benchmark: the same with the total over the item's own benchmark
-- column discrimination_index: mean score of the upper 27 % of models by total less that of the lower 27 %
CREATE OR REPLACE VIEW benchmirt_item_statistics AS
WITH
_scores AS (
    SELECT
        r.model,
        r.item_id,
        i.benchmark,
        r.score
    FROM benchmirt_responses AS r
    LEFT JOIN benchmirt_items AS i ON r.item_id = i.item_id
    WHERE r.score IS NOT NULL AND NOT isnan(r.score)
),

_by_benchmark AS (
    SELECT
        model,
        benchmark,
        count(*) AS n,
        exact_sum(score) AS total
    FROM _scores
    GROUP BY model, benchmark
),

_totals AS (
    SELECT
        model,
        benchmark,
        n AS n_benchmark,
        total AS total_benchmark,
        sum(n) OVER (PARTITION BY model) AS n_all,
        exact_sum(total) OVER (PARTITION BY model) AS total_all
    FROM _by_benchmark
),

_pairs AS (
    SELECT
        s.item_id,
        s.score AS x,
        t.total_all / t.n_all AS y,
        (t.total_all - s.score) / nullif(t.n_all - 1, 0) AS y_rest,
        (t.total_benchmark - s.score) / nullif(t.n_benchmark - 1, 0) AS y_benchmark
    FROM _scores AS s
    INNER JOIN _totals AS t ON s.model = t.model AND s.benchmark IS NOT DISTINCT FROM t.benchmark
),

_sums AS (
    SELECT
        item_id,
        count(*) AS n,
        exact_sum(x) AS sx,
        exact_sum(x * x) AS sxx,
        min(x) < max(x) AS x_varies,
        exact_sum(y) AS sy,
        exact_sum(y * y) AS syy,
        exact_sum(x * y) AS sxy,
        min(y) < max(y) AS y_varies,
        exact_sum(y_rest) AS sr,
        exact_sum(y_rest * y_rest) AS srr,
        exact_sum(x * y_rest) AS sxr,
        min(y_rest) < max(y_rest) AS r_varies,
        exact_sum(y_benchmark) AS sb,
        exact_sum(y_benchmark * y_benchmark) AS sbb,
        exact_sum(x * y_benchmark) AS sxb,
        min(y_benchmark) < max(y_benchmark) AS b_varies
    FROM _pairs
    GROUP BY item_id
),

-- Models tied by total are one block: `above` and `below` are the models before it from either end.
_blocks AS (
    SELECT
        item_id,
        count(*) AS m,
        exact_sum(x) / count(*) AS mean_x,
        sum(count(*)) OVER (PARTITION BY item_id) AS n,
        sum(count(*)) OVER (PARTITION BY item_id ORDER BY y DESC ROWS UNBOUNDED PRECEDING) - count(*) AS above,
        sum(count(*)) OVER (PARTITION BY item_id ORDER BY y ASC ROWS UNBOUNDED PRECEDING) - count(*) AS below
    FROM _pairs
    GROUP BY item_id, y
),

_index AS (
    SELECT
        item_id,
        exact_sum(
            mean_x
            * (
                least(m, greatest(0, greatest(1, round(0.27 * n)) - above))
                - least(m, greatest(0, greatest(1, round(0.27 * n)) - below))
            )
        ) / greatest(1, round(0.27 * any_value(n))) AS discrimination_index
    FROM _blocks
    WHERE n > 1
    GROUP BY item_id
)

SELECT
    i.item_id,
    i.benchmark,
    i.category,
    i.domain_superset,
    i.polarity,
    i.low_variance,
    i.n_empty::BIGINT AS n_null,
    i.n_nan::BIGINT AS n_nan,
    d.discrimination_index,
    coalesce(s.n, 0) AS n,
    s.sx / s.n AS difficulty,
    CASE
        WHEN s.x_varies AND s.y_varies
            THEN (s.n * s.sxy - s.sx * s.sy) / sqrt((s.n * s.sxx - s.sx * s.sx) * (s.n * s.syy - s.sy * s.sy))
    END AS point_biserial,
    CASE
        WHEN s.x_varies AND s.r_varies
            THEN (s.n * s.sxr - s.sx * s.sr) / sqrt((s.n * s.sxx - s.sx * s.sx) * (s.n * s.srr - s.sr * s.sr))
    END AS item_rest_correlation,
    CASE
        WHEN s.x_varies AND s.b_varies
            THEN (s.n * s.sxb - s.sx * s.sb) / sqrt((s.n * s.sxx - s.sx * s.sx) * (s.n * s.sbb - s.sb * s.sb))
    END AS item_rest_correlation_benchmark
FROM benchmirt_items AS i
LEFT JOIN _sums AS s ON i.item_id = s.item_id
LEFT JOIN _index AS d ON i.item_id = d.item_id
WHERE i.n_responses + i.n_empty + i.n_nan > 0;
