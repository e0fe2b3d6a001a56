-- check: cells_have_one_key
-- A cell of confidence_observations is one source, model, data set, condition and signal, of one unit, and is a
-- probability throughout or not at all.
SELECT cell
FROM confidence_observations
GROUP BY cell
HAVING
    count(DISTINCT struct_pack(s := source, m := model, d := dataset, c := condition, g := signal)) > 1
    OR count(DISTINCT unit) > 1
    OR count(DISTINCT is_probability) > 1
