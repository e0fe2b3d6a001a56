"""What makes data: synthetic raw releases of every source, and the faults that are planted in them by name.

Nothing that reads a release imports this package. It takes from the readers only names that a release states itself.
"""
