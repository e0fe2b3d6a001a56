-- view: confidence_observations
-- grain: source x model x dataset x condition x signal x unit_id
-- Every confidence signal of every source in one relation; every macro runs on it as it is. It is the union of every view
-- whose name ends in `_confidence_observations`: the loader writes the statement, so a new source adds its own view only.
SELECT 'written by the loader';
