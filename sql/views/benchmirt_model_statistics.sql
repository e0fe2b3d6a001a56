-- view: benchmirt_model_statistics
-- grain: model x scope x scope_name
-- A model's total and average over all its items, over each category, benchmark and domain, over the safety benchmarks
-- that are not multiple choice (select_safety), and the mean of its benchmark averages (macro). Each item is a cluster
-- of one response: the standard error is over items, with Student's t. An average over benchmarks of unlike polarity
-- mixes right answers with refusals: see the column polarity of benchmirt_items.
-- column model: model
-- column family: model family, as published; null without metadata
-- column scope: all, macro, category, benchmark, domain or select_safety
-- column scope_name: the category, benchmark or domain; else the scope again
-- column n: items with a score [items]
-- column n_null: items whose cell is empty [items]
-- column n_nan: items whose cell says NaN [items]
-- column n_questions: clusters behind the standard error: items, or benchmarks for macro
-- column total: sum of the scores [score]
-- column average: mean score; for macro the mean of the benchmarks' averages [score]
-- column average_se: its standard error, an item one cluster; for macro from the benchmarks' own, taken as independent
-- column average_lo: lower end of its 95 % interval
-- column average_hi: upper end of its 95 % interval
-- column average_se_reason: why its standard error is null or 0
-- column alignment_suspect: whether the model's rows may describe other items than most models' rows; null if unknown
CREATE OR REPLACE VIEW benchmirt_model_statistics AS
WITH
_smallest AS (
    SELECT
        r.model,
        i.category,
        i.benchmark,
        i.domain_superset,
        count(r.score) FILTER (NOT isnan(r.score)) AS n,
        count(*) FILTER (r.score IS NULL) AS n_null,
        count(*) FILTER (isnan(r.score)) AS n_nan,
        coalesce(exact_sum(CASE WHEN NOT isnan(r.score) THEN r.score END), 0) AS total,
        coalesce(exact_sum(CASE WHEN NOT isnan(r.score) THEN r.score * r.score END), 0) AS squares
    FROM benchmirt_responses AS r
    LEFT JOIN benchmirt_items AS i ON r.item_id = i.item_id
    GROUP BY ALL
),

_levels AS (
    SELECT
        *,
        unnest(['all', 'category', 'benchmark', 'domain', 'select_safety']) AS scope,
        unnest([
            'all',
            category,
            benchmark,
            domain_superset,
            CASE WHEN lower(category) = 'safety' AND lower(benchmark) NOT IN ('wmdp', 'bbq') THEN 'select_safety' END
        ]) AS scope_name
    FROM _smallest
),

_sums AS (
    SELECT
        model,
        scope,
        scope_name,
        sum(n)::BIGINT AS n,
        sum(n_null)::BIGINT AS n_null,
        sum(n_nan)::BIGINT AS n_nan,
        exact_sum(total) AS total,
        exact_sum(squares) AS squares
    FROM _levels
    WHERE scope_name IS NOT NULL
    GROUP BY model, scope, scope_name
),

_averages AS (
    SELECT
        * EXCLUDE (squares),
        n AS n_questions,
        total / nullif(n, 0) AS average,
        sqrt(greatest(0, squares - total * total / nullif(n, 0)) / nullif(n - 1, 0) / nullif(n, 0)) AS average_se,
        (n - 1)::DOUBLE AS degrees
    FROM _sums
),

_macro AS (
    SELECT
        model,
        'macro' AS scope,
        'macro' AS scope_name,
        sum(n)::BIGINT AS n,
        sum(n_null)::BIGINT AS n_null,
        sum(n_nan)::BIGINT AS n_nan,
        exact_sum(total) AS total,
        count(*) AS n_questions,
        exact_sum(average) / nullif(count(average), 0) AS average,
        CASE
            WHEN count(*) FILTER (average IS NOT NULL AND average_se IS NULL) = 0
                THEN sqrt(exact_sum(average_se * average_se)) / nullif(count(average), 0)
        END AS average_se,
        -- Welch and Satterthwaite: the degrees of freedom of a sum of independent means.
        floor(
            pow(exact_sum(average_se * average_se), 2)
            / nullif(exact_sum(pow(average_se, 4) / nullif(degrees, 0)), 0)
        ) AS degrees
    FROM _averages
    WHERE scope = 'benchmark'
    GROUP BY model
),

_rows AS (
    FROM _averages
    UNION ALL BY NAME
    FROM _macro
)

SELECT
    r.model,
    m.family,
    r.scope,
    r.scope_name,
    r.n,
    r.n_null,
    r.n_nan,
    r.n_questions,
    r.total,
    r.average,
    r.average_se,
    a.alignment_suspect,
    r.average - t_q975(r.degrees) * r.average_se AS average_lo,
    r.average + t_q975(r.degrees) * r.average_se AS average_hi,
    CASE
        WHEN r.n = 0 THEN 'empty'
        WHEN r.average_se IS NULL THEN 'one_question'
        WHEN r.average_se = 0 THEN 'zero_variance'
    END AS average_se_reason
FROM _rows AS r
LEFT JOIN benchmirt_models AS m ON r.model = m.model
LEFT JOIN benchmirt_alignment AS a
    ON r.model = a.model AND a.benchmark = CASE WHEN r.scope = 'benchmark' THEN r.scope_name ELSE 'all' END;
