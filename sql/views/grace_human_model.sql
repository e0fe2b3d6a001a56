-- view: grace_human_model
-- grain: team_kind x category_group x tenth
-- Humans and models side by side: how often a buzz is right, how early it comes, and how often a team buzzes, over
-- the whole question and by the tenth of its words heard. Standard errors are clustered by question (CR1), intervals
-- by Student's t with one degree of freedom less than the questions the mean is over; they are not cut at 0 and 1.
-- The release does not say which teams heard which question: a team is taken to have played every question of a
-- packet in which it buzzes at least once.
-- column team_kind: human or model
-- column category_group: the publishers' coarse grouping of categories; `all` for all of them
-- column tenth: tenth of the words heard at the buzz, (lo, hi] of tenths, 1 to 10; null for the whole question
-- column n: buzzes [buzzes]
-- column n_correct: right ones among them [buzzes]
-- column n_questions: questions with such a buzz: the clusters of accuracy and earliness [questions]
-- column n_team_questions: questions times teams that played them [team-questions]
-- column n_questions_played: questions that a team of the kind played: the clusters of buzz_rate [questions]
-- column accuracy: share of the buzzes that are right; null without a buzz
-- column accuracy_se: standard error of accuracy; null with one question
-- column accuracy_lo: lower end of its 95 % interval
-- column accuracy_hi: upper end of its 95 % interval
-- column earliness: mean share of the question's words not yet heard at the buzz; null without a buzz
-- column earliness_se: standard error of earliness; null with one question
-- column earliness_lo: lower end of its 95 % interval
-- column earliness_hi: upper end of its 95 % interval
-- column buzz_rate: buzzes (there) per question and team
-- column buzz_rate_se: standard error of buzz_rate; null with one question
-- column buzz_rate_lo: lower end of its 95 % interval
-- column buzz_rate_hi: upper end of its 95 % interval
CREATE OR REPLACE VIEW grace_human_model AS
WITH
_questions AS (
    SELECT
        packet,
        ordinal,
        n_words,
        unnest(['all', category_group]) AS category_group
    FROM grace_questions
),

_teams AS (
    SELECT DISTINCT
        packet,
        team,
        team_kind
    FROM grace_buzzes
),

-- A row for every question a team played and every tenth, null for the whole question. Whole numbers say in which tenth
-- a buzz is, so that no edge is a double.
_played AS (
    SELECT
        teams.team_kind || '/' || questions.category_group || '/' || coalesce(tenths.tenth::VARCHAR, '') AS cell,
        teams.team_kind,
        questions.category_group,
        tenths.tenth,
        questions.packet || '/' || questions.ordinal AS question_id,
        buzzes.word_index IS NOT NULL
        AND coalesce(
            (10 * (buzzes.word_index + 1) + questions.n_words - 1) // questions.n_words = tenths.tenth, true
        ) AS buzzed,
        buzzes.correct,
        1.0::DOUBLE - (buzzes.word_index + 1)::DOUBLE / questions.n_words AS earliness
    FROM _teams AS teams
    INNER JOIN _questions AS questions ON teams.packet = questions.packet
    CROSS JOIN (SELECT unnest([NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) AS tenth) AS tenths
    LEFT JOIN grace_buzzes AS buzzes
        ON
            questions.packet = buzzes.packet
            AND questions.ordinal = buzzes.ordinal
            AND teams.team = buzzes.team
),

_buzzed AS (
    FROM _played
    WHERE buzzed
),

_cells AS (
    SELECT
        cell,
        any_value(team_kind) AS team_kind,
        any_value(category_group) AS category_group,
        any_value(tenth) AS tenth,
        count(*) FILTER (buzzed AND correct) AS n_correct
    FROM _played
    GROUP BY cell
),

_rates AS (FROM clustered_mean_of('_played', 'buzzed')),

_accuracies AS (FROM clustered_mean_of('_buzzed', 'correct')),

_earliness AS (FROM clustered_mean_of('_buzzed', 'earliness'))

SELECT
    _cells.team_kind,
    _cells.category_group,
    _cells.tenth,
    coalesce(_accuracies.n, 0) AS n,
    _cells.n_correct,
    coalesce(_accuracies.n_questions, 0) AS n_questions,
    _rates.n AS n_team_questions,
    _rates.n_questions AS n_questions_played,
    _accuracies.mean AS accuracy,
    _accuracies.mean_se AS accuracy_se,
    _accuracies.mean_lo AS accuracy_lo,
    _accuracies.mean_hi AS accuracy_hi,
    _earliness.mean AS earliness,
    _earliness.mean_se AS earliness_se,
    _earliness.mean_lo AS earliness_lo,
    _earliness.mean_hi AS earliness_hi,
    _rates.mean AS buzz_rate,
    _rates.mean_se AS buzz_rate_se,
    _rates.mean_lo AS buzz_rate_lo,
    _rates.mean_hi AS buzz_rate_hi
FROM _cells
INNER JOIN _rates ON _cells.cell = _rates.cell
LEFT JOIN _accuracies ON _cells.cell = _accuracies.cell
LEFT JOIN _earliness ON _cells.cell = _earliness.cell
ORDER BY _cells.team_kind, _cells.category_group, _cells.tenth NULLS FIRST;
