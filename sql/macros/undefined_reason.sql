-- macro: undefined_reason
-- kind: scalar
-- internal
-- returns: null where the figure is there, 'empty' where no row can be used, else the reason given
-- example: SELECT undefined_reason(NULL, 0, 'one_class') AS reason
CREATE OR REPLACE MACRO undefined_reason(figure, n, otherwise) AS
CASE WHEN coalesce(n, 0) = 0 THEN 'empty' WHEN figure IS NULL THEN otherwise END;
