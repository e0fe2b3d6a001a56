-- picture: counts
-- title: How much of it there is
-- shows: Rows of the tables that hold what was observed, of every source.
-- hides: Not how many of the rows have a value: the coverage below says that.
WITH
_counts AS (
    SELECT
        'sra' AS source,
        'questions' AS table_name,
        count(*) AS n
    FROM questions
    UNION ALL
    SELECT
        'sra' AS source,
        'question_conditions' AS table_name,
        count(*) AS n
    FROM question_conditions
    UNION ALL
    SELECT
        'sra' AS source,
        'rollouts' AS table_name,
        count(*) AS n
    FROM rollouts
    UNION ALL
    SELECT
        'sra' AS source,
        'ab_verdicts' AS table_name,
        count(*) AS n
    FROM ab_verdicts
    UNION ALL
    SELECT
        'sra' AS source,
        'tf_verdicts' AS table_name,
        count(*) AS n
    FROM tf_verdicts
    UNION ALL
    SELECT
        'sra' AS source,
        'token_entropies' AS table_name,
        count(*) AS n
    FROM token_entropies
    UNION ALL
    SELECT
        'grace' AS source,
        'grace_questions' AS table_name,
        count(*) AS n
    FROM grace_questions
    UNION ALL
    SELECT
        'grace' AS source,
        'grace_buzzes' AS table_name,
        count(*) AS n
    FROM grace_buzzes
    UNION ALL
    SELECT
        'grace' AS source,
        'grace_runs' AS table_name,
        count(*) AS n
    FROM grace_runs
    UNION ALL
    SELECT
        'benchmirt' AS source,
        'benchmirt_models' AS table_name,
        count(*) AS n
    FROM benchmirt_models
    UNION ALL
    SELECT
        'benchmirt' AS source,
        'benchmirt_items' AS table_name,
        count(*) AS n
    FROM benchmirt_items
    UNION ALL
    SELECT
        'benchmirt' AS source,
        'benchmirt_responses' AS table_name,
        count(*) AS n
    FROM benchmirt_responses
)

SELECT
    source,
    table_name,
    n
FROM _counts
WHERE n > 0
ORDER BY source, table_name;
