"""Statistics SQL cannot compute: fits, kernels, resampling and tail probabilities."""

from transforms.statistics.settings import DEFAULTS, Settings
from transforms.statistics.tables import statistics_tables, t_quantiles_table

__all__ = ["DEFAULTS", "Settings", "statistics_tables", "t_quantiles_table"]
