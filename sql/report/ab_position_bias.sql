-- picture: ab_position_bias
-- title: Position bias of the A/B probe
-- shows: By how much p(correct) is higher when the letter A means correct than when B does: above 0 the model leans to
--     A, whatever it means; and how often the verdict flips with the order.
-- hides: Not an error of the signal: the A/B confidence is the mean of both orders, in which the lean cancels.
SELECT
    model,
    dataset,
    condition,
    n,
    position_bias,
    position_bias_lo,
    position_bias_hi,
    share_flipped
FROM ab_position_bias
ORDER BY model, dataset, condition;
