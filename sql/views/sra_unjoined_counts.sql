-- view: sra_unjoined_counts
-- grain: model, dataset, condition, signal
-- Rollouts to which no verdict of an SRA probe was joined.
-- column source: sra
-- column signal: ab or tf: the probes
-- column n_unjoined: rollouts without a joined verdict
CREATE OR REPLACE VIEW sra_unjoined_counts AS
SELECT
    'sra' AS source,
    model,
    dataset,
    condition,
    unnest(['ab', 'tf']) AS signal,
    unnest([
        count(*) FILTER (ab_join_basis IS NULL),
        count(*) FILTER (tf_join_basis IS NULL)
    ]) AS n_unjoined
FROM rollouts
GROUP BY model, dataset, condition;
