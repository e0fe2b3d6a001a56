-- picture: source_hashes
-- title: Every input file and its hash
-- shows: The SHA-256 of every file read, to compare with a copy at hand.
-- hides: Not the files themselves, and not where they stood.
SELECT
    source,
    path,
    status,
    sha256_actual
FROM source_files
ORDER BY source, path;
