-- view: sra_skill_conditions
-- grain: model, dataset, condition, question_id
-- SRA's conditions with a skill, each beside direct, which is the same question without one.
-- column source: sra
-- column condition: the condition with a skill
-- column base_condition: direct: the condition it is compared with
-- column question_id: instance_id
CREATE OR REPLACE VIEW sra_skill_conditions AS
SELECT
    'sra' AS source,
    model,
    dataset,
    condition,
    'direct' AS base_condition,
    instance_id AS question_id,
    skill_is_annotated
FROM question_conditions
WHERE condition <> 'direct';
