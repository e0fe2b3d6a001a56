-- macro: auroc_se_of
-- kind: table
-- internal
-- returns: one row a cell that has a confidence
-- The clustered standard error of AUROC (Obuchowski, 1997) from `placements`, which names a relation as
-- question_placements makes it. With one row a question it is DeLong's.
-- example: WITH g AS (FROM score_groups('t')), p AS (FROM question_placements('t', 'g')) FROM auroc_se_of('p')
CREATE OR REPLACE MACRO auroc_se_of(placements) AS TABLE
WITH
_totals AS (
    SELECT
        cell,
        count(*) AS n_questions,
        count(*) FILTER (n_correct > 0) AS n_questions_correct,
        count(*) FILTER (n_wrong > 0) AS n_questions_wrong,
        sum(n_correct) AS n_correct,
        sum(n_wrong) AS n_wrong,
        sum(correct_above_wrong::HUGEINT) / nullif(2 * sum(n_correct) * sum(n_wrong), 0) AS auroc
    FROM query_table(placements)
    GROUP BY cell
),

_residuals AS (
    SELECT
        q.cell,
        q.n_correct - q.wrong_above_correct / nullif(2 * t.n_wrong, 0) - q.n_correct * t.auroc AS of_correct,
        q.correct_above_wrong / nullif(2 * t.n_correct, 0) - q.n_wrong * t.auroc AS of_wrong
    FROM query_table(placements) AS q
    INNER JOIN _totals AS t ON q.cell = t.cell
),

_moments AS (
    SELECT
        cell,
        ordered_sum(pow(of_correct, 2)) AS correct_squares,
        ordered_sum(pow(of_wrong, 2)) AS wrong_squares,
        ordered_sum(of_correct * of_wrong) AS products
    FROM _residuals
    GROUP BY cell
),

_variances AS (
    SELECT
        _totals.*,
        n_questions_correct / nullif(n_questions_correct - 1, 0) * correct_squares / pow(n_correct, 2)
        + n_questions_wrong / nullif(n_questions_wrong - 1, 0) * wrong_squares / pow(n_wrong, 2)
        + 2 * (n_questions / nullif(n_questions - 1, 0)) * products / (n_correct * n_wrong) AS variance
    FROM _totals
    INNER JOIN _moments ON _totals.cell = _moments.cell
),

_errors AS (
    SELECT
        *,
        CASE WHEN variance >= 0 THEN sqrt(variance) END AS auroc_se
    FROM _variances
),

_spreads AS (
    SELECT
        *,
        t_q975(n_questions - 1) * nullif(auroc_se, 0) / nullif(auroc * (1 - auroc), 0) AS logit_reach
    FROM _errors
)

SELECT
    cell,
    n_questions,
    auroc_se,
    sigmoid(ln(auroc / (1 - auroc)) - logit_reach) AS auroc_lo,
    sigmoid(ln(auroc / (1 - auroc)) + logit_reach) AS auroc_hi,
    CASE
        WHEN auroc IS NULL THEN 'one_class'
        WHEN n_questions = 1 THEN 'one_question'
        WHEN least(n_questions_correct, n_questions_wrong) = 1 THEN 'one_question_in_a_class'
        WHEN auroc_se IS NULL THEN 'negative_variance'
        WHEN auroc_se = 0 THEN 'zero_variance'
    END AS auroc_se_reason
FROM _spreads;
