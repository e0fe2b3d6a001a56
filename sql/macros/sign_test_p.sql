-- macro: sign_test_p
-- kind: scalar
-- returns: exact two-sided binomial p-value of k in n against one half; 1 where n is 0
-- Sums of ratios to the middle term, so nothing overflows.
-- example: SELECT sign_test_p(3, 12) AS p
CREATE OR REPLACE MACRO sign_test_p(k, n) AS
CASE
    WHEN
        NOT expected(
            coalesce(k BETWEEN 0 AND n AND k = floor(k) AND n = floor(n), true),
            'k of n', concat(k, ' of ', n), 'whole numbers, k from 0 to n'
        ) THEN NULL
    WHEN 2 * least(k, n - k) >= n - 1 THEN 1.0
    ELSE
        2
        * list_reduce(
            range(least(k, n - k)::BIGINT + 1, n::BIGINT // 2 + 1),
            LAMBDA ratio, i: ratio * i / (n - i + 1),
            1.0::DOUBLE
        )
        * list_reduce(
            range(1, least(k, n - k)::BIGINT + 1), LAMBDA tail, i: 1 + i / (n - i + 1.0::DOUBLE) * tail, 1.0::DOUBLE
        )
        / (
            2 * list_reduce(
                range(1, n::BIGINT // 2 + 1), LAMBDA tail, i: 1 + i / (n - i + 1.0::DOUBLE) * tail, 1.0::DOUBLE
            )
            - (n % 2 = 0)::INTEGER
        )
END;
