-- picture: changed_figures
-- title: Figures that changed
-- of: figures
-- shows: Figures of cells that both versions have and that differ; the 200 that moved most, and how many there are.
-- hides: Not whether a change is more than chance: both versions may hold much the same rows.
WITH
_before AS (
    SELECT
        source,
        model,
        dataset,
        condition,
        signal,
        unnest(['n', 'accuracy', 'mean_confidence', 'ece', 'brier', 'auroc', 'aurc']) AS figure,
        unnest([n, accuracy, mean_confidence, ece, brier, auroc, aurc]) AS value
    FROM before
),

_after AS (
    SELECT
        source,
        model,
        dataset,
        condition,
        signal,
        unnest(['n', 'accuracy', 'mean_confidence', 'ece', 'brier', 'auroc', 'aurc']) AS figure,
        unnest([n, accuracy, mean_confidence, ece, brier, auroc, aurc]) AS value
    FROM after
)

SELECT
    a.source,
    a.model,
    a.dataset,
    a.condition,
    a.signal,
    a.figure,
    b.value AS value_before,
    a.value AS value_after,
    a.value - b.value AS change,
    count(*) OVER () AS n_changed
FROM _after AS a
INNER JOIN _before AS b
    ON
        a.source = b.source
        AND a.model = b.model
        AND a.dataset = b.dataset
        AND a.condition = b.condition
        AND a.signal = b.signal
        AND a.figure = b.figure
WHERE a.value IS DISTINCT FROM b.value
ORDER BY
    a.figure = 'n' DESC,
    abs(a.value - b.value) DESC NULLS FIRST,
    a.source ASC,
    a.model ASC,
    a.dataset ASC,
    a.condition ASC,
    a.signal ASC,
    a.figure ASC
LIMIT 200;
