-- picture: skill_effect
-- title: What a skill changes
-- shows: The change in accuracy, in confidence and in bias (confidence less accuracy) when a skill is supplied, paired
--     by question, with 95 % intervals clustered by question; above 0 in the third column, a skill makes the model
--     over-confident.
-- hides: Not why: a skill that the model picked itself goes to questions of the model's choice.
SELECT
    model,
    dataset,
    signal,
    contrast,
    n_pairs,
    d_accuracy,
    d_accuracy_lo,
    d_accuracy_hi,
    d_confidence,
    d_confidence_lo,
    d_confidence_hi,
    d_bias,
    d_bias_lo,
    d_bias_hi
FROM skill_effect
WHERE skill_subset = 'all' AND signal IN ('agreement', 'ab', 'tf')
ORDER BY model, dataset, signal, contrast;
