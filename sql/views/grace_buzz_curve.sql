-- view: grace_buzz_curve
-- grain: team_kind x percent_heard
-- How the right and the wrong buzzes of humans and of models add up while a question is heard. The shares are of the
-- kind's own right (or wrong) buzzes, so both end at 1 and compare timing alone; the rates are per question and team,
-- so they end at different heights and compare how often a team buzzes at all. The release does not say which teams
-- heard which question: a team is taken to have played every question of a packet in which it buzzes at least once.
-- Intervals of the rates are clustered by question (CR1), as in grace_human_model, and not cut at 0 and 1.
-- column team_kind: human or model
-- column percent_heard: share of the question's words heard, 0 to 100 in steps of 1; an end is in [%]
-- column n: buzzes up to that point [buzzes]
-- column n_correct: right ones among them [buzzes]
-- column n_wrong: wrong ones among them [buzzes]
-- column correct_share: n_correct over all right buzzes of the kind; null where it has none
-- column wrong_share: n_wrong over all wrong buzzes of the kind; null where it has none
-- column n_team_questions: questions times teams that played them [team-questions]
-- column correct_rate: n_correct / n_team_questions
-- column correct_rate_se: standard error of correct_rate, clustered by question; null with one question
-- column correct_rate_lo: lower end of its 95 % interval, t with one degree of freedom less than the questions played
-- column correct_rate_hi: upper end of its 95 % interval
-- column wrong_rate: n_wrong / n_team_questions
-- column wrong_rate_se: standard error of wrong_rate, clustered by question; null with one question
-- column wrong_rate_lo: lower end of its 95 % interval
-- column wrong_rate_hi: upper end of its 95 % interval
-- column accuracy: n_correct / n; null before the first buzz
CREATE OR REPLACE VIEW grace_buzz_curve AS
WITH heard AS (
    SELECT
        buzzes.team_kind,
        buzzes.packet,
        buzzes.ordinal,
        -- The least whole percentage that is not below the share heard, in whole numbers: no bin edge is a double.
        (100 * (buzzes.word_index + 1) + questions.n_words - 1) // questions.n_words AS percent_heard,
        buzzes.correct
    FROM grace_buzzes AS buzzes
    INNER JOIN grace_questions AS questions
        ON questions.packet = buzzes.packet AND questions.ordinal = buzzes.ordinal
),

teams AS (
    SELECT
        packet,
        team_kind,
        count(DISTINCT team) AS n_teams
    FROM grace_buzzes
    GROUP BY packet, team_kind
),

grid AS (
    SELECT
        teams.team_kind,
        questions.packet,
        questions.ordinal,
        teams.n_teams,
        points.percent_heard
    FROM teams
    INNER JOIN grace_questions AS questions ON teams.packet = questions.packet
    CROSS JOIN (SELECT unnest(range(101)) AS percent_heard) AS points
),

-- A question is a cluster: its buzzes up to each point, among the teams that played it.
by_question AS (
    SELECT
        grid.team_kind,
        grid.percent_heard,
        any_value(grid.n_teams) AS n_teams,
        count(heard.percent_heard) FILTER (heard.percent_heard <= grid.percent_heard) AS n,
        count(*) FILTER (heard.percent_heard <= grid.percent_heard AND heard.correct) AS n_correct,
        count(*) FILTER (heard.percent_heard <= grid.percent_heard AND NOT heard.correct) AS n_wrong,
        count(*) FILTER (heard.correct) AS all_correct,
        count(*) FILTER (NOT heard.correct) AS all_wrong
    FROM grid
    LEFT JOIN heard
        ON grid.team_kind = heard.team_kind AND grid.packet = heard.packet AND grid.ordinal = heard.ordinal
    GROUP BY grid.team_kind, grid.packet, grid.ordinal, grid.percent_heard
),

-- Sums of whole numbers: the residuals' squares, sum (y - rate * teams)^2, are put together from them.
cumulated AS (
    SELECT
        team_kind,
        percent_heard,
        count(*) AS n_questions,
        sum(n_teams)::BIGINT AS n_team_questions,
        sum(n)::BIGINT AS n,
        sum(n_correct)::BIGINT AS n_correct,
        sum(n_wrong)::BIGINT AS n_wrong,
        sum(all_correct)::BIGINT AS all_correct,
        sum(all_wrong)::BIGINT AS all_wrong,
        sum(n_teams * n_teams)::DOUBLE AS teams_squared,
        sum(n_correct * n_correct)::DOUBLE AS correct_squared,
        sum(n_wrong * n_wrong)::DOUBLE AS wrong_squared,
        sum(n_correct * n_teams)::DOUBLE AS correct_teams,
        sum(n_wrong * n_teams)::DOUBLE AS wrong_teams
    FROM by_question
    GROUP BY team_kind, percent_heard
),

rates AS (
    SELECT
        *,
        n_correct::DOUBLE / n_team_questions AS correct_rate,
        n_wrong::DOUBLE / n_team_questions AS wrong_rate,
        sqrt(n_questions / nullif(n_questions - 1, 0)) / n_team_questions AS factor
    FROM cumulated
),

errors AS (
    SELECT
        *,
        factor * sqrt(
            greatest(0, correct_squared - 2 * correct_rate * correct_teams + pow(correct_rate, 2) * teams_squared)
        ) AS correct_rate_se,
        factor * sqrt(
            greatest(0, wrong_squared - 2 * wrong_rate * wrong_teams + pow(wrong_rate, 2) * teams_squared)
        ) AS wrong_rate_se
    FROM rates
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
    correct_rate,
    correct_rate_se,
    correct_rate - t_q975(n_questions - 1) * correct_rate_se AS correct_rate_lo,
    correct_rate + t_q975(n_questions - 1) * correct_rate_se AS correct_rate_hi,
    wrong_rate,
    wrong_rate_se,
    wrong_rate - t_q975(n_questions - 1) * wrong_rate_se AS wrong_rate_lo,
    wrong_rate + t_q975(n_questions - 1) * wrong_rate_se AS wrong_rate_hi,
    n_correct::DOUBLE / nullif(n, 0) AS accuracy
FROM errors
ORDER BY team_kind, percent_heard;
