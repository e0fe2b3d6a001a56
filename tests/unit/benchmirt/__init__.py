"""BenchMIRT: reading, alignment, synthesis."""
