-- picture: findings
-- title: What was noticed
-- shows: How often each rule noticed something, by severity; an error would have refused the build.
-- hides: Not how much a finding matters for a figure, and not the values found.
SELECT
    severity,
    source,
    rule,
    count(*) AS n
FROM ingest_issues
GROUP BY severity, source, rule
ORDER BY severity, source, rule;
