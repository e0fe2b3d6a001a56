"""Item response theory: fits with their errors, cross-validation, tables. numpy and scipy only.

Belongs here: models of any matrix of right and wrong, and the files of py-irt.

Does not belong here: where the matrix came from (`transforms/benchmirt`), a column's name in a benchmark's release.
"""

from transforms.irt.fitting import Fit, fit, rotate
from transforms.irt.pyirt import Parameters, read_parameters, write_parameters
from transforms.irt.request import Request
from transforms.irt.settings import WITHOUT_PRIORS, IrtInputError, Model, Settings
from transforms.irt.tables import FitTables, fit_tables
from transforms.irt.validation import CrossValidation, assign_folds, cross_validate

__all__ = [
    "WITHOUT_PRIORS",
    "CrossValidation",
    "Fit",
    "FitTables",
    "IrtInputError",
    "Model",
    "Parameters",
    "Request",
    "Settings",
    "assign_folds",
    "cross_validate",
    "fit",
    "fit_tables",
    "read_parameters",
    "rotate",
    "write_parameters",
]
