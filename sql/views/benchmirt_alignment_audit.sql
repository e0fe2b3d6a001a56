-- view: benchmirt_alignment_audit
-- grain: benchmark x alignment group x alignment status
-- Do all models' rows describe the same items? Models that answered the same items agree on which are hard. Group 1 is
-- the largest set of models that agree. A model is misaligned if it agrees with group 1 less than half as well as is
-- usual there, by more than chance explains: its rows were probably joined to other items. A fit leaves it out. A model
-- is not_comparable if what it shares with group 1 is too little to tell. A fit takes it if it is in group 1. Outside
-- of group 1 no item links it to the others, so a fit leaves it out. A benchmark is there if 50 of its items
-- tell models apart and 8 models answered any, or if some of its models share no item with the others.
-- column benchmark: benchmark, or all for every item together
-- column alignment_group: 1 for the largest group
-- column alignment_status: aligned, misaligned or not_comparable with group 1
-- column n_models: models of the group with this status [models]
-- column models: their names, in order
-- column n_items: items that tell models apart [items]
-- column n_shared_items: fewest items that one of them and another model of group 1 answered [items]
-- column model_rest_correlation: mean over them of each model's correlation with the mean of all other models
-- column own_group_correlation: mean correlation with the mean of the group's other models; null for one model
-- column main_group_correlation: mean correlation with the mean of the other models of group 1
-- column main_group_agreement: mean agreement with group 1: 1 as is usual there, 0 none
-- column alignment_suspect: whether they are misaligned [flag]
CREATE OR REPLACE VIEW benchmirt_alignment_audit AS
SELECT
    benchmark,
    alignment_group,
    alignment_status,
    count(*) AS n_models,
    list(model ORDER BY model) AS models,
    any_value(n_items) AS n_items,
    min(n_shared_items) AS n_shared_items,
    exact_sum(model_rest_correlation) / nullif(count(model_rest_correlation), 0) AS model_rest_correlation,
    exact_sum(own_group_correlation) / nullif(count(own_group_correlation), 0) AS own_group_correlation,
    exact_sum(main_group_correlation) / nullif(count(main_group_correlation), 0) AS main_group_correlation,
    exact_sum(main_group_agreement) / nullif(count(main_group_agreement), 0) AS main_group_agreement,
    bool_or(alignment_suspect) AS alignment_suspect
FROM benchmirt_alignment
GROUP BY benchmark, alignment_group, alignment_status;
