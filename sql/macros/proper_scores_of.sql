-- macro: proper_scores_of
-- kind: table
-- internal
-- returns: one row a cell that has a confidence in [0, 1]
-- Brier score, log loss and Spiegelhalter's z from `groups`, which names a relation as score_groups makes it.
-- example: WITH g AS (FROM score_groups('t')) SELECT * FROM proper_scores_of('g')
CREATE OR REPLACE MACRO proper_scores_of(groups) AS TABLE
WITH
_groups AS (
    SELECT
        cell,
        confidence,
        n_correct,
        n - n_correct AS n_wrong
    FROM query_table(groups)
    WHERE confidence BETWEEN 0 AND 1
),

_sums AS (
    SELECT
        cell,
        sum(n_correct + n_wrong) AS n,
        exact_sum(n_correct * pow(confidence - 1, 2) + n_wrong * pow(confidence, 2)) AS squares,
        exact_sum(n_correct * log_loss_of_row(confidence, true) + n_wrong * log_loss_of_row(confidence, false)) AS nats,
        sum(
            n_correct * is_clipped(confidence, true)::INTEGER + n_wrong * is_clipped(confidence, false)::INTEGER
        ) AS n_clipped,
        ordered_sum((n_correct * (1 - confidence) - n_wrong * confidence) * (1 - 2 * confidence)) AS score,
        ordered_sum((n_correct + n_wrong) * pow(1 - 2 * confidence, 2) * confidence * (1 - confidence)) AS variance
    FROM _groups
    GROUP BY cell
)

SELECT
    cell,
    n::BIGINT AS n,
    squares / n AS brier,
    nats / n AS log_loss,
    n_clipped::BIGINT AS n_clipped,
    score / nullif(sqrt(variance), 0) AS spiegelhalter_z
FROM _sums;
