-- check: observations_are_unique
-- No cell of confidence_observations holds a unit twice.
SELECT
    cell,
    unit_id
FROM confidence_observations
GROUP BY cell, unit_id
HAVING count(*) > 1
