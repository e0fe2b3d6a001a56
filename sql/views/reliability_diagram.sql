-- view: reliability_diagram
-- grain: source, model, dataset, condition, signal, bin
-- Mean confidence against accuracy in 10 equal-width bins (lo, hi], the first closed at 0; bins without a row are
-- shown with n = 0. Only signals that are probabilities. The interval of the accuracy is Wilson's on the effective
-- number of rows: the rollouts of one question are not independent. For other bins call the macro of the same name.
-- example: SELECT bin, n, mean_confidence, accuracy FROM reliability_diagram WHERE signal = 'ab' AND dataset = 'champ'
CREATE OR REPLACE VIEW reliability_diagram AS
SELECT
    c.source,
    c.model,
    c.dataset,
    c.condition,
    c.signal,
    r.cell,
    r.bin,
    r.lo,
    r.hi,
    r.n,
    r.n_questions,
    r.n_correct,
    r.mean_confidence,
    r.accuracy,
    r.gap,
    r.deff,
    r.n_effective,
    r.accuracy_lo,
    r.accuracy_hi,
    r.accuracy_reason
FROM reliability_bins AS r
INNER JOIN confidence_cells AS c ON r.cell = c.cell;
