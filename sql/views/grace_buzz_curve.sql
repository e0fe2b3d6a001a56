-- view: grace_buzz_curve
-- grain: team_kind x percent_heard
-- How the right and the wrong buzzes of humans and of models add up while a question is heard. The shares are of the
-- kind's own right (or wrong) buzzes, so both end at 1 and compare timing alone; the rates are per question and team,
-- so they end at different heights and compare how often a team buzzes at all. The release does not say which teams
-- heard which question: a team is taken to have played every question of a packet in which it buzzes at least once.
-- column team_kind: human or model
-- column percent_heard: share of the question's words heard, 0 to 100 in steps of 1; an end is in [%]
-- column n: buzzes up to that point [buzzes]
-- column n_correct: right ones among them [buzzes]
-- column n_wrong: wrong ones among them [buzzes]
-- column correct_share: n_correct over all right buzzes of the kind; null where it has none
-- column wrong_share: n_wrong over all wrong buzzes of the kind; null where it has none
-- column n_team_questions: questions times teams that played them [team-questions]
-- column correct_rate: n_correct / n_team_questions
-- column wrong_rate: n_wrong / n_team_questions
-- column accuracy: n_correct / n; null before the first buzz
CREATE OR REPLACE VIEW grace_buzz_curve AS
WITH heard AS (
    SELECT
        buzzes.team_kind,
        -- The least whole percentage that is not below the share heard, in whole numbers: no bin edge is a double.
        (100 * (buzzes.word_index + 1) + questions.n_words - 1) // questions.n_words AS percent_heard,
        buzzes.correct
    FROM grace_buzzes AS buzzes
    INNER JOIN grace_questions AS questions
        ON questions.packet = buzzes.packet AND questions.ordinal = buzzes.ordinal
),

teams AS (
    SELECT DISTINCT
        packet,
        team,
        team_kind
    FROM grace_buzzes
),

played AS (
    SELECT
        teams.team_kind,
        count(*) AS n_team_questions
    FROM teams
    INNER JOIN grace_questions AS questions ON questions.packet = teams.packet
    GROUP BY teams.team_kind
),

grid AS (
    SELECT
        played.team_kind,
        played.n_team_questions,
        points.percent_heard
    FROM played
    CROSS JOIN (SELECT unnest(range(101)) AS percent_heard) AS points
),

cumulated AS (
    SELECT
        grid.team_kind,
        grid.percent_heard,
        grid.n_team_questions,
        count(heard.percent_heard) FILTER (heard.percent_heard <= grid.percent_heard) AS n,
        count(*) FILTER (heard.percent_heard <= grid.percent_heard AND heard.correct) AS n_correct,
        count(*) FILTER (heard.percent_heard <= grid.percent_heard AND NOT heard.correct) AS n_wrong,
        count(*) FILTER (heard.correct) AS all_correct,
        count(*) FILTER (NOT heard.correct) AS all_wrong
    FROM grid
    LEFT JOIN heard ON heard.team_kind = grid.team_kind
    GROUP BY grid.team_kind, grid.percent_heard, grid.n_team_questions
)

SELECT
    team_kind,
    percent_heard::INTEGER AS percent_heard,
    n,
    n_correct,
    n_wrong,
    n_correct::DOUBLE / nullif(all_correct, 0) AS correct_share,
    n_wrong::DOUBLE / nullif(all_wrong, 0) AS wrong_share,
    n_team_questions,
    n_correct::DOUBLE / n_team_questions AS correct_rate,
    n_wrong::DOUBLE / n_team_questions AS wrong_rate,
    n_correct::DOUBLE / nullif(n, 0) AS accuracy
FROM cumulated
ORDER BY team_kind, percent_heard;
