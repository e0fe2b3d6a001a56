-- picture: irt_abilities
-- title: Abilities
-- shows: The expected ability of each model in the chosen fit, and one standard error to each side.
-- hides: Not the models left out as misaligned, and not what a score of 1 means: see the items' polarity.
SELECT
    fit_id,
    model,
    ability,
    ability_se,
    ability - ability_se AS ability_less_se,
    ability + ability_se AS ability_plus_se
FROM irt_models
WHERE
    in_fit
    AND fit_id = (
    SELECT fit_id
    FROM irt_fits
    ORDER BY selection NULLS FIRST, bic, fit_id
    LIMIT 1
)
ORDER BY ability DESC, model ASC;
