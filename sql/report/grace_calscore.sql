-- picture: grace_calscore
-- title: CalScore and MCE
-- shows: GRACE's two scores of each model with 95 % intervals; 0 is best, and CalScore counts less where humans had the
--     answer by then.
-- hides: Not a comparison over the same questions: each model is averaged over the questions that it has runs for.
SELECT
    model,
    elicitation,
    n_questions,
    cal_score,
    cal_score_lo,
    cal_score_hi,
    grace_mce,
    grace_mce_lo,
    grace_mce_hi
FROM grace_calscore
WHERE n_questions > 0
ORDER BY model, elicitation;
