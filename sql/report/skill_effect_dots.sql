-- picture: skill_effect_dots
-- title: Confidence change against accuracy change
-- shows: A dot a model and data set: on the diagonal, confidence moves as much as accuracy; above it, the skill makes
--     the model surer than it makes it right. Whiskers are 95 % intervals of each change.
-- hides: Not whether the same questions move: for that ask sign_agreement and pearson_r of skill_effect.
SELECT
    model,
    dataset,
    signal,
    contrast,
    d_accuracy,
    d_accuracy_lo,
    d_accuracy_hi,
    d_confidence,
    d_confidence_lo,
    d_confidence_hi
FROM skill_effect
WHERE skill_subset = 'all' AND signal IN ('agreement', 'ab', 'tf')
ORDER BY signal, contrast, dataset, model;
