-- check: coverage_counts_what_is_there
-- signal_coverage has every combination of model, data set, condition and signal once, and counts the values that
-- the tables hold: none where a signal does not apply or was withheld.
WITH
_values AS (
    SELECT
        model,
        dataset,
        condition,
        unnest(['ab', 'tf', 'entropy_whole', 'entropy_answer', 'entropy_numeric']) AS signal,
        unnest([
            count(ab_p_correct),
            count(*) FILTER (conf_ranks(tf_p_correct)),
            count(entropy_mean),
            count(answer_entropy_mean),
            count(numeric_entropy_mean)
        ]) AS n
    FROM rollouts
    GROUP BY model, dataset, condition
    UNION ALL
    SELECT
        model,
        dataset,
        condition,
        'agreement' AS signal,
        count(agreement) AS n
    FROM question_conditions
    GROUP BY model, dataset, condition
),

_expected AS (
    SELECT
        m.model,
        d.dataset,
        c.condition,
        s.signal
    FROM (SELECT DISTINCT model FROM signal_coverage) AS m
    CROSS JOIN (SELECT DISTINCT dataset FROM signal_coverage) AS d
    CROSS JOIN (SELECT DISTINCT condition FROM signal_coverage) AS c
    CROSS JOIN (SELECT DISTINCT signal FROM signal_coverage) AS s
)

SELECT
    coalesce(e.model, v.model) AS model,
    coalesce(e.dataset, v.dataset) AS dataset,
    coalesce(e.condition, v.condition) AS condition,
    coalesce(e.signal, v.signal) AS signal
FROM _expected AS e
LEFT JOIN signal_coverage AS s
    ON e.model = s.model AND e.dataset = s.dataset AND e.condition = s.condition AND e.signal = s.signal
FULL JOIN _values AS v
    ON e.model = v.model AND e.dataset = v.dataset AND e.condition = v.condition AND e.signal = v.signal
WHERE s.model IS NULL OR s.n_present <> coalesce(v.n, 0)
