"""One module a source that can make a small sample of itself; each holds a `make_sample`."""
