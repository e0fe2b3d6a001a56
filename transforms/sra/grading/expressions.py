"""A small arithmetic and algebra parser with a bound on everything: characters, tokens and depth.

Model output is hostile, so nothing is handed to `eval` or to a computer algebra system. The result is a program for a
stack machine, which `evaluation` runs with Python's numbers or exactly, at chosen values of its symbols.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, TypeAlias

MAX_CHARS: Final = 400
MAX_TOKENS: Final = 256
MAX_DEPTH: Final = 40
# A longer run of letters is a word and not a product of symbols.
_LONGEST_PRODUCT: Final = 4

# Short words that relate what stands beside them, and so are neither a product of symbols nor a unit.
WORDS: Final = frozenset(
    ("and", "as", "for", "from", "if", "in", "is", "less", "more", "most", "not", "or", "over", "plus", "than", "then",
     "when", "with")
)  # fmt: skip

# Functions and how many arguments they take.
FUNCTIONS: Final = dict.fromkeys(
    ("abs", "Abs", "ceil", "ceiling", "cos", "exp", "factorial", "floor", "ln", "log", "sin", "sqrt", "tan"), 1
) | {"C": 2, "binomial": 2}
_WHOLE_NAMES: Final = frozenset(
    ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "mu", "nu", "xi",
     "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega")
)  # fmt: skip


class NotAnExpressionError(ValueError):
    """The text is not written in this language."""


class OverBudgetError(ArithmeticError):
    """Reading or computing it would take more than it is allowed."""


class Token(NamedTuple):
    """A piece of the text; `kind` is `number`, `name`, `sign` or `end`."""

    kind: str
    text: str


class Step(NamedTuple):
    """One instruction: push a `number` or a `symbol`, or replace the top of the stack by what `kind` makes of it.

    The others are `call` of the function `text`, the operators `+ - * / ^`, `negative`, and `product`, which is a
    multiplication that is implied and not written.
    """

    kind: str
    text: str = ""


Program: TypeAlias = tuple[Step, ...]
END: Final = Token("end", "")
OPEN: Final = Token("sign", "(")
_TOKEN: Final = re.compile(
    r"\s*+(?:(?P<number>(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+)"
    r"|(?P<name>[A-Za-z]++(?:_[A-Za-z0-9]++)?+)"
    r"|(?P<sign>\*\*|[-+*/^()!,]))"
)
_FACTORIAL: Final = re.compile(r"\b(\w++)!")


def tokenize(text: str, pattern: re.Pattern[str]) -> list[Token]:
    """Cut a text into tokens.

    Raises NotAnExpressionError at the first piece that is none, OverBudgetError beyond the bounds.
    """
    if len(text) > MAX_CHARS:
        raise OverBudgetError(f"{len(text)} characters")
    tokens: list[Token] = []
    position, text = 0, text.rstrip()
    while position < len(text):
        found = pattern.match(text, position)
        if found is None:
            raise NotAnExpressionError(f"at character {position}")
        if found.lastgroup is not None:
            tokens.append(Token(found.lastgroup, found[found.lastgroup]))
        position = found.end()
    if len(tokens) > MAX_TOKENS:
        raise OverBudgetError(f"{len(tokens)} tokens")
    return tokens


class Parser:
    """Recursive descent over tokens: sums, products (also implied ones), signs, powers, factorials, calls.

    It writes instructions instead of building a tree, so that running them needs no recursion.
    """

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0
        self.steps: list[Step] = []

    @property
    def next(self) -> Token:
        """The token to come."""
        return self._tokens[self._position] if self._position < len(self._tokens) else END

    def take(self) -> Token:
        """Return the token to come and step over it."""
        token = self.next
        self._position += 1
        return token

    def accept(self, *signs: str) -> str | None:
        """Step over one of the signs where it comes next, and return it."""
        return self.take().text if self.next.kind == "sign" and self.next.text in signs else None

    def expect(self, sign: str) -> None:
        """Step over a sign that has to come next. Raises NotAnExpressionError where another does."""
        if self.accept(sign) is None:
            raise NotAnExpressionError(f"{sign} expected")

    def emit(self, kind: str, text: str = "") -> None:
        """Add an instruction."""
        self.steps.append(Step(kind, text))

    def whole(self) -> Program:
        """Return the program of all tokens. Raises NotAnExpressionError where some are left over."""
        self.sum()
        if self.next is not END:
            raise NotAnExpressionError("something follows the expression")
        return tuple(self.steps)

    def listed(self, *separators: str) -> list[Program]:
        """Return the programs of the expressions between separators, one of which may stand at the very end."""
        items = []
        while self.next is not END:
            self.steps = []
            self.sum()
            items.append(tuple(self.steps))
            if self.next is not END and self.accept(*separators) is None:
                raise NotAnExpressionError("a separator expected")
        return items

    def sum(self) -> None:
        """Read `a + b - c`."""
        self._deeper()
        self._product()
        while sign := self.accept("+", "-"):
            self._product()
            self.emit(sign)
        self._depth -= 1

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise OverBudgetError(f"nested deeper than {MAX_DEPTH}")

    def _product(self) -> None:
        self._signed()
        while True:
            if sign := self.accept("*", "/"):
                self._signed()
                self.emit(sign)
            elif self.starts_a_factor():
                self.power()
                self.emit("product")
            else:
                return

    def _signed(self) -> None:
        negative = False
        while sign := self.accept("+", "-"):
            negative ^= sign == "-"
        self.power()
        if negative:
            self.emit("negative")

    def starts_a_factor(self) -> bool:
        """Tell whether the token to come starts a factor, so that no sign before it means multiplication."""
        return self.next.kind in ("number", "name") or self.next == OPEN

    def power(self) -> None:
        """Read `a ^ b`, which binds from the right and whose exponent may have a sign."""
        self._with_factorials()
        if self.accept("^", "**"):
            self._deeper()
            self._signed()
            self.emit("^")
            self._depth -= 1

    def _with_factorials(self) -> None:
        self.factor()
        while self.accept("!"):
            self.emit("call", "factorial")

    def factor(self) -> None:
        """Read a number, a name, a call or a group."""
        token = self.take()
        if token.kind == "number":
            self.emit("number", token.text)
        elif token.kind == "name":
            self._named(token.text)
        elif token == OPEN:
            self.sum()
            self.expect(")")
        else:
            raise NotAnExpressionError("a number, a name or a group expected")

    def _named(self, name: str) -> None:
        # Alone, `C` is a symbol like any other letter; the other functions are nothing without their arguments.
        if name not in FUNCTIONS or (len(name) == 1 and self.next != OPEN):
            self.emit("symbol", name)
            return
        self.expect("(")
        self.sum()
        for _ in range(1, FUNCTIONS[name]):
            self.expect(",")
            self.sum()
        self.expect(")")
        self.emit("call", name)


def _split_names(tokens: list[Token]) -> list[Token]:
    """Cut names of several letters into symbols, as in `2xy`, unless they are a function's or a Greek letter's."""
    split = []
    for token in tokens:
        is_whole = token.kind != "name" or token.text in FUNCTIONS or token.text in _WHOLE_NAMES or "_" in token.text
        if not is_whole and (len(token.text) > _LONGEST_PRODUCT or token.text in WORDS):
            raise NotAnExpressionError("a word")
        split.extend([token] if is_whole else [Token("name", letter) for letter in token.text])
    return split


def parser(text: str) -> Parser:
    """Return a parser of a text in the notation of CHAMP's answers: `C(n, 4)`, `2^n n!`, `sqrt(3)/3`.

    A factorial sign takes the whole run of letters and digits before it. Raises NotAnExpressionError, or
    OverBudgetError.
    """
    if len(text) > MAX_CHARS:
        raise OverBudgetError(f"{len(text)} characters")
    return Parser(_split_names(tokenize(_FACTORIAL.sub(r"(\1)!", text), _TOKEN)))
