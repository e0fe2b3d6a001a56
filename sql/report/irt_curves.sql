-- picture: irt_curves
-- title: Item characteristic curves
-- shows: The fitted probability of a score of 1 by ability, and the information, for the most informative item at each
--     of seven abilities.
-- hides: Not the other items, and not the uncertainty of a curve: its standard errors are in irt_items.
SELECT
    fit_id,
    item_id,
    ability,
    probability,
    information
FROM irt_item_curves
WHERE
    fit_id = (
    SELECT fit_id
    FROM irt_fits
    ORDER BY selection NULLS FIRST, bic, fit_id
    LIMIT 1
)
    AND item_id IN (
        SELECT i.item_id
        FROM irt_informative_items AS i
        WHERE i.rank = 1 AND i.fit_id = irt_item_curves.fit_id AND i.ability IN (-3, -2, -1, 0, 1, 2, 3)
    )
ORDER BY item_id, ability;
