"""Results for people: a table that fits, or one record below another, as database shells do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from pipelines.terminal import printable

Row = Sequence[object]

SHOWN_ROWS: Final = 200
"""Rows of a result that are printed for people."""

RECORDS: Final = 10
"""Rows up to which a result that is too wide is printed as records; of more, the columns that fit are."""

_WIDEST: Final = 48
"""Characters of a value beyond which it is folded rather than another column left out."""

_GAP: Final = 2
_UNBOUNDED: Final = 100_000


def print_result(columns: Sequence[str], rows: Sequence[Row], handle: TextIO, *, exact: bool) -> None:
    """Print the result of a query: on a terminal so that it fits, elsewhere whole.

    `exact` says that numbers are not to be rounded; off a terminal they never are.
    """
    if not handle.isatty():
        print_table(columns, rows, handle, exact=True)
        return
    console = Console(file=handle, highlight=False)
    shown = [[cell(value, exact=exact) for value in row] for row in rows[:SHOWN_ROWS]]
    fitting = _fitting(columns, shown, console.width)
    if fitting == len(columns) or len(shown) > RECORDS:
        _print_grid(console, columns[:fitting], [row[:fitting] for row in rows[:SHOWN_ROWS]], exact=exact)
        _say_left_out(console, columns, fitting)
    else:
        _print_records(console, columns, shown)
    _say_more(console, rows)


def print_table(columns: Sequence[str], rows: Sequence[Row], handle: TextIO, *, exact: bool = False) -> None:
    """Print rows as a table: folded to a terminal's width, whole elsewhere, at most `SHOWN_ROWS`."""
    console = Console(file=handle, highlight=False, width=None if handle.isatty() else _UNBOUNDED)
    _print_grid(console, columns, rows[:SHOWN_ROWS], exact=exact)
    _say_more(console, rows)


def cell(value: object, *, exact: bool) -> str:
    """Return a value as text: what a terminal obeys is written out, and a number has six digits unless `exact`."""
    if value is None:
        return "NULL"
    if isinstance(value, float) and not exact:
        return f"{value:.6g}"
    return printable(str(value))


def _fitting(columns: Sequence[str], shown: Sequence[Sequence[str]], width: int) -> int:
    """Return how many columns, from the left, stand side by side in a width; at least one."""
    used = 0
    for number, column in enumerate(columns):
        values = max((min(cell_len(row[number]), _WIDEST) for row in shown), default=0)
        used += max(cell_len(printable(column)), values) + (_GAP if number else 0)
        if used > width:
            return max(number, 1)
    return len(columns)


def _print_grid(console: Console, columns: Sequence[str], rows: Sequence[Row], *, exact: bool) -> None:
    grid = RichTable(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        numeric = all(isinstance(row[number], int | float | None) for row in rows)
        grid.add_column(Text(printable(column)), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        grid.add_row(*[Text(cell(value, exact=exact)) for value in row])
    console.print(grid)


def _print_records(console: Console, columns: Sequence[str], shown: Sequence[Sequence[str]]) -> None:
    for number, row in enumerate(shown, start=1):
        console.rule(f"row {number} of {len(shown)}", align="left", style="none")
        grid = RichTable(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        grid.add_column(overflow="fold", max_width=max(console.width // 2, 1))
        grid.add_column(overflow="fold")
        for column, value in zip(columns, row, strict=True):
            grid.add_row(Text(printable(column)), Text(value))
        console.print(grid)


def _say_left_out(console: Console, columns: Sequence[str], fitting: int) -> None:
    left = len(columns) - fitting
    if left:
        console.print(
            f"… {left} of {len(columns)} columns are left out, from {printable(columns[fitting])} on: name fewer, "
            f"LIMIT to {RECORDS} rows to see each whole, or take --format csv or json.",
            markup=False,
        )


def _say_more(console: Console, rows: Sequence[Row]) -> None:
    if len(rows) > SHOWN_ROWS:
        console.print(f"… only the first {SHOWN_ROWS} rows are shown; --format csv or json prints all.", markup=False)
