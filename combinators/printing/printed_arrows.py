"""Arrows as on paper: ``⟨π0, π1⟩ >> (*)``, on one line or a line a step."""

from __future__ import annotations

from combinators.kit.text import Names, Pieces, cut, text_of
from combinators.morphisms import (
    Choice,
    Compose,
    Constant,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Primitive,
    Prod,
    Projection,
    Relabel,
)
from combinators.objects import Fun, Record
from combinators.printing.layout import (
    Part,
    Printer,
    Spelling,
    new_line,
    nodes_of,
    occurrences,
)
from combinators.printing.printed_terms import REPR, operation_name

_BIG = (Compose, Prod, Extend, Curry, Choice)


def morphism_line(arrow: Morphism) -> str:
    """The arrow on one line; a long one ends in … and its rest is not even read."""
    return cut(text_of(_Arrows().inline(arrow)), REPR)


def morphism_text(arrow: Morphism) -> str:
    """The arrow and its type, a line a step; what is shared stands at the top, once."""
    return "".join(text_of(_Text(arrow).program()))


class _Arrows(Printer[Morphism]):
    """How each combinator is spelt; only composition is loose."""

    def binds(self, node: Morphism) -> int:
        return 0 if isinstance(node, Compose) else 1

    def spelling(self, node: Morphism) -> Spelling:
        match node:
            case Compose(arrows):
                for index, arrow in enumerate(arrows):
                    if index:
                        yield " >> "
                    yield Part(arrow, 1)
            case Prod(_, arrows):
                yield "⟨"
                for index, arrow in enumerate(arrows):
                    if index:
                        yield ", "
                    yield Part(arrow)
                yield "⟩"
            case Extend() | Curry() | Choice():
                head, arrows = _head(node)
                yield head
                for index, arrow in enumerate(arrows):
                    if index:
                        yield ", "
                    yield Part(arrow)
                yield ")"
            case _:
                yield _atom(node)


class _Text(_Arrows):
    """Several lines: a definition a shared arrow, a line a step."""

    def __init__(self, root: Morphism) -> None:
        super().__init__()
        self._root = root
        nodes = [node for node in nodes_of(root) if isinstance(node, Morphism)]
        count = occurrences(self, nodes)
        self._defined = [node for node in nodes if isinstance(node, _BIG) and count[id(node)] > 1]
        names = Names(())
        for arrow in self._defined:
            self.names[id(arrow)] = names.fresh("f")
        self.measure(nodes)

    def program(self) -> Pieces:
        """The definitions, then the arrow."""
        for arrow in self._defined:
            yield f"{self.names[id(arrow)]} : {_signature(arrow)} =\n  "
            yield self._definition(arrow)
            yield "\n"
        yield f"{_signature(self._root)} =\n  "
        yield self._definition(self._root)

    def _definition(self, arrow: Morphism) -> Pieces:
        return self.set_tall(arrow, 1) if id(arrow) in self.tall else self.spell(arrow)

    def is_tall(self, node: Morphism) -> bool:
        return node is self._root and isinstance(node, Compose)

    def may_break(self, node: Morphism) -> bool:
        return isinstance(node, _BIG)

    def set_tall(self, node: Morphism, depth: int) -> Pieces:
        if isinstance(node, Compose):
            for index, arrow in enumerate(node.arrows):
                if index:
                    yield new_line(depth) + ">> "
                yield self.set(arrow, depth + (index > 0), 1)
            return
        head, arrows = ("⟨", node.arrows) if isinstance(node, Prod) else _head(node)
        yield head
        for index, arrow in enumerate(arrows):
            yield ("," if index else "") + new_line(depth + 1)
            yield self.set(arrow, depth + 1)
        yield new_line(depth) + ("⟩" if isinstance(node, Prod) else ")")


def _signature(arrow: Morphism) -> str:
    dom, cod = (f"({o!r})" if isinstance(o, Fun) else repr(o) for o in (arrow.dom, arrow.cod))
    return f"{dom} ⇝ {cod}"


def _head(node: Morphism) -> tuple[str, tuple[Morphism, ...]]:
    match node:
        case Extend(arrow):
            return "extend(", (arrow,)
        case Curry(body):
            return "curry(", (body,)
        case Choice(then, other):
            return "cond(", (then, other)
        case _:
            return _atom(node), ()


def _atom(node: Morphism) -> str:
    match node:
        case Id():
            return "id"
        case Projection(_, index):
            return f"π{index}"
        case Eval():
            return "eval"
        case Constant(_, literal):
            return f"const {literal!r}"
        case Primitive(operation, _):
            return operation_name(operation)
        case Relabel(_, Record(names, _)):
            return f"record({', '.join(names)})"
        case Relabel():
            return "unrecord"
        case _:
            return type(node).__name__
