"""What makes data: synthetic raw releases of every source, and the faults that are planted in them by name.

Nothing that reads a release imports this package. It takes from the readers only names that a release states itself.

Belongs here: a module or package a source, which draws a release with a known truth and writes it in the raw format.

Does not belong here: what a build must make of a fault (`tests/faults`), files on disk (`pipelines/samples`).
"""
