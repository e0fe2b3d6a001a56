-- picture: grace_human_model
-- title: Humans and models, by category
-- shows: How often a buzz is right, how early it comes and how often a team buzzes, with 95 % intervals clustered by
--     question.
-- hides: Not single teams or players, and not questions that nobody buzzed at in the accuracy and the earliness.
SELECT
    team_kind,
    category_group,
    n,
    accuracy,
    accuracy_lo,
    accuracy_hi,
    earliness,
    earliness_lo,
    earliness_hi,
    buzz_rate,
    buzz_rate_lo,
    buzz_rate_hi
FROM grace_human_model
WHERE tenth IS NULL
ORDER BY category_group, team_kind;
