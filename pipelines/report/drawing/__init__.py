"""Numbers into marks: pure functions that know neither the lake nor HTML.

Belongs here: scales and ticks, where dots, whiskers, bars and curves stand, thinning of curves, numbers as text.

Does not belong here: names of models or queries, choices of what is drawn (`pipelines/report/sections`), markup
(`pipelines/report/templates`).
"""
