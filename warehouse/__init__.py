"""Storage: contracts, layout, atomic writes, publishing, the catalog and the data dictionary."""
