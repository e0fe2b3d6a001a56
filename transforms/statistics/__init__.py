"""Statistics SQL cannot compute: fits, kernels, resampling and tail probabilities.

Belongs here: functions of the observations of one model on one data set, whatever their source, and the tables of
their results.

Does not belong here: what a query can say exactly (`sql/macros`, `sql/tables`); the name of a source or of a
benchmark.
"""

from transforms.statistics.settings import DEFAULTS, Settings
from transforms.statistics.tables import statistics_tables, t_quantiles_table

__all__ = ["DEFAULTS", "Settings", "statistics_tables", "t_quantiles_table"]
