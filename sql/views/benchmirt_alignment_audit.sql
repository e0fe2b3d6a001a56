-- view: benchmirt_alignment_audit
-- grain: benchmark x alignment group
-- Do all models' rows describe the same items? Models that answered the same items agree on which are hard. Group 1 is
-- the largest set of models that agree; every other group agrees with it less than half as well as models do within a
-- group, or its one model agrees with nobody (correlation with the rest below 0.1). Its rows were probably joined to
-- other items; a fit leaves it out. A benchmark is there if 50 of its items and 8 models can be compared.
-- column benchmark: benchmark, or all for every item together
-- column alignment_group: 1 for the largest group
-- column n_models: models of the group [models]
-- column models: their names, in order
-- column n_items: items that tell models apart [items]
-- column model_rest_correlation: mean over the group of each model's correlation with the mean of all other models
-- column own_group_correlation: mean tetrachoric correlation inside the group; null for one model
-- column main_group_correlation: mean tetrachoric correlation with the other models of group 1
-- column alignment_suspect: whether the group is not group 1 [flag]
CREATE OR REPLACE VIEW benchmirt_alignment_audit AS
SELECT
    benchmark,
    alignment_group,
    count(*) AS n_models,
    list(model ORDER BY model) AS models,
    any_value(n_items) AS n_items,
    exact_sum(model_rest_correlation) / nullif(count(model_rest_correlation), 0) AS model_rest_correlation,
    exact_sum(own_group_correlation) / nullif(count(own_group_correlation), 0) AS own_group_correlation,
    exact_sum(main_group_correlation) / nullif(count(main_group_correlation), 0) AS main_group_correlation,
    bool_or(alignment_suspect) AS alignment_suspect
FROM benchmirt_alignment
GROUP BY benchmark, alignment_group;
