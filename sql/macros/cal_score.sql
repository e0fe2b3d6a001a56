-- macro: cal_score
-- kind: table
-- returns: one row a cell
-- GRACE's CalScore (Sung et al. 2025, their `Grace_q_adjusted`): miscalibration of a model that is heard clue by
-- clue, where only being ahead of the humans counts. A question scores 1 - mean((1 - h) * g * c) over its runs: g
-- whether the guess is right, c its confidence, h the share of the human teams that buzz on the question which have
-- been right up to and including the run. The figure is the plain mean over questions. Lower is better; it is never
-- below grace_mce, and above 0 as soon as a human is right. A question is one cluster with one value: CR1 and
-- Student's t with n_questions - 1. Rows without a confidence in [0, 1], an outcome or h are counted and left out; a
-- question without a usable run has no score, where the publishers' code gives an empty list the worst one. The
-- relation also has human_share: h.
-- example: SELECT cell, cal_score, cal_score_lo, cal_score_hi FROM cal_score('t')
CREATE OR REPLACE MACRO cal_score(tbl) AS TABLE
FROM cal_score_of(tbl)
WHERE (SELECT known FROM known_keys(tbl));
