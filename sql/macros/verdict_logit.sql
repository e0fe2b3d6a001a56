-- macro: verdict_logit
-- kind: scalar
-- returns: the A/B probe's log-odds of 'correct': mean over the two orders [logits]
-- Keeps the ranks that a saturated probability loses. Arguments as for verdict_p.
-- example: SELECT sigmoid(verdict_logit(-0.2, -1.8, -0.5, -0.95)) AS p
CREATE OR REPLACE MACRO verdict_logit(logp_a_ab, logp_b_ab, logp_a_ba, logp_b_ba) AS
((logp_a_ab::DOUBLE - logp_b_ab) + (logp_b_ba::DOUBLE - logp_a_ba)) / 2;
