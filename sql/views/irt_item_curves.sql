-- view: irt_item_curves
-- grain: fit x item x ability
-- Item characteristic and information curves: the fitted probability that a model of an ability scores 1 on an item,
-- and the Fisher information slope^2 p (1 - p) that the item gives there; at abilities from -4 to 4 in steps of one
-- fifth. In several dimensions along dimension 1, in which the items discriminate most, with the others at zero.
-- example: SELECT ability, probability, information FROM irt_item_curves WHERE item_id = 'ifeval__0'
-- column fit_id: fit, as irt_fits names it
-- column item_id: item
-- column ability: ability at which the curves are taken [standard deviations of ability]
-- column probability: fitted probability of a score of 1 [probability]
-- column information: Fisher information of the item [1 / ability^2]
CREATE OR REPLACE VIEW irt_item_curves AS
WITH
_abilities AS (
    SELECT (unnest(range(-20, 21)) / 5)::DOUBLE AS ability
),

_logits AS (
    SELECT
        i.fit_id,
        i.item_id,
        a.ability,
        i.slope_1,
        i.slope_1 * a.ability + i.intercept AS logit
    FROM irt_items AS i
    CROSS JOIN _abilities AS a
    WHERE i.in_fit
)

SELECT
    fit_id,
    item_id,
    ability,
    sigmoid(logit) AS probability,
    pow(slope_1, 2) * sigmoid(logit) * sigmoid(-logit) AS information
FROM _logits;
