"""Reading an SRA bundle from disk: verify everything, then cells in a pool of processes."""
