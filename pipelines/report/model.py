"""What a page is made of, before it is HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipelines.report.drawing.marks import Data, Layer, Panel


@dataclass(frozen=True, slots=True)
class Switch:
    """A choice that works without a script: radio buttons, or check boxes where `many`.

    What carries the class `<name><number>` is shown while that option is chosen. A switch with `any_of` has one more
    option that shows all.
    """

    name: str
    legend: str
    options: Sequence[str]
    many: bool = False
    any_of: bool = False
    shown: Sequence[str] = ()

    def classes(self, option: str) -> str:
        """Return the classes of what stands on the page for an option."""
        return f"{self.name} {self.name}{list(self.options).index(option)}"

    @property
    def labels(self) -> Sequence[str]:
        """The options for people."""
        return self.shown or self.options


@dataclass(frozen=True, slots=True)
class Key:
    """One entry of a legend."""

    series: int
    name: str
    line: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A number in a caption's table, with the columns of the row it is from."""

    text: str
    data: Data = field(default_factory=dict)
    small: str = ""


@dataclass(frozen=True, slots=True)
class CaptionRow:
    """What stands below a card of one series."""

    series: int
    name: str
    detail: str
    cells: Sequence[Cell]
    data: Data = field(default_factory=dict)
    classes: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One of many small pictures: whose it is, the picture, a table of figures. Without a panel, `absent` says why."""

    title: str
    subtitle: str
    data: Data
    classes: str = ""
    panel: Panel | None = None
    absent: str = ""
    head: Sequence[str] = ()
    caption: Sequence[CaptionRow] = ()
    caption_picture: str = ""
    foot: str = ""


@dataclass(frozen=True, slots=True)
class Strip:
    """An interval or a few on a short axis, with their numbers as text."""

    layers: Sequence[Layer]
    texts: Sequence[tuple[int | None, str]]
    height: float


@dataclass(frozen=True, slots=True)
class StripRow:
    """One row of a forest plot."""

    name: str
    detail: str
    data: Data
    strips: Sequence[Strip]
    classes: str = ""


@dataclass(frozen=True, slots=True)
class StripAxis:
    """A column of a forest plot: what it measures, its ticks, and where its reference line stands."""

    name: str
    ticks: Sequence[tuple[float, str]]
    reference: float | None


@dataclass(frozen=True, slots=True)
class StripGroup:
    """Rows that share their axes."""

    name: str
    axes: Sequence[StripAxis]
    rows: Sequence[StripRow]
    data: Data = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """A plain table: `head` has each column's heading and its name in the query, and whether it holds numbers."""

    head: Sequence[tuple[str, str, bool]]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Chip:
    """How many data sets of a cell of the coverage matrix have a status, and why."""

    status: str
    mark: str
    text: str
    reason: str
    data: Data


@dataclass(frozen=True, slots=True)
class Matrix:
    """The coverage matrix: model and condition down, signals across."""

    signals: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[Sequence[Chip]]]]


@dataclass(frozen=True, slots=True)
class Figure:
    """One picture or table, the queries behind it, and what to know before reading it."""

    pictures: Sequence[str]
    cards: Sequence[Card] = ()
    strips: Sequence[StripGroup] = ()
    table: Table | None = None
    matrix: Matrix | None = None
    legend: Sequence[Key] = ()
    notes: Sequence[str] = ()
    folded: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page, with the switches that hold for all of it."""

    id: str
    title: str
    lead: str
    figures: Sequence[Figure]
    switches: Sequence[Switch] = ()
    facts: Sequence[tuple[str, str]] = ()
