from __future__ import annotations

import pytest

from synthetic.sra import Spec, generate


@pytest.fixture(scope="session")
def tiny() -> dict[str, bytes]:
    return dict(generate(Spec("tiny", seed=11)))
