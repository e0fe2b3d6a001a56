"""What a caller says of a response table that the table does not say itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Side = Literal["columns", "rows"]
# The command line's names for the fields, for messages that say what to do.
MODELS_IN: Final = "--benchmirt-models-in"
ITEM_COLUMN: Final = "--benchmirt-item-column"
MODEL_COLUMN: Final = "--benchmirt-model-column"
SCORE_COLUMN: Final = "--benchmirt-score-column"
IGNORED_COLUMN: Final = "--benchmirt-ignored-column"


@dataclass(frozen=True, slots=True)
class Hints:
    """Which side the models are on, and what columns are for, by name.

    `item_column` and `model_column` name items and models; `score_columns` hold scores whatever they are called;
    `ignored_columns` are not read. `known_items` and `known_models` are the names that the metadata has.
    """

    models_in: Side | None = None
    item_column: str | None = None
    model_column: str | None = None
    score_columns: tuple[str, ...] = ()
    ignored_columns: tuple[str, ...] = ()
    known_items: frozenset[str] = frozenset()
    known_models: frozenset[str] = frozenset()

    def stated(self) -> list[tuple[str, str]]:
        """Return every column that is said to be something, with the option that says it."""
        single = [(ITEM_COLUMN, self.item_column), (MODEL_COLUMN, self.model_column)]
        several = [(SCORE_COLUMN, name) for name in self.score_columns]
        several += [(IGNORED_COLUMN, name) for name in self.ignored_columns]
        return [(option, name) for option, name in [*single, *several] if name is not None]
