-- macro: bootstrap_weights
-- kind: table
-- internal
-- returns: one row a question and replicate in which it is drawn
-- How often a question is drawn in a bootstrap replicate: Poisson(1); once in replicate 0, which is the sample
-- itself. Replicate r is output number r of SplitMix64 (Steele, Lea and Flood, 2014) started from the question's
-- hash XOR the scrambled seed. It depends on nothing else, so every signal and condition gives a question the same
-- weight and differences between them are paired. `questions` names a relation with a column question_id. Stages,
-- because a macro's text is copied wherever it stands.
-- example: SELECT * FROM bootstrap_weights('t', 10, 20240229, '')
CREATE OR REPLACE MACRO bootstrap_weights(questions, b, seed, prefix) AS TABLE
WITH
_questions AS MATERIALIZED (
    SELECT
        question_id,
        question_hash(question_id, prefix := prefix)::UHUGEINT AS origin
    FROM query_table(questions)
    GROUP BY question_id
),

_seed_first AS (SELECT mix64(greatest(seed, 0), 30, 13787848793156543929) AS z),

_seed_second AS (SELECT mix64(z, 27, 10723151780598845931) AS z FROM _seed_first),

_seed AS MATERIALIZED (SELECT xor(z, z >> 31) AS z FROM _seed_second),

_states AS (
    SELECT
        question_id,
        replicate,
        (xor(origin, _seed.z) + replicate::UHUGEINT * 11400714819323198485::UHUGEINT)
        & 18446744073709551615::UHUGEINT AS z
    FROM _questions, _seed, (SELECT unnest(range(1, b::BIGINT + 1)) AS replicate) AS _replicates
),

_first AS (
    SELECT
        question_id,
        replicate,
        mix64(z, 30, 13787848793156543929) AS z
    FROM _states
),

_second AS (
    SELECT
        question_id,
        replicate,
        mix64(z, 27, 10723151780598845931) AS z
    FROM _first
),

_bits AS (
    SELECT
        question_id,
        replicate,
        xor(z, z >> 31)::UBIGINT AS bits
    FROM _second
),

_weights AS (
    SELECT
        question_id,
        0 AS replicate,
        1 AS weight
    FROM _questions
    UNION ALL
    SELECT
        question_id,
        replicate,
        poisson_count(bits) AS weight
    FROM _bits
)

SELECT
    question_id,
    replicate,
    weight
FROM _weights
WHERE weight > 0
UNION ALL BY NAME
SELECT NULL AS question_id
WHERE NOT (
    expected(is_whole(b, 1), 'b', b, 'a whole number of at least 1')
    AND expected(is_whole(seed, 0), 'seed', seed, 'a whole number of at least 0')
    AND expected(prefix IS NOT NULL, 'prefix', prefix, 'a text, which may be empty')
);
