"""One module a source of the lake; each holds a `SOURCE`."""
