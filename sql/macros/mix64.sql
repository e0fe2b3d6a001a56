-- macro: mix64
-- kind: scalar
-- internal
-- returns: a 64-bit number XORed with its own high bits and multiplied, modulo 2^64
-- One step of SplitMix64's output function.
-- example: SELECT mix64(42, 30, 13787848793156543929) AS bits
CREATE OR REPLACE MACRO mix64(state, shift, factor) AS
((xor(state::UHUGEINT, state::UHUGEINT >> shift) * factor::UHUGEINT) & 18446744073709551615::UHUGEINT);
