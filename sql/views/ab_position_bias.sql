-- view: ab_position_bias
-- source: sra
-- grain: model, dataset, condition
-- What the A/B probe's order does: p(correct) in order AB, where the letter A means correct, less p(correct) in
-- order BA, where B does. Above 0 the model leans to the letter A whatever it means. The signal is the mean of both
-- orders, so the lean cancels in it; here it is laid bare. Rollouts without a joined record are counted and left
-- out.
-- example: SELECT model, dataset, position_bias, position_bias_lo, position_bias_hi FROM ab_position_bias
-- column n: rollouts with both orders
-- column n_null: rollouts whose record lacks an order
-- column n_unjoined: rollouts of the cell to which no record was joined
-- column n_questions: questions among the n: the clusters
-- column mean_p_correct_ab: mean p(correct) in order AB [probability]
-- column mean_p_correct_ba: mean p(correct) in order BA [probability]
-- column position_bias: mean of p(correct) in order AB less that in order BA [probability]
-- column position_bias_naive_se: its standard error if rollouts of one question were independent, which they are not
-- column deff: design effect: (clustered SE / naive SE)^2
-- column mean_absolute_gap: mean size of the difference, whichever way it goes [probability]
-- column share_flipped: share of rollouts judged right in one order and not in the other, at 0.5
-- column position_bias_logits: mean over rollouts of half the difference of the log-odds of the two orders [logits]
-- column mean_letter_mass: mean probability mass on the two letters, both orders; a low one makes the signal noise
-- column position_bias_reason: why position_bias is null: empty
-- column position_bias_se_reason: why its standard error is null or 0
CREATE OR REPLACE VIEW ab_position_bias AS
WITH
_cells AS (
    SELECT
        model,
        dataset,
        condition,
        cell_name('sra', model, dataset, condition, 'ab') AS cell
    FROM signal_coverage
    WHERE signal = 'ab' AND status NOT IN ('not_applicable', 'withheld')
),

_rollouts AS (
    SELECT
        c.cell,
        r.instance_id AS question_id,
        r.ab_p_correct_ab,
        r.ab_p_correct_ba,
        r.ab_p_correct_ab - r.ab_p_correct_ba AS gap,
        r.ab_letter_mass,
        r.ab_join_basis
    FROM rollouts AS r
    INNER JOIN _cells AS c ON r.model = c.model AND r.dataset = c.dataset AND r.condition = c.condition
),

_means AS (FROM clustered_mean_of('_rollouts', 'gap')),

_levels AS (
    SELECT
        cell,
        count(*) FILTER (ab_join_basis IS NULL) AS n_unjoined,
        ordered_mean(CASE WHEN gap IS NOT NULL THEN ab_p_correct_ab END) AS mean_p_correct_ab,
        ordered_mean(CASE WHEN gap IS NOT NULL THEN ab_p_correct_ba END) AS mean_p_correct_ba,
        ordered_mean(abs(gap)) AS mean_absolute_gap,
        count(*) FILTER ((ab_p_correct_ab > 0.5) <> (ab_p_correct_ba > 0.5)) / nullif(count(gap), 0) AS share_flipped,
        ordered_mean(ab_letter_mass) AS mean_letter_mass
    FROM _rollouts
    GROUP BY cell
),

_logits AS (
    SELECT
        model,
        dataset,
        condition,
        ordered_mean(((logp_a_ab - logp_b_ab) - (logp_b_ba - logp_a_ba)) / 2) AS position_bias_logits
    FROM ab_verdicts
    WHERE join_status = 'joined'
    GROUP BY model, dataset, condition
)

SELECT
    c.model,
    c.dataset,
    c.condition,
    m.n,
    m.n_null - l.n_unjoined AS n_null,
    l.n_unjoined,
    m.n_questions,
    l.mean_p_correct_ab,
    l.mean_p_correct_ba,
    m.mean AS position_bias,
    m.mean_se AS position_bias_se,
    m.mean_lo AS position_bias_lo,
    m.mean_hi AS position_bias_hi,
    m.naive_se AS position_bias_naive_se,
    m.deff,
    l.mean_absolute_gap,
    l.share_flipped,
    g.position_bias_logits,
    l.mean_letter_mass,
    m.mean_reason AS position_bias_reason,
    m.mean_se_reason AS position_bias_se_reason
FROM _cells AS c
INNER JOIN _means AS m ON c.cell = m.cell
INNER JOIN _levels AS l ON c.cell = l.cell
LEFT JOIN _logits AS g ON c.model = g.model AND c.dataset = g.dataset AND c.condition = g.condition;
