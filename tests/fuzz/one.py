"""One target under libFuzzer, in a process of its own: `python -m tests.fuzz.one TARGET FINDINGS CORPUS [options]`.

The project's modules are instrumented as they are imported, so this module imports none of them before.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
import traceback
import warnings
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fuzz.target import Target

ROOT: Final = str(Path(__file__).resolve().parents[2])
INSTRUMENTED: Final = ["transforms", "warehouse.contracts"]


def load(name: str) -> Target:
    """Return a target whose parser reports its coverage."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.fuzz.targets import TARGETS
    return TARGETS[name]


def place_of(error: BaseException) -> str:
    """Return where an error was raised, as far as that is in the project, and what it says."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/transforms/" in frame.filename]
    place = f"{Path(frames[-1].filename).relative_to(ROOT)}:{frames[-1].lineno}" if frames else "a property"
    return f"{type(error).__name__} at {place}: {str(error)[:120]}"


def recording(target: Target, folder: Path) -> Callable[[bytes], None]:
    """Return the function to fuzz: it writes down each new kind of failure with its input, and goes on."""
    known: set[str] = set()

    def check(data: bytes) -> None:
        try:
            target.check(data)
        except BaseException as error:  # panics of Rust libraries are no Exceptions
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            # Numbers are left out, or one fault would be a new finding with every line it is in.
            what = place_of(error)
            key = hashlib.sha256("".join(c for c in what if not c.isdigit()).encode()).hexdigest()[:12]
            if key not in known and len(known) < 50:
                known.add(key)
                (folder / f"{key}.input").write_bytes(data)
                (folder / f"{key}.json").write_text(json.dumps({"what": what, "bytes": len(data)}))

    return check


def mutator(target: Target) -> Callable[[bytes, int, int], bytes]:
    """Return libFuzzer's mutation with the target's own in half of the cases."""
    import atheris

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        rng = Random(seed)
        if rng.random() < 0.4:
            return bytes(atheris.Mutate(data, max_size))
        return target.mutated(data, rng)[:max_size]

    return mutate


def leave_at_once() -> None:
    """End the process, once libFuzzer is done, before anything else that is registered to run at its end.

    libFuzzer leaves with the interpreter locked, and Arrow's threads, for which the process would wait, may want it.
    What is registered last runs first, so this is called when every library has been used.
    """
    libc = ctypes.CDLL(None)
    libc.__cxa_atexit(libc._exit, ctypes.c_void_p(0), ctypes.c_void_p(0))


def main(arguments: list[str]) -> None:
    """Fuzz a target until libFuzzer's options say to stop; it ends the process itself."""
    import atheris

    name, findings, corpus, *options = arguments
    warnings.simplefilter("error")
    target = load(name)
    check = recording(target, Path(findings))
    for place, seed in enumerate(target.seeds()):
        (Path(corpus) / f"seed{place}").write_bytes(seed)
        check(seed)
    leave_at_once()
    setup: Any = atheris.Setup
    setup(
        [name, *options, f"-max_len={target.max_len}", corpus],
        check,
        custom_mutator=mutator(target),
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
