-- macro: bootstrap_ci
-- kind: table
-- returns: one row a cell
-- Percentile interval of a figure by cluster bootstrap: a replicate gives every question with all its rows a
-- Poisson(1) weight that depends on its name, the replicate and the seed alone, so runs repeat and differences
-- between cells are paired. bootstrap_bias is the mean over replicates less the figure: a binned calibration error
-- is biased upward in every replicate. Replicates in which the figure is undefined are counted and left out. The
-- lake's own intervals are in bootstrap_intervals.
-- parameter stat: accuracy, mean_confidence, bias, brier, log_loss, ece, auroc, average_precision, aurc, e_aurc,
--   augrc or prr
-- parameter b: number of replicates
-- parameter seed: whole number from 0
-- parameter prefix: put before the question's name in its hash; bootstrap_intervals has the data set and chr(31)
-- example: SELECT cell, estimate, lo, hi, bootstrap_bias FROM bootstrap_ci('t', 'ece', b := 100)
CREATE OR REPLACE MACRO bootstrap_ci(tbl, stat, b := 200, seed := 20240229, prefix := '') AS TABLE
WITH
_rows AS (
    SELECT
        cell,
        question_id,
        confidence::DOUBLE + 0.0 AS confidence,
        is_correct(correct) AS is_right
    FROM query_table(tbl)
    WHERE
        correct IS NOT NULL
        AND CASE
            WHEN stat IN ('accuracy', 'mean_confidence', 'bias', 'brier', 'log_loss', 'ece') THEN conf_ok(confidence)
            ELSE conf_ranks(confidence)
        END
),

_weights AS MATERIALIZED (FROM bootstrap_weights('_rows', b, seed, prefix)),

_question_sums AS (
    SELECT
        cell,
        question_id,
        CASE WHEN stat = 'ece' THEN conf_bin(confidence, 10) ELSE 1 END AS bin,
        count(*) AS n,
        ordered_sum(
            CASE stat
                WHEN 'accuracy' THEN is_right::INTEGER
                WHEN 'mean_confidence' THEN confidence
                WHEN 'brier' THEN pow(confidence - is_right::INTEGER, 2)
                WHEN 'log_loss' THEN log_loss_of_row(confidence, is_right)
                ELSE confidence - is_right::INTEGER
            END
        ) AS total
    FROM _rows
    WHERE stat IN ('accuracy', 'mean_confidence', 'bias', 'brier', 'log_loss', 'ece')
    GROUP BY ALL
),

_bin_sums AS (
    SELECT
        cell,
        replicate,
        sum(weight * n) AS n,
        exact_sum(weight * total) AS total
    FROM _question_sums
    INNER JOIN _weights ON _question_sums.question_id = _weights.question_id
    GROUP BY cell, replicate, bin
),

_drawn AS (
    SELECT
        struct_pack(cell := cell, replicate := replicate) AS cell,
        confidence,
        sum(weight) AS n,
        sum(weight) FILTER (is_right) AS n_correct
    FROM _rows
    INNER JOIN _weights ON _rows.question_id = _weights.question_id
    WHERE stat IN ('auroc', 'average_precision', 'aurc', 'e_aurc', 'augrc', 'prr')
    GROUP BY ALL
),

_drawn_groups AS (
    SELECT
        cell,
        n::BIGINT AS n,
        coalesce(n_correct, 0)::BIGINT AS n_correct,
        (sum(n) OVER surer - n)::BIGINT AS n_above,
        (coalesce(sum(n_correct) OVER surer, 0) - coalesce(n_correct, 0))::BIGINT AS n_correct_above
    FROM _drawn
    WINDOW surer AS (PARTITION BY cell ORDER BY confidence DESC ROWS UNBOUNDED PRECEDING)
),

_values AS (
    SELECT
        cell,
        replicate,
        CASE WHEN stat = 'ece' THEN exact_sum(abs(total)) ELSE exact_sum(total) END / sum(n) AS figure
    FROM _bin_sums
    GROUP BY cell, replicate
    UNION ALL
    SELECT
        cell.cell,
        cell.replicate,
        CASE stat
            WHEN 'auroc' THEN auroc
            WHEN 'average_precision' THEN average_precision
            WHEN 'aurc' THEN aurc
            WHEN 'e_aurc' THEN e_aurc
            WHEN 'augrc' THEN augrc
            ELSE prr
        END AS figure
    FROM rank_figures_of('_drawn_groups')
),

_figures AS (
    SELECT
        cell,
        any_value(figure) FILTER (replicate = 0) AS estimate,
        count(figure) FILTER (replicate > 0) AS n_replicates,
        ordered_mean(CASE WHEN replicate > 0 THEN figure END) AS bootstrap_mean,
        quantile_cont(figure, 0.025) FILTER (replicate > 0) AS lo,
        quantile_cont(figure, 0.975) FILTER (replicate > 0) AS hi
    FROM _values
    GROUP BY cell
),

_spreads AS (
    SELECT
        v.cell,
        sqrt(ordered_sum(pow(v.figure - f.bootstrap_mean, 2)) / nullif(count(v.figure) - 1, 0)) AS se
    FROM _values AS v
    INNER JOIN _figures AS f ON v.cell = f.cell
    WHERE v.replicate > 0
    GROUP BY v.cell
),

_counts AS (
    SELECT
        cell,
        count(*) AS n,
        count(DISTINCT question_id) AS n_questions
    FROM _rows
    GROUP BY cell
),

_joined AS (
    SELECT
        _cells.cell,
        coalesce(n, 0) AS n,
        n_null,
        n_nan,
        coalesce(n_questions, 0) AS n_questions,
        estimate,
        se,
        lo,
        hi,
        bootstrap_mean,
        coalesce(n_replicates, 0) AS n_replicates,
        CASE
            WHEN n IS NULL THEN 'empty'
            WHEN n_questions = 1 THEN 'one_question'
            WHEN n_replicates < 2 THEN 'too_few_replicates'
        END AS reason
    FROM row_counts(tbl) AS _cells
    LEFT JOIN _counts ON _cells.cell = _counts.cell
    LEFT JOIN _figures ON _cells.cell = _figures.cell
    LEFT JOIN _spreads ON _cells.cell = _spreads.cell
)

SELECT
    cell,
    stat AS statistic,
    n,
    n_null,
    n_nan,
    n_questions,
    estimate,
    CASE WHEN reason IS NULL THEN se END AS se,
    CASE WHEN reason IS NULL THEN lo END AS lo,
    CASE WHEN reason IS NULL THEN hi END AS hi,
    CASE WHEN reason IS NULL THEN bootstrap_mean END AS bootstrap_mean,
    CASE WHEN reason IS NULL THEN bootstrap_mean - estimate END AS bootstrap_bias,
    n_replicates,
    b::BIGINT - n_replicates AS n_undefined,
    reason
FROM _joined
WHERE (SELECT known FROM known_keys(tbl))
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT (
    expected(
        stat IN (
            'accuracy', 'mean_confidence', 'bias', 'brier', 'log_loss', 'ece',
            'auroc', 'average_precision', 'aurc', 'e_aurc', 'augrc', 'prr'
        ),
        'stat',
        stat,
        'accuracy, mean_confidence, bias, brier, log_loss, ece, auroc, average_precision, aurc, e_aurc, augrc or prr'
    )
);
