"""Whatever may go wrong with inputs, disks, processes and readers, and what has to become of it.

Belongs here: planted faults and their outcome in a whole build, killed builds, full disks, hostile inputs, lakes that
were damaged.

Does not belong here: one reader's rule on one input (`tests/unit`), inputs nobody thought of (`tests/fuzz`).
"""
