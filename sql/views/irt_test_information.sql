-- view: irt_test_information
-- grain: fit x ability
-- How much all items of a fit together tell about a model of a given ability: the sum of their Fisher information, and
-- the standard error of ability that it leaves. At the abilities of irt_item_curves, and in its direction.
-- example: SELECT ability, information, ability_se FROM irt_test_information WHERE fit_id = '2pl-1d'
-- column fit_id: fit, as irt_fits names it
-- column ability: ability at which the information is taken [standard deviations of ability]
-- column n_items: items of the fit [items]
-- column information: sum of the items' Fisher information [1 / ability^2]
-- column ability_se: 1 / sqrt(information) [standard deviations of ability]
CREATE OR REPLACE VIEW irt_test_information AS
WITH
-- Whole multiples of 1e-15, so that the sum is the same in every run.
_sums AS (
    SELECT
        fit_id,
        ability,
        count(*) AS n_items,
        sum(round(information * 1e15)::HUGEINT) / 1e15 AS information
    FROM irt_item_curves
    GROUP BY fit_id, ability
)

SELECT
    fit_id,
    ability,
    n_items,
    information,
    1 / sqrt(nullif(information, 0)) AS ability_se
FROM _sums;
