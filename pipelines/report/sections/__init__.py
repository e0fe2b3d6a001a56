"""The parts of the page: pure functions from the rows of pictures to what is laid out.

Belongs here: which pictures a part has, what their rows become, switches, legends and notes of one part each.

Does not belong here: asking the lake (`pipelines/report/reading.py`), geometry (`pipelines/report/drawing`), sums and
means of any kind.
"""
