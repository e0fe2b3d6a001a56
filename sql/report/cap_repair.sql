-- picture: cap_repair
-- title: With and without cap-repaired rollouts
-- shows: Accuracy and AUROC over all rows, and without rollouts drawn again because they had hit the length cap.
-- hides: Not what those rollouts would have said: leaving out hard questions changes what is measured.
SELECT
    model,
    dataset,
    condition,
    signal,
    rows_used,
    n,
    n_cap_repair,
    accuracy,
    accuracy_lo,
    accuracy_hi,
    auroc,
    auroc_lo,
    auroc_hi
FROM cap_repair_sensitivity
WHERE source = 'sra'
ORDER BY model, dataset, condition, signal, rows_used;
