"""Statistics against scikit-learn, scipy, statsmodels and relplot.

Belongs here: tests of `transforms/statistics`, and observations made for them.

Does not belong here: the same figures from SQL (`tests/sql`).
"""
