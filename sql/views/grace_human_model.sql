-- view: grace_human_model
-- grain: team_kind x category_group x tenth
-- Humans and models side by side: how often a buzz is right, how early it comes, and how often a team buzzes, over the
-- whole question and by the tenth of its words heard. Standard errors are clustered by question (CR1), intervals are
-- t with n_questions - 1 (of the questions the mean is over), null where there is one question. The release does not say
-- which teams heard which question: a team is taken to have played every question of a packet in which it buzzes once.
-- column team_kind: human or model
-- column category_group: the publishers' coarse grouping of categories; all for all of them
-- column tenth: tenth of the question's words in which the buzz falls, 1 to 10: (word_index + 1) / words in
--   ((tenth - 1) / 10, tenth / 10]; null for the whole question
-- column n: buzzes [buzzes]
-- column n_correct: right ones among them [buzzes]
-- column n_questions: questions with such a buzz: the clusters of accuracy and earliness [questions]
-- column n_team_questions: questions times teams that played them [team-questions]
-- column accuracy: n_correct / n; null without a buzz
-- column accuracy_se: its standard error
-- column accuracy_lo: lower end of its 95 % interval
-- column accuracy_hi: upper end of its 95 % interval
-- column earliness: mean share of the question not yet heard at the buzz; null without a buzz
-- column earliness_se: its standard error
-- column earliness_lo: lower end of its 95 % interval
-- column earliness_hi: upper end of its 95 % interval
-- column buzz_rate: n / n_team_questions: how often a team buzzes (there)
-- column buzz_rate_se: its standard error, over all questions played
-- column buzz_rate_lo: lower end of its 95 % interval
-- column buzz_rate_hi: upper end of its 95 % interval
CREATE OR REPLACE VIEW grace_human_model AS
WITH questions AS (
    SELECT
        packet,
        ordinal,
        n_words,
        unnest(['all', category_group]) AS category_group
    FROM grace_questions
),

buzzes AS (
    SELECT
        team_kind,
        packet,
        ordinal,
        team,
        word_index,
        correct
    FROM grace_buzzes
),

-- Every question a team played, with its buzz if it made one; the tenth in whole numbers, so no edge is a double.
played AS (
    SELECT
        teams.team_kind,
        questions.category_group,
        questions.packet,
        questions.ordinal,
        buzzes.correct,
        buzzes.word_index IS NOT NULL AS buzzed,
        (10 * (buzzes.word_index + 1) + questions.n_words - 1) // questions.n_words AS buzz_tenth,
        1.0::DOUBLE - (buzzes.word_index + 1)::DOUBLE / questions.n_words AS unheard
    FROM (SELECT DISTINCT packet, team, team_kind FROM buzzes) AS teams
    INNER JOIN questions ON questions.packet = teams.packet
    LEFT JOIN buzzes
        ON
            buzzes.packet = questions.packet
            AND buzzes.ordinal = questions.ordinal
            AND buzzes.team = teams.team
),

-- One row a question, a kind and a tenth: what the figures are sums of.
by_question AS (
    SELECT
        played.team_kind,
        played.category_group,
        tenths.tenth,
        played.packet,
        played.ordinal,
        count(*)::DOUBLE AS n_played,
        count(*) FILTER (played.buzzed AND coalesce(played.buzz_tenth = tenths.tenth, true))::DOUBLE AS n_buzzed,
        count(*) FILTER (played.correct AND coalesce(played.buzz_tenth = tenths.tenth, true))::DOUBLE AS n_right,
        coalesce(
            list_sum(
                list(played.unheard ORDER BY played.unheard)
                FILTER (played.buzzed AND coalesce(played.buzz_tenth = tenths.tenth, true))
            ), 0.0::DOUBLE
        ) AS unheard
    FROM played
    CROSS JOIN (SELECT unnest([NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) AS tenth) AS tenths
    GROUP BY played.team_kind, played.category_group, tenths.tenth, played.packet, played.ordinal
),

sums AS (
    SELECT
        team_kind,
        category_group,
        tenth,
        list(
            {'rows': n_buzzed, 'accuracy': n_right, 'earliness': unheard}
            ORDER BY packet, ordinal
        ) FILTER (n_buzzed > 0) AS buzzed,
        list({'rows': n_played, 'buzz_rate': n_buzzed} ORDER BY packet, ordinal) AS played
    FROM by_question
    GROUP BY team_kind, category_group, tenth
),

sizes AS (
    SELECT
        team_kind,
        category_group,
        tenth,
        coalesce(buzzed, []) AS buzzed,
        played,
        len(coalesce(buzzed, [])) AS n_questions,
        len(played) AS n_questions_played,
        list_sum(list_transform(buzzed, lambda q: q.rows)) AS n,
        list_sum(list_transform(buzzed, lambda q: q.accuracy)) AS n_correct,
        list_sum(list_transform(played, lambda q: q.rows)) AS n_played
    FROM sums
),

means AS (
    SELECT
        *,
        n_correct / n AS accuracy,
        list_sum(list_transform(buzzed, lambda q: q.earliness)) / n AS earliness,
        coalesce(n, 0.0::DOUBLE) / n_played AS buzz_rate
    FROM sizes
),

-- CR1: the sum over questions of the squared summed deviations, times G / (G - 1), over N squared.
errors AS (
    SELECT
        *,
        CASE
            WHEN n_questions > 1
                THEN sqrt(
                    list_sum(list_transform(buzzed, lambda q: pow(q.accuracy - q.rows * accuracy, 2)))
                    * n_questions / (n_questions - 1)
                ) / n
        END AS accuracy_se,
        CASE
            WHEN n_questions > 1
                THEN sqrt(
                    list_sum(list_transform(buzzed, lambda q: pow(q.earliness - q.rows * earliness, 2)))
                    * n_questions / (n_questions - 1)
                ) / n
        END AS earliness_se,
        CASE
            WHEN n_questions_played > 1
                THEN sqrt(
                    list_sum(list_transform(played, lambda q: pow(q.buzz_rate - q.rows * buzz_rate, 2)))
                    * n_questions_played / (n_questions_played - 1)
                ) / n_played
        END AS buzz_rate_se
    FROM means
)

SELECT
    errors.team_kind,
    errors.category_group,
    errors.tenth,
    coalesce(errors.n, 0)::BIGINT AS n,
    coalesce(errors.n_correct, 0)::BIGINT AS n_correct,
    errors.n_questions,
    errors.n_played::BIGINT AS n_team_questions,
    errors.accuracy,
    errors.accuracy_se,
    errors.accuracy - over_buzzed.q975 * errors.accuracy_se AS accuracy_lo,
    errors.accuracy + over_buzzed.q975 * errors.accuracy_se AS accuracy_hi,
    errors.earliness,
    errors.earliness_se,
    errors.earliness - over_buzzed.q975 * errors.earliness_se AS earliness_lo,
    errors.earliness + over_buzzed.q975 * errors.earliness_se AS earliness_hi,
    errors.buzz_rate,
    errors.buzz_rate_se,
    errors.buzz_rate - over_played.q975 * errors.buzz_rate_se AS buzz_rate_lo,
    errors.buzz_rate + over_played.q975 * errors.buzz_rate_se AS buzz_rate_hi
FROM errors
LEFT JOIN t_quantiles AS over_buzzed ON over_buzzed.df = least(errors.n_questions - 1, 10000)
LEFT JOIN t_quantiles AS over_played ON over_played.df = least(errors.n_questions_played - 1, 10000)
ORDER BY errors.team_kind, errors.category_group, errors.tenth NULLS FIRST;
