-- macro: question_hash
-- kind: scalar
-- internal
-- returns: 64 bits that depend on the question's name alone
-- The first eight bytes of SHA-256 in little-endian order. The published bootstrap tables put the data set and
-- U+001F before the name, which `prefix` does.
-- example: SELECT question_hash('champ_00001', prefix := 'champ' || chr(31)) AS bits
CREATE OR REPLACE MACRO question_hash(question_id, prefix := '') AS
concat(
    '0x',
    substr(sha256(concat(prefix, question_id)), 15, 2),
    substr(sha256(concat(prefix, question_id)), 13, 2),
    substr(sha256(concat(prefix, question_id)), 11, 2),
    substr(sha256(concat(prefix, question_id)), 9, 2),
    substr(sha256(concat(prefix, question_id)), 7, 2),
    substr(sha256(concat(prefix, question_id)), 5, 2),
    substr(sha256(concat(prefix, question_id)), 3, 2),
    substr(sha256(concat(prefix, question_id)), 1, 2)
)::UBIGINT;
