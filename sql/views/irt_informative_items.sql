-- view: irt_informative_items
-- grain: fit x ability x item, best first
-- Which items tell most about a model of a given ability: take the rows up to a rank for a short benchmark, and read in
-- ability_se how well it would measure. Fisher information slope^2 p (1 - p), at abilities from -3 to 3 in steps of one
-- half; in several dimensions along dimension 1, in which the items discriminate most, with the others at zero.
-- column fit_id: fit, as irt_fits names it
-- column ability: ability at which the information is taken [standard deviations of ability]
-- column rank: 1 for the most informative item; equal ones in order of their names
-- column item_id: item
-- column benchmark: benchmark; null without metadata
-- column information: Fisher information of the item [1 / ability^2]
-- column cumulative_information: sum over the items up to this rank [1 / ability^2]
-- column ability_se: standard error of ability from the items up to this rank [standard deviations of ability]
CREATE OR REPLACE VIEW irt_informative_items AS
WITH
_abilities AS (
    SELECT (unnest(range(-6, 7)) / 2)::DOUBLE AS ability
),

_items AS (
    SELECT
        f.fit_id,
        a.ability,
        f.item_id,
        pow(f.slope_1, 2)
        * sigmoid(f.slope_1 * a.ability + f.intercept)
        * sigmoid(-(f.slope_1 * a.ability + f.intercept)) AS information
    FROM irt_items AS f
    CROSS JOIN _abilities AS a
    WHERE f.in_fit
),

_ranked AS (
    SELECT
        *,
        row_number() OVER (part ORDER BY information DESC, item_id ASC) AS rank
    FROM _items
    WINDOW part AS (PARTITION BY fit_id, ability)
),

-- Whole multiples of 1e-15, so that the sum is the same in every run.
_cumulated AS (
    SELECT
        *,
        sum(round(information * 1e15)::HUGEINT) OVER (part ORDER BY rank ROWS UNBOUNDED PRECEDING)
        / 1e15 AS cumulative_information
    FROM _ranked
    WINDOW part AS (PARTITION BY fit_id, ability)
)

SELECT
    c.fit_id,
    c.ability,
    c.rank,
    c.item_id,
    i.benchmark,
    c.information,
    c.cumulative_information,
    1 / sqrt(nullif(c.cumulative_information, 0)) AS ability_se
FROM _cumulated AS c
LEFT JOIN benchmirt_items AS i ON c.item_id = i.item_id;
