-- view: benchmirt_group_statistics
-- grain: scope x scope_name: all items, a category, a benchmark or a domain
-- Item statistics rolled up: the mean over a group's items, each item once. Items without metadata are only in 'all'.
-- column scope: all, category, benchmark or domain
-- column scope_name: the category, benchmark or domain; all for all items
-- column n_items: items with a response [items]
-- column n_low_variance: items kept out of a fit because almost all or almost no models score [items]
-- column n_responses: scores [responses]
-- column difficulty: mean over items of their mean score: high is easy [score]
-- column point_biserial: mean over the items that have one
-- column item_rest_correlation: mean over the items that have one
-- column item_rest_correlation_benchmark: mean over the items that have one
-- column discrimination_index: mean over the items that have one
-- column n_negative: items whose item_rest_correlation is below 0: abler models score less on them [items]
CREATE OR REPLACE VIEW benchmirt_group_statistics AS
WITH
_levels AS (
    SELECT
        *,
        unnest(['all', 'category', 'benchmark', 'domain']) AS scope,
        unnest(['all', category, benchmark, domain_superset]) AS scope_name
    FROM benchmirt_item_statistics
)

SELECT
    scope,
    scope_name,
    count(*) AS n_items,
    count(*) FILTER (low_variance) AS n_low_variance,
    sum(n)::BIGINT AS n_responses,
    exact_sum(difficulty) / nullif(count(difficulty), 0) AS difficulty,
    exact_sum(point_biserial) / nullif(count(point_biserial), 0) AS point_biserial,
    exact_sum(item_rest_correlation) / nullif(count(item_rest_correlation), 0) AS item_rest_correlation,
    exact_sum(item_rest_correlation_benchmark)
    / nullif(count(item_rest_correlation_benchmark), 0) AS item_rest_correlation_benchmark,
    exact_sum(discrimination_index) / nullif(count(discrimination_index), 0) AS discrimination_index,
    count(*) FILTER (item_rest_correlation < 0) AS n_negative
FROM _levels
WHERE scope_name IS NOT NULL
GROUP BY scope, scope_name;
