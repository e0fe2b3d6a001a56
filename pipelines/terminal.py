"""Text for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text with what a terminal obeys, such as escapes, line breaks and turned directions, written out."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
