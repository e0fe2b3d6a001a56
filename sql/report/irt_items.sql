-- picture: irt_items
-- title: Difficulty against discrimination
-- shows: Where the items of the chosen fit stand: right is hard, up is telling. At most 1,000 items, evenly spaced in
--     order of difficulty.
-- hides: Not the items whose responses were too uniform to fit, and not the standard errors of either number.
SELECT
    fit_id,
    item_id,
    difficulty,
    discrimination
FROM irt_items
WHERE
    in_fit
    AND difficulty BETWEEN -10 AND 10
    AND fit_id = (
    SELECT fit_id
    FROM irt_fits
    ORDER BY selection NULLS FIRST, bic, fit_id
    LIMIT 1
)
QUALIFY (row_number() OVER (ORDER BY difficulty, item_id) - 1) % ceil(count(*) OVER () / 1000)::BIGINT = 0
ORDER BY difficulty, item_id;
