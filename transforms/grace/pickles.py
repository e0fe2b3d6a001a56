"""Pickles of plain data, read by a machine that has no instruction to import, call or build anything."""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from typing import Final

Plain = None | bool | int | float | str | list["Plain"] | dict["str | int", "Plain"]


class PickleRefusedError(ValueError):
    """A pickle that is damaged or holds anything but lists, maps, strings, numbers, truth values and null."""


def load_plain(data: bytes) -> Plain:
    """Return a pickle's lists, maps, strings, numbers, truth values and nulls; its tuples as lists.

    The opcodes are decoded by the standard library's disassembler, which executes nothing, and only those that make
    plain data are carried out. Raises PickleRefusedError, which names the first opcode that does anything else.
    """
    machine = _Machine()
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name == "STOP":
                return machine.result()
            machine.step(opcode.name, argument)
    except PickleRefusedError:
        raise
    except _DAMAGE as error:
        raise PickleRefusedError(f"it is damaged ({type(error).__name__})") from error
    raise PickleRefusedError("it ends before its STOP")


# Of a string with an odd escape the standard library warns, which raises where warnings are errors.
_DAMAGE: Final = (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, DeprecationWarning)


class _Mark:
    """What MARK puts on the stack."""


_MARK: Final = _Mark()
_MAKERS: Final[dict[str, Callable[[], Plain]]] = {
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_TUPLE": list,
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
}
_VALUES: Final = frozenset(
    ("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT")
)
_IGNORED: Final = frozenset(("PROTO", "FRAME"))
_TUPLES: Final = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


class _Machine:
    """The stack and the memo. The memo is a dict: a pickle may name slot four billion to exhaust a list's memory."""

    def __init__(self) -> None:
        self._stack: list[Plain | _Mark] = []
        self._memo: dict[int, Plain] = {}
        self._actions = self._table_of_actions()

    def step(self, name: str, argument: Plain) -> None:
        """Carry out one opcode, or refuse it by name."""
        if name in _MAKERS:
            self._stack.append(_MAKERS[name]())
        elif name in _VALUES:
            self._stack.append(argument)
        elif name in _TUPLES:
            self._stack[-_TUPLES[name] :] = [self._taken(_TUPLES[name])]
        elif name not in _IGNORED:
            action = self._actions.get(name)
            if action is None:
                raise PickleRefusedError(f"its opcode {name} is not one of plain data")
            action(argument)

    def result(self) -> Plain:
        """Return the one value a sound pickle leaves on the stack."""
        if len(self._stack) != 1:
            raise PickleRefusedError(f"it leaves {len(self._stack)} values where one was expected")
        return self._top()

    def _table_of_actions(self) -> dict[str, Callable[[Plain], None]]:
        return {
            "MARK": lambda _: self._stack.append(_MARK),
            "MEMOIZE": lambda _: self._memo.update({len(self._memo): self._top()}),
            "BINPUT": self._put,
            "LONG_BINPUT": self._put,
            "BINGET": self._get,
            "LONG_BINGET": self._get,
            "APPEND": lambda _: self._extend([self._pop()]),
            "APPENDS": lambda _: self._extend(self._since_mark()),
            "SETITEM": lambda _: self._set_items([self._pop(), self._pop()][::-1]),
            "SETITEMS": lambda _: self._set_items(self._since_mark()),
            "TUPLE": lambda _: self._stack.append(self._since_mark()),
        }

    def _plain(self, value: Plain | _Mark) -> Plain:
        if isinstance(value, _Mark):
            raise PickleRefusedError("it uses a mark as a value")
        return value

    def _top(self) -> Plain:
        return self._plain(self._stack[-1])

    def _pop(self) -> Plain:
        return self._plain(self._stack.pop())

    def _taken(self, count: int) -> list[Plain]:
        if len(self._stack) < count:
            raise PickleRefusedError("it takes more values than there are")
        return [self._plain(value) for value in self._stack[-count:]]

    def _since_mark(self) -> list[Plain]:
        values: list[Plain] = []
        while not isinstance(value := self._stack.pop(), _Mark):
            values.append(value)
        return values[::-1]

    def _put(self, slot: Plain) -> None:
        if isinstance(slot, int):
            self._memo[slot] = self._top()

    def _get(self, slot: Plain) -> None:
        if isinstance(slot, int):
            self._stack.append(self._memo[slot])

    def _extend(self, values: list[Plain]) -> None:
        target = self._top()
        if not isinstance(target, list):
            raise PickleRefusedError("it appends to what is not a list")
        target.extend(values)

    def _set_items(self, values: list[Plain]) -> None:
        target = self._top()
        keys, items = values[::2], values[1::2]
        if not isinstance(target, dict) or len(keys) != len(items):
            raise PickleRefusedError("it sets items of what is not a map, or a key without a value")
        for key, item in zip(keys, items, strict=True):
            if not isinstance(key, str | int):
                raise PickleRefusedError("it has a key that is neither a string nor a whole number")
            target[key] = item
