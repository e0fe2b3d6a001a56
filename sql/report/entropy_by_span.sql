-- picture: entropy_by_span
-- title: Which tokens' entropy tells right from wrong
-- shows: AUROC of minus the mean entropy of the whole generation, of the answer and of its digits, inside one model;
--     at 0.5 entropy tells nothing, below it the surer generations are the wrong ones.
-- hides: Not levels of entropy, which do not compare between models, and not a probability of being right.
SELECT
    model,
    dataset,
    condition,
    span,
    n,
    auroc_mean,
    auroc_mean_lo,
    auroc_mean_hi
FROM entropy_by_span
ORDER BY model, dataset, condition, span;
