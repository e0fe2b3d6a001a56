"""The commands of `callake`, one module a command or a family of them.

Belongs here: options and their checks, what is printed, exit codes; each command calls what does the work and says
how it went.

Does not belong here: the work itself: another caller, such as a Dagster run, must be able to do it without a command.
"""
