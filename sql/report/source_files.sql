-- picture: source_files
-- title: What it was made from
-- shows: How many input files of each source were read, their size, and what verifying them found.
-- hides: Not whether a publisher's file is right; only whether it is the file that its manifest describes.
SELECT
    source,
    status,
    count(*) AS n_files,
    coalesce(sum(bytes_actual), 0)::BIGINT AS bytes
FROM source_files
GROUP BY source, status
ORDER BY source, status;
