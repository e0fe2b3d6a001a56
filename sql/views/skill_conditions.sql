-- view: skill_conditions
-- grain: source, model, dataset, condition, question_id
-- Which condition is compared with which, question by question, and whether the skill that it supplies is annotated for
-- the question: what skill_effect compares. It is the union of every view whose name ends in _skill_conditions, as
-- confidence_observations is.
-- column condition: the condition with a skill
-- column base_condition: the condition it is compared with
-- column skill_is_annotated: whether the skill supplied is annotated for the question; null where nobody knows
CREATE OR REPLACE VIEW skill_conditions AS
SELECT
    source,
    model,
    dataset,
    condition,
    base_condition,
    question_id,
    skill_is_annotated
FROM every_skill_conditions;
