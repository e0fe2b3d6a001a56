-- view: unjoined_counts
-- grain: source, model, dataset, condition, signal
-- Observations whose confidence comes from a record of its own, and to which none was joined. It is the union of every
-- view whose name ends in _unjoined_counts, as confidence_observations is.
-- column n_unjoined: observations without a joined record
CREATE OR REPLACE VIEW unjoined_counts AS
SELECT
    source,
    model,
    dataset,
    condition,
    signal,
    n_unjoined
FROM every_unjoined_counts;
