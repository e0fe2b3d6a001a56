-- picture: corp
-- title: CORP reliability line
-- shows: The isotonic fit of correctness on confidence, which needs no bins: the thin line behind the dots.
-- hides: Not its uncertainty; it follows the rows it was fitted on, and so looks better than it is.
SELECT
    source,
    model,
    dataset,
    condition,
    signal,
    confidence_lo,
    confidence_hi,
    fitted
FROM corp_reliability
ORDER BY source, model, dataset, condition, signal, block;
