"""SQL macros, views, tables and checks against references that were not written here.

Belongs here: tests that ask a database made of frames; made-up lakes; figures by scikit-learn, scipy, statsmodels and
known cases.

Does not belong here: a build, a lake on disk (`tests/pipelines`), statistics computed in Python
(`tests/unit/statistics`).
"""
