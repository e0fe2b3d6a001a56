-- view: grace_release_check
-- grain: figure
-- What the public GRACE release holds against what this lake holds. The release is known by the SHA-256 of its zip;
-- for another one nothing is stated, so nothing agrees or disagrees. The publishers state 1,749 buzzes; the other
-- counts are those of the same file.
-- column figure: what is counted
-- column stated: count of the public release
-- column found: count in this lake
-- column agrees: whether they are equal; null where this lake holds no public release
CREATE OR REPLACE VIEW grace_release_check AS
WITH stated AS (
    SELECT
        counts.figure,
        counts.stated
    FROM (
        VALUES
            ('questions', 240),
            ('buzzes', 1749),
            ('human_buzzes', 1371),
            ('human_right', 1079),
            ('model_buzzes', 378),
            ('model_right', 268)
    ) AS counts (figure, stated)
),

found AS (
    SELECT
        'questions' AS figure,
        count(*) AS found
    FROM grace_questions
    UNION ALL
    SELECT
        'buzzes' AS figure,
        count(*) AS found
    FROM grace_buzzes
    UNION ALL
    SELECT
        kinds.team_kind || '_buzzes' AS figure,
        count(buzzes.team) AS found
    FROM (VALUES ('human'), ('model')) AS kinds (team_kind)
    LEFT JOIN grace_buzzes AS buzzes ON buzzes.team_kind = kinds.team_kind
    GROUP BY kinds.team_kind
    UNION ALL
    SELECT
        kinds.team_kind || '_right' AS figure,
        count(buzzes.team) FILTER (buzzes.correct) AS found
    FROM (VALUES ('human'), ('model')) AS kinds (team_kind)
    LEFT JOIN grace_buzzes AS buzzes ON buzzes.team_kind = kinds.team_kind
    GROUP BY kinds.team_kind
),

release AS (
    SELECT count(*) > 0 AS is_known
    FROM source_files
    WHERE
        source = 'grace'
        AND sha256_actual = '05eb4e5965c31d97182882e814c0365a0dd4caba9519f4fc354e4660f65a84c0'
)

SELECT
    stated.figure,
    stated.stated,
    found.found,
    CASE WHEN release.is_known THEN stated.stated = found.found END AS agrees
FROM stated
INNER JOIN found ON found.figure = stated.figure
CROSS JOIN release
ORDER BY stated.figure;
