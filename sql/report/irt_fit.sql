-- picture: irt_fit
-- title: The chosen fit
-- shows: Every fit of this version, the one drawn below first: of all items rather than a selection, then by the least
--     BIC.
-- hides: Not how well a fit predicts responses it has not seen: ask irt_cross_validation.
SELECT
    fit_id,
    n_models,
    n_items,
    n_responses,
    log_likelihood,
    bic,
    converged
FROM irt_fits
ORDER BY selection NULLS FIRST, bic, fit_id;
