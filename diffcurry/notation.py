"""Types read from text, in the notation in which they print.

>>> parse_object("Real × Tensor[3, 4] ⇒ Bool")
Real × Tensor[3, 4] ⇒ Bool
>>> parse_objects("{w: Real * Int, b: Unit} -> Real, Vector[3; Real -> Real]")
({w: Real × Int, b: Unit} ⇒ Real, Vector[3; Real ⇒ Real])
>>> parse_objects("Real + Unit, [circle: Real | box: Real × Real]")
(Real + Unit, [circle: Real | box: Real × Real])
>>> parse_object("List[List[Real] × Int]")
List[List[Real] × Int]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import numpy as np

from combinators.errors import TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import (
    Bool,
    Fun,
    Int,
    Object,
    Product,
    Real,
    Record,
    Sum,
    Tagged,
    Tangent,
    Tensor,
    Unit,
    Vector,
)
from combinators.tracing.classes import list_of

NAMED = {"Real": Real, "Int": Int, "Bool": Bool, "Unit": Unit, "Tangent": Tangent}
DTYPES = frozenset(np.dtype(code).name for code in "?bhilqBHILQefd")
_TOKEN = re.compile(
    r"\s*(?:(?P<name>[^\W\d]\w*)|(?P<number>\d{1,18})|(?P<sign>->|[⇒×*+|,:;(){}\[\]]))"
)
_END = "the end"


class Token(NamedTuple):
    """A name, a number or a sign, and where it stands."""

    kind: str
    text: str
    at: int


def parse_object(text: str) -> Object:
    """One type. It raises ``TypeMismatch``, which says where, for anything else."""
    reader = _Reader(text)
    found: Object = recurse(reader.function())
    reader.expect(_END)
    return found


def parse_objects(text: str) -> tuple[Object, ...]:
    """Types with commas between them, one for each argument; none for blank text."""
    reader = _Reader(text)
    found = [] if reader.next.text == _END else [recurse(reader.function())]
    while reader.take(","):
        found.append(recurse(reader.function()))
    reader.expect(_END)
    return tuple(found)


class _Reader:
    """The rest of a text; arrows bind least and nest to the right, then sums, then products."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._scan()
        self.next = next(self._tokens)

    def _scan(self) -> Iterator[Token]:
        at, end = 0, len(self._text.rstrip())
        while at < end:
            match = _TOKEN.match(self._text, at)
            if match is None or match.lastgroup is None:
                start = at + len(self._text[at:]) - len(self._text[at:].lstrip())
                self._refuse("a type", Token("sign", self._text[start], start))
            yield Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))
            at = match.end()
        yield Token("sign", _END, end)

    def _refuse(self, expected: str, found: Token) -> NoReturn:
        raise TypeMismatch(
            f"{self._text!r:.200} is no type: {expected} was expected at column {found.at + 1}, "
            f"and {found.text!r} stands there; write for instance Tensor[3, 4] × Real ⇒ Real"
        )

    def _advance(self) -> Token:
        token = self.next
        if token.text != _END:
            self.next = next(self._tokens)
        return token

    def take(self, *signs: str) -> bool:
        """Whether one of ``signs`` comes next; it is taken then."""
        found = self.next.kind == "sign" and self.next.text in signs
        if found:
            self._advance()
        return found

    def expect(self, sign: str) -> None:
        """Take ``sign``, which has to come next."""
        if not self.take(sign):
            self._refuse(sign, self.next)

    def _word(self, kind: str) -> str:
        if self.next.kind != kind:
            self._refuse(f"a {kind}", self.next)
        return self._advance().text

    def function(self) -> Recursive[Object]:
        """``A ⇒ B``, or what is no function."""
        dom: Object = yield self._sum()
        if not self.take("⇒", "->"):
            return dom
        cod: Object = yield self.function()
        return Fun(dom, cod)

    def _sum(self) -> Recursive[Object]:
        kind = self._zero("+")
        parts: list[Object] = [(yield self._product())]
        while self.take("+"):
            parts.append((yield self._product()))
        return parts[0] if len(parts) == 1 and kind is Sum else kind(*parts)

    def _zero(self, sign: str) -> type[Sum]:
        """Tangents of a sum begin with their zero."""
        if self.next.text != "0":
            return Sum
        self._advance()
        self.expect(sign)
        return Tagged

    def _product(self) -> Recursive[Object]:
        parts: list[Object] = [(yield self._atom())]
        while self.take("×", "*"):
            parts.append((yield self._atom()))
        return parts[0] if len(parts) == 1 else Product(*parts)

    def _atom(self) -> Recursive[Object]:
        inner: Object
        if self.take("("):
            inner = yield self.function()
            single = self.take(",")
            self.expect(")")
            return Product(inner) if single else inner
        if self.take("{"):
            names, parts = yield self._named(",", "}")
            return Record.of(names, Product(*parts))
        if self.take("["):
            kind = self._zero("|")
            names, parts = yield self._named("|", "]")
            return kind.of(names, Product(*parts))
        token = self.next
        name = self._word("name") if token.kind == "name" else ""
        if name == "Tensor":
            return self._tensor()
        if name == "List":
            self.expect("[")
            inner = yield self.function()
            self.expect("]")
            return list_of(inner)
        if name == "Vector":
            inner = yield self._vector()
            return inner
        if name in DTYPES:
            return Tensor((), name)
        if name not in NAMED:
            self._refuse("Real, Int, Bool, Unit, Tensor[…], List[…], Vector[…], (, { or [", token)
        return NAMED[name]

    def _named(
        self, between: str, end: str
    ) -> Recursive[tuple[tuple[str, ...], tuple[Object, ...]]]:
        names: list[str] = []
        parts: list[Object] = []
        while not self.take(end):
            if names:
                self.expect(between)
            names.append(self._word("name"))
            self.expect(":")
            parts.append((yield self.function()))
        return tuple(names), tuple(parts)

    def _tensor(self) -> Object:
        self.expect("[")
        shape = [int(self._word("number"))]
        while self.take(","):
            shape.append(int(self._word("number")))
        token = self.next
        dtype = self._word("name") if self.take(";") else "float64"
        self.expect("]")
        if dtype not in DTYPES:
            self._refuse("an element type, as float32,", token)
        return Tensor(shape, dtype)

    def _vector(self) -> Recursive[Object]:
        self.expect("[")
        if self.next.kind == "number":
            length = int(self._word("number"))
            self.expect(";")
            item: Object = yield self.function()
        else:
            item = yield self.function()
            self.expect(";")
            length = int(self._word("number"))
        self.expect("]")
        return Vector(item, length)
