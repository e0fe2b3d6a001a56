-- picture: changed_cells
-- title: Cells that came or went
-- of: figures
-- shows: Which cells only one of the two versions has, by data set, condition and signal.
-- hides: Not why: a source that was not given to a build is carried over, one that is gone was never built here.
SELECT
    coalesce(a.source, b.source) AS source,
    coalesce(a.dataset, b.dataset) AS dataset,
    coalesce(a.condition, b.condition) AS condition,
    coalesce(a.signal, b.signal) AS signal,
    count(*) FILTER (b.source IS NULL) AS n_came,
    count(*) FILTER (a.source IS NULL) AS n_went
FROM after AS a
FULL JOIN before AS b
    ON
        a.source = b.source
        AND a.model = b.model
        AND a.dataset = b.dataset
        AND a.condition = b.condition
        AND a.signal = b.signal
WHERE a.source IS NULL OR b.source IS NULL
GROUP BY ALL
ORDER BY ALL;
