"""Item response fits."""
