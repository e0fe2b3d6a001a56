-- view: published_figures_check
-- grain: figure, scope
-- What the publishers of the SRA bundle state against what this lake holds: counts, coverage, joins, and the AUROCs
-- they give for one model's entropies. agrees is null where they do not say enough to compare: not for which
-- condition the AUROCs are, nor over which cells the entropies were summed up. Empty in a lake without the bundle;
-- a sample or a part of the bundle does not agree with the counts of the whole, and should not.
-- example: SELECT * FROM published_figures_check WHERE NOT agrees
-- column figure: what is stated
-- column scope: for what part of the bundle
-- column stated: the publishers' number
-- column found: the same in this lake; null where there is nothing to take it from
-- column agrees: whether the two are equal; null where they cannot be compared
-- column note: what to know before comparing
CREATE OR REPLACE VIEW published_figures_check AS
WITH
_counts AS (
    FROM (
        VALUES
        ('models', 'all', 5),
        ('questions', 'all', 2830),
        ('questions', 'champ', 223),
        ('questions', 'theoremqa', 747),
        ('questions', 'medcalcbench', 1100),
        ('questions', 'logicbench', 760),
        ('question_conditions', 'all', 39620),
        ('rollouts', 'all', 356580),
        ('ab_records', 'all', 25470),
        ('ab_records', 'matched by answer hash', 25470),
        ('tf_records', 'all', 31130),
        ('tf_records', 'matched by answer hash', 14150),
        ('tf_records', 'aligned by position', 16980),
        ('entropy_rollouts', 'Qwen3.6-35B-A3B', 50940),
        ('entropy_rollouts', 'GLM-4.7-Flash', 50940),
        ('entropy_rollouts', 'Gemma-4-26B-A4B-it', 50940),
        ('entropy_rollouts', 'Qwen3-32B', 50940),
        ('entropy_rollouts', 'Gemma-4-31B-it', 50940),
        ('manifest_files', 'all', 349)
    ) AS stated (figure, scope, stated)
),

_records AS (
    SELECT
        'ab_records' AS figure,
        join_basis,
        join_status,
        struct_pack(m := model, d := dataset, c := condition, i := instance_id) AS record
    FROM ab_verdicts
    UNION ALL
    SELECT
        'tf_records' AS figure,
        join_basis,
        join_status,
        struct_pack(m := model, d := dataset, c := condition, i := instance_id) AS record
    FROM tf_verdicts
),

_found AS (
    SELECT
        'models' AS figure,
        'all' AS scope,
        count(DISTINCT model) AS found
    FROM question_conditions
    UNION ALL
    SELECT
        'questions' AS figure,
        coalesce(dataset, 'all') AS scope,
        count(DISTINCT struct_pack(d := dataset, i := instance_id)) AS found
    FROM question_conditions
    GROUP BY GROUPING SETS ((dataset), ())
    UNION ALL
    SELECT
        'question_conditions' AS figure,
        'all' AS scope,
        count(*) AS found
    FROM question_conditions
    UNION ALL
    SELECT
        'rollouts' AS figure,
        'all' AS scope,
        count(*) AS found
    FROM rollouts
    UNION ALL
    SELECT
        figure,
        'all' AS scope,
        count(DISTINCT record) AS found
    FROM _records
    GROUP BY figure
    UNION ALL
    SELECT
        figure,
        CASE join_basis WHEN 'position' THEN 'aligned by position' ELSE 'matched by answer hash' END AS scope,
        count(DISTINCT record) AS found
    FROM _records
    WHERE join_status = 'joined'
    GROUP BY figure, join_basis
    UNION ALL
    SELECT
        'entropy_rollouts' AS figure,
        model AS scope,
        count(entropy_mean) AS found
    FROM rollouts
    GROUP BY model
    UNION ALL
    SELECT
        'manifest_files' AS figure,
        'all' AS scope,
        count(*) AS found
    FROM source_files
    WHERE source = 'sra' AND bytes_declared IS NOT NULL
),

_coverage AS (
    SELECT
        'data_sets_with_signal' AS figure,
        concat_ws('/', model, condition, signal) AS scope,
        CASE
            WHEN model = 'Gemma-4-26B-A4B-it' AND condition = 'gold_skill' THEN 0
            WHEN signal = 'agreement' THEN 4
            WHEN signal = 'ab' THEN 4 * (model NOT LIKE 'Gemma%')::INTEGER
            WHEN signal = 'tf' THEN 4 * (condition <> 'gold_skill' OR model = 'Gemma-4-31B-it')::INTEGER
            ELSE 4 * (condition <> 'gold_skill')::INTEGER
        END AS stated,
        count(*) FILTER (status IN ('present', 'partial')) AS found
    FROM signal_coverage
    WHERE signal IN ('agreement', 'ab', 'tf', 'entropy_whole')
    GROUP BY model, condition, signal
),

_levels AS (
    SELECT
        ordered_sum(e.sum) / nullif(sum(e.n_tokens), 0) AS token_mean,
        max(e.max) AS token_max
    FROM rollout_entropies AS e
    WHERE e.model = 'Qwen3.6-35B-A3B' AND e.span = 'whole'
),

_aurocs AS (
    FROM (
        VALUES
        ('champ', 'whole', 0.549),
        ('champ', 'answer', 0.639),
        ('champ', 'numeric', 0.692),
        ('theoremqa', 'whole', 0.659),
        ('theoremqa', 'answer', 0.559),
        ('theoremqa', 'numeric', 0.535),
        ('medcalcbench', 'whole', 0.777),
        ('medcalcbench', 'answer', 0.632),
        ('medcalcbench', 'numeric', 0.690)
    ) AS stated (dataset, span, stated)
),

_rows AS (
    SELECT
        c.figure,
        c.scope,
        c.stated,
        coalesce(f.found, 0) AS found,
        coalesce(f.found, 0) = c.stated AS agrees,
        NULL AS note
    FROM _counts AS c
    LEFT JOIN _found AS f ON c.figure = f.figure AND c.scope = f.scope
    UNION ALL
    SELECT
        figure,
        scope,
        stated,
        found,
        found = stated AS agrees,
        'uneven on purpose: what is not stated is not applicable or withheld' AS note
    FROM _coverage
    UNION ALL
    SELECT
        'entropy_mean_over_tokens' AS figure,
        'Qwen3.6-35B-A3B' AS scope,
        0.102 AS stated,
        token_mean AS found,
        NULL AS agrees,
        'the description does not say over which cells' AS note
    FROM _levels
    UNION ALL
    SELECT
        'entropy_maximum' AS figure,
        'Qwen3.6-35B-A3B' AS scope,
        3.28 AS stated,
        token_max AS found,
        NULL AS agrees,
        'the description does not say over which cells' AS note
    FROM _levels
    UNION ALL
    SELECT
        'entropy_auroc' AS figure,
        concat_ws('/', e.model, e.dataset, e.condition, e.span) AS scope,
        a.stated,
        e.auroc_mean AS found,
        NULL AS agrees,
        'the description does not say for which condition' AS note
    FROM _aurocs AS a
    INNER JOIN entropy_by_span AS e ON a.dataset = e.dataset AND a.span = e.span
    WHERE e.model = 'Qwen3.6-35B-A3B'
)

SELECT
    figure,
    scope,
    stated::DOUBLE AS stated,
    found::DOUBLE AS found,
    agrees::BOOLEAN AS agrees,
    note
FROM _rows
WHERE EXISTS (SELECT 1 AS one FROM rollouts);
