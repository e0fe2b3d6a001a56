"""Text for a terminal, and the two streams it is written to."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, TextIO, cast


def printable(text: str) -> str:
    """Return text with what a terminal obeys, such as escapes, line breaks and turned directions, written out."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


class _Stream(io.TextIOWrapper):
    """A standard stream on which nothing that a command prints can fail the command.

    A character that its encoding does not have is written out, as `\\u2026`. Once nobody reads the stream any more
    (`| head`), what is still written goes nowhere: the exit code says how the command ended, not how its words did.
    """

    def __init__(self, buffer: BinaryIO, encoding: str, line_buffering: bool) -> None:
        self.gone = False
        self._is_ascii = codecs.lookup(encoding).name == "ascii"
        super().__init__(
            cast(io.BufferedWriter, buffer),
            encoding=encoding, errors="backslashreplace", newline="\n", line_buffering=line_buffering,
        )  # fmt: skip

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding, of ASCII its nearest kin: click writes UTF-8 to a stream that says it is ASCII."""
        return "latin-1" if self._is_ascii else super().encoding

    def write(self, text: str, /) -> int:
        """Write text."""
        with self._while_read():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Hand on what was written."""
        with self._while_read():
            super().flush()

    def write_data(self, data: bytes) -> None:
        """Write bytes as they are, after the text so far."""
        with self._while_read():
            super().flush()
            self.buffer.write(data)

    @contextmanager
    def _while_read(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self.gone = True
            # What is still in the buffers has to go somewhere, or closing the stream fails in its turn.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)


def use_forgiving_streams() -> None:
    """Put streams that no command fails on in the place of standard output and error, also where those are closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is taken: else the next file to be opened would get what is printed.
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = _forgiving(sys.stdout, 1)
    sys.stderr = _forgiving(sys.stderr, 2)


def _forgiving(stream: TextIO | None, number: int) -> _Stream:
    # Python has no stream for what was closed when it started.
    if stream is None:
        return _Stream(os.fdopen(number, "wb", closefd=False), "utf-8", line_buffering=False)
    return _Stream(stream.buffer, stream.encoding, bool(stream.line_buffering))


def write_data(data: bytes) -> bool:
    """Write bytes to standard output as they are, whatever its encoding; tell whether anybody still reads it."""
    if isinstance(sys.stdout, _Stream):
        sys.stdout.write_data(data)
        return not sys.stdout.gone
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    return True
