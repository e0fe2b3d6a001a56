-- picture: changed_findings
-- title: Findings that changed
-- of: findings
-- shows: Rules that noticed something more or less often.
-- hides: Not whether it was the same lines: as many findings may be other ones.
SELECT
    coalesce(a.severity, b.severity) AS severity,
    coalesce(a.source, b.source) AS source,
    coalesce(a.rule, b.rule) AS rule,
    coalesce(b.n, 0) AS n_before,
    coalesce(a.n, 0) AS n_after
FROM after AS a
FULL JOIN before AS b ON a.severity = b.severity AND a.source = b.source AND a.rule = b.rule
WHERE a.n IS DISTINCT FROM b.n
ORDER BY ALL;
