"""BenchMIRT: reading, alignment."""
