-- macro: entropy_summary
-- kind: table
-- returns: one row a model, data set and condition that has entropies
-- Entropies of one span: how many rollouts have it, and the middle of each figure over the rollouts that do. Never
-- compare levels between models: vocabulary, tokenizer and the treatment of logits differ.
-- parameter span: whole, answer or numeric
-- example: SELECT model, dataset, condition, n, n_without_span, median_of_mean FROM entropy_summary('answer')
CREATE OR REPLACE MACRO entropy_summary(of_span) AS TABLE
SELECT
    model,
    dataset,
    condition,
    count(*) FILTER (n_tokens > 0) AS n,
    count(*) FILTER (n_tokens = 0) AS n_without_span,
    sum(n_tokens)::BIGINT AS n_tokens,
    ordered_sum(sum) / nullif(sum(n_tokens), 0) AS mean_over_tokens,
    ordered_mean(mean) AS mean_over_rollouts,
    median(mean) AS median_of_mean,
    median(median) AS median_of_median,
    median(p90) AS median_of_p90,
    median(max) AS median_of_max,
    median(share_above_0_5) AS median_of_share_above_0_5
FROM rollout_entropies
WHERE span = of_span
GROUP BY model, dataset, condition;
