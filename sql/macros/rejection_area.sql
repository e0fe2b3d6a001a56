-- macro: rejection_area
-- kind: scalar
-- internal
-- returns: sum over the ranks of one block of tied rows of the expected selective risk at that rank
-- Above the block stand `k` rows with `errors` wrong ones; it has `m` rows with `wrong` wrong ones, in random
-- order. `from_rank` leaves out the ranks before it.
-- example: SELECT rejection_area(1, 0, 3, 1) AS area
CREATE OR REPLACE MACRO rejection_area(k, errors, m, wrong, from_rank := 1) AS
CASE
    WHEN m = 1 AND from_rank = 1 THEN (errors + wrong)::DOUBLE / (k + 1)
    ELSE coalesce(
        list_sum(
            list_transform(
                range(greatest(1, from_rank - k)::BIGINT, m::BIGINT + 1),
                LAMBDA j: (errors + j * wrong::DOUBLE / m) / (k + j)
            )
        ),
        0.0
    )
END;
