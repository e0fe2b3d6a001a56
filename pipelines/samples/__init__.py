"""One module a source that can make a small sample of itself; each holds a `make_sample`.

Belongs here: which sample `callake demo` and the first lake get: sizes, seeds, and the arguments a build then takes.

Does not belong here: how made-up data is drawn: that is the source's generator's.
"""
