-- macro: entropy_summary
-- kind: table
-- returns: one row a model, data set and condition that has entropies
-- Entropies of one span: how many rollouts have it, and the middle of each figure over the rollouts that do. Never
-- compare levels between models: vocabulary, tokenizer and the treatment of logits differ.
-- parameter span: whole, answer or numeric
-- example: SELECT model, dataset, condition, n, n_without_span, median_of_mean FROM entropy_summary('answer')
CREATE OR REPLACE MACRO entropy_summary(span) AS TABLE
SELECT
    e.model,
    e.dataset,
    e.condition,
    count(*) FILTER (e.n_tokens > 0) AS n,
    count(*) FILTER (e.n_tokens = 0) AS n_without_span,
    sum(e.n_tokens)::BIGINT AS n_tokens,
    ordered_sum(e.sum) / nullif(sum(e.n_tokens), 0) AS mean_over_tokens,
    ordered_mean(e.mean) AS mean_over_rollouts,
    median(e.mean) AS median_of_mean,
    median(e.median) AS median_of_median,
    median(e.p90) AS median_of_p90,
    median(e.max) AS median_of_max,
    median(e.share_above_0_5) AS median_of_share_above_0_5
FROM rollout_entropies AS e
WHERE e.span = span
GROUP BY e.model, e.dataset, e.condition
UNION ALL BY NAME
SELECT NULL AS model
WHERE NOT expected(span IN ('whole', 'answer', 'numeric'), 'span', span, 'whole, answer or numeric');
