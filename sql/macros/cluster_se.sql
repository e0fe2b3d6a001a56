-- macro: cluster_se
-- kind: scalar
-- internal
-- returns: standard error of a mean over rows that come in clusters (CR1); null with one cluster
-- An aggregate over clusters: each has the `total` of its `n` rows, and `mean` is the mean over all rows. sqrt(g /
-- (g - 1) * sum (total - n * mean)^2) / sum n, with g clusters.
-- example: SELECT cluster_se(total, 9, 0.5185185185185185) AS se FROM (VALUES (9), (0), (5)) AS t (total)
CREATE OR REPLACE MACRO cluster_se(total, n, mean) AS
sqrt(ordered_sum(pow(total - n * mean, 2)) * count(*) / nullif(count(*) - 1, 0)) / sum(n)::DOUBLE;
