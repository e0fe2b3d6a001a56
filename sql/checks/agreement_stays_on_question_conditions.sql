-- check: agreement_stays_on_question_conditions
-- Agreement has one row a question-condition. Copied onto nine rollouts it would shrink every standard error
-- threefold.
SELECT
    cell,
    question_id
FROM confidence_observations
WHERE signal = 'agreement'
GROUP BY cell, question_id
HAVING count(*) > 1 OR bool_or(unit <> 'question_condition')
