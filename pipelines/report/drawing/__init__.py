"""Numbers into marks: pure functions that know neither the lake nor HTML."""
