-- macro: macro_mean
-- kind: scalar
-- returns: unweighted mean of a figure over cells
-- An aggregate. A macro mean gives every cell the same weight; it is not the figure of the pooled rows, which no
-- view serves. Say how many cells it is over. Not for entropies of several models: their levels do not compare.
-- example: SELECT macro_mean(auroc) AS auroc, count(auroc) AS n_cells FROM calibration_summary WHERE signal = 'tf'
CREATE OR REPLACE MACRO macro_mean(x) AS ordered_sum(x) / nullif(count(x), 0);
