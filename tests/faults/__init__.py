"""Whatever may go wrong with inputs, disks, processes and readers, and what has to become of it."""
