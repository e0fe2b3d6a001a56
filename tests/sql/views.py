"""What tests of views share: the cells of a made-up lake, and figures that know nothing of SQL."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import statsmodels.api as sm

from tests.sql.database import Connection, Row, rows

CLOSE = 1e-12


CELL = ["model", "dataset", "condition"]


COLUMNS = {
    "ab": "ab_p_correct", "tf": "tf_p_correct", "entropy_whole": "entropy_mean",
    "entropy_answer": "answer_entropy_mean", "entropy_numeric": "numeric_entropy_mean",
}  # fmt: skip


PROBABILITIES = ("agreement", "ab", "tf")


def usable(frame: pl.DataFrame) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    kept = frame.drop_nulls("confidence").filter(pl.col("confidence").is_not_nan())
    return kept["confidence"].to_numpy(), kept["correct"].to_numpy(), kept["instance_id"].to_numpy()


def clustered(values: npt.NDArray[Any], question: npt.NDArray[Any]) -> float:
    """CR1 by statsmodels, whose small-sample factor for one regressor is (n - 1) / (n - 1)."""
    values = values.astype(float)
    groups = np.unique(question, return_inverse=True)[1]
    fitted = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    return float(fitted.bse[0])


def insert(connection: Connection, table: str, **values: object) -> None:
    names = ", ".join(f"${name} AS {name}" for name in values)
    connection.execute(f"INSERT INTO {table} BY NAME SELECT {names}", values)


def keyed(connection: Connection, view: str) -> dict[tuple[str, ...], Row]:
    return {(r["model"], r["dataset"], r["condition"], r["signal"]): r for r in rows(connection, f"FROM {view}")}
