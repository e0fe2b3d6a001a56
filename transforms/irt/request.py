"""What a fit of the lake's responses is asked for, and what it is called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass, field

from transforms.irt.settings import Model, Settings
from transforms.irt.validation import DEFAULT_FOLDS, DEFAULT_SEED


@dataclass(frozen=True, slots=True)
class Request:
    """What to fit. `models` and `items` name what may take part (default: all; a model named here takes part even
    where its rows look misaligned); `selection` is what they are called. `n_folds` 0 leaves predictions out.
    """

    model: Model = "2pl"
    dims: int = 1
    settings: Settings = field(default_factory=Settings)
    n_folds: int = DEFAULT_FOLDS
    seed: int = DEFAULT_SEED
    models: Collection[str] | None = None
    items: Collection[str] | None = None
    selection: str | None = None

    @property
    def name(self) -> str | None:
        """Name of the selection, and of priors that are off; null for everything with priors.

        A selection that was given no name is named by a hash of what it holds, so that another has another name.
        """
        chosen = self.selection
        if chosen is None and (self.models is not None or self.items is not None):
            named = [None if names is None else sorted(set(names)) for names in (self.models, self.items)]
            chosen = f"selected-{hashlib.sha256(json.dumps(named).encode()).hexdigest()[:8]}"
        without = None if self.settings.priors else "no-priors"
        return "-".join(part for part in (chosen, without) if part) or None

    @property
    def fit_id(self) -> str:
        """The fit's name: `2pl-1d`, `m2pl-2d-safety`, `2pl-1d-selected-0f3a9c21`, `2pl-1d-no-priors`."""
        return f"{self.model}-{self.dims}d" + (f"-{self.name}" if self.name else "")
