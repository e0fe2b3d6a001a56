"""The tables computed once from the others or from mathematics, so that SQL can look them up."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from warehouse.contracts.base import Table, count, real

SOURCE: Final = "statistics"


class TQuantiles(dy.Schema):
    """Student's t, for 95 % intervals."""

    df = count("Degrees of freedom: questions less one.", key=True)
    q975 = real("The 97.5 % quantile of Student's t with `df` degrees of freedom.", nullable=False, min=0.0)


TABLES: Final = (
    Table("t_quantiles", TQuantiles, SOURCE, "degrees of freedom", "Student's t quantiles for 95 % intervals."),
)
