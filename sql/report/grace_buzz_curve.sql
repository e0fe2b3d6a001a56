-- picture: grace_buzz_curve
-- title: Who knows when
-- shows: How many right and wrong buzzes a team has made, per question it played, by the time that share of the
--     question was heard; bands are 95 % intervals clustered by question.
-- hides: Not knowledge without a buzz: a team that waits, or that another team beat in the same room, is not seen.
SELECT
    team_kind,
    percent_heard,
    correct_rate,
    correct_rate_lo,
    correct_rate_hi,
    wrong_rate,
    wrong_rate_lo,
    wrong_rate_hi
FROM grace_buzz_curve
ORDER BY team_kind, percent_heard;
