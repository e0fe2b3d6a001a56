"""One module a source of the lake; each holds a `SOURCE`.

Belongs here: a source's options, what makes its inputs new, and the function that stages its tables; found here by
name.

Does not belong here: parsing and rules (`transforms/<source>`), contracts (`warehouse/contracts/<source>.py`), what
two sources share.
"""
