-- picture: benchmirt_alignment
-- title: Do all models' rows describe the same items?
-- shows: How well each model agrees with the largest group on which items are hard; a suspect model agrees with it less
--     than half as well as its members do, and takes no part in a fit.
-- hides: Not which rows are misplaced, and not whether a suspect model is a bad one.
SELECT
    model,
    concat('group ', alignment_group, CASE WHEN alignment_suspect THEN ', suspect' END) AS membership,
    n_items,
    model_rest_correlation,
    main_group_correlation
FROM benchmirt_alignment
WHERE benchmark = 'all'
ORDER BY alignment_group, model;
