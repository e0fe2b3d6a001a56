-- macro: verdict_p
-- kind: scalar
-- returns: the A/B probe's probability of 'correct': mean over the two orders
-- Takes the log-probabilities of the letters A and B in order AB, where A means correct, then in order BA, where B
-- does.
-- example: SELECT verdict_p(-0.2, -1.8, -0.5, -0.95) AS p
CREATE OR REPLACE MACRO verdict_p(logp_a_ab, logp_b_ab, logp_a_ba, logp_b_ba) AS
(sigmoid(logp_a_ab - logp_b_ab) + sigmoid(logp_b_ba - logp_a_ba)) / 2;
