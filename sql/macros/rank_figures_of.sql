-- macro: rank_figures_of
-- kind: table
-- internal
-- returns: one row a cell that has a confidence
-- AUROC, average precision, AURC and its relatives from `groups`, which names a relation as score_groups makes it.
-- All are functions of the distinct confidences, so the order of tied rows cannot matter; counts stay whole until
-- the last division.
-- example: WITH g AS (FROM score_groups('t')) SELECT * FROM rank_figures_of('g')
CREATE OR REPLACE MACRO rank_figures_of(groups) AS TABLE
WITH
_groups AS (
    SELECT
        cell,
        n,
        n_correct,
        n - n_correct AS n_wrong,
        n_above,
        n_correct_above,
        n_above - n_correct_above AS n_wrong_above
    FROM query_table(groups)
),

_sums AS (
    SELECT
        cell,
        sum(n) AS n,
        sum(n_correct) AS n_correct,
        sum(n_wrong) AS n_wrong,
        sum(n_wrong::HUGEINT * (2 * n_correct_above + n_correct)) AS twice_pairs_in_order,
        exact_sum(n_correct * (n_correct_above + n_correct) / (n_above + n)) AS precisions,
        exact_sum(rejection_area(n_above, n_wrong_above, n, n_wrong)) AS risks,
        sum(n::HUGEINT * (2 * n_wrong_above + n_wrong)) AS twice_generalized_risks
    FROM _groups
    GROUP BY cell
),

_figures AS (
    SELECT
        cell,
        n,
        n_correct,
        n_wrong / n AS error_rate,
        twice_pairs_in_order / nullif(2 * n_correct * n_wrong, 0) AS auroc,
        precisions / nullif(n_correct, 0) AS average_precision,
        risks / n AS aurc,
        rejection_area(n_correct, 0, n_wrong, n_wrong) / n AS aurc_optimal,
        twice_generalized_risks / (2 * n * n) AS augrc
    FROM _sums
)

SELECT
    cell,
    n::BIGINT AS n,
    n_correct::BIGINT AS n_correct,
    error_rate,
    auroc,
    average_precision,
    aurc,
    aurc_optimal,
    aurc - aurc_optimal AS e_aurc,
    augrc,
    CASE WHEN n_correct BETWEEN 1 AND n - 1 THEN (error_rate - aurc) / (error_rate - aurc_optimal) END AS prr
FROM _figures;
