-- picture: irt_information
-- title: How much the items tell, by ability
-- shows: The Fisher information of all items together: where it is high, ability is measured well.
-- hides: Not that the fit is right: information is what the fitted curves would give if they were true.
SELECT
    fit_id,
    ability,
    information,
    ability_se
FROM irt_test_information
WHERE fit_id = (
    SELECT fit_id
    FROM irt_fits
    ORDER BY selection NULLS FIRST, bic, fit_id
    LIMIT 1
)
ORDER BY ability;
