-- picture: skill_effect_entropy
-- title: What a skill does to entropy
-- shows: The change in minus the mean entropy, in nats, when a skill is supplied: above 0 the model hesitates less.
-- hides: Not how models compare: nats of two models have no common scale, so each model has an axis of its own.
SELECT
    model,
    dataset,
    signal,
    contrast,
    n_pairs,
    d_confidence,
    d_confidence_lo,
    d_confidence_hi
FROM skill_effect
WHERE skill_subset = 'all' AND signal IN ('entropy_whole', 'entropy_answer', 'entropy_numeric')
ORDER BY model, dataset, contrast, signal;
