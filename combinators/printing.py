"""Terms and arrows as on paper: on one line while that is short, else a line a part.

A printer says of a node which text and which parts it is made of on one line (``flat``) and on
several (``broken``). Of terms the several lines are let-normal, with types; of arrows they are the
steps. What is closed or shared stands at the top, once. Widths are counted once a node.

>>> from combinators.morphisms import Id, prod
>>> from combinators.objects import Real
>>> prod(Real, Id(Real), Id(Real))
⟨id, id⟩
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from combinators.kit.text import Names, Pieces, cut, text_of
from combinators.kit.tree import distinct_nodes
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
from combinators.objects import Fun, Object, Record
from combinators.operation import Operation
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, captured

LINE, REPR = 96, 120
"""What is longer is set on several lines, where it can be; what ``repr`` shows is cut."""
_DEEPEST = 24


class _Part(NamedTuple):
    """A part of a node, how tightly what stands around it binds, and how far in it is set."""

    node: Any
    tight: int = 0
    indent: int = 0


class _Line(NamedTuple):
    """A new line, how far in it begins, and with what."""

    indent: int
    text: str = ""


_Flat = Iterator["str | _Part"]
_Broken = Iterator["str | _Part | _Line"]


class _Printer:
    """Prints one program: what is closed or shared in it has a name."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.names: dict[int, str] = {}
        self.tall: set[int] = set()
        self._closed: set[int] | None = None

    def line(self, node: Any, tight: int = 0) -> Pieces:
        """The node on one line, by its name where it has one."""
        name = self.name(node)
        return iter((name,)) if name is not None else self._spelt(node, tight)

    def name(self, node: Any) -> str | None:
        """What the node is called; in a line closed functions go by the name they were given."""
        if self.names or not isinstance(node, Lam) or not node.name or node is self.root:
            return self.names.get(id(node))
        return node.name if id(node) in self.closed() else None

    def closed(self) -> set[int]:
        """The λs that capture nothing, by their ids."""
        if self._closed is None:
            inside = captured(self.root)[1]
            self._closed = {key for key, variables in inside.items() if not variables}
        return self._closed

    def _spelt(self, node: Any, tight: int = 0) -> Pieces:
        is_loose = _binds(node) < tight
        if is_loose:
            yield "("
        for piece in _flat(node):
            yield piece if isinstance(piece, str) else self.line(piece.node, piece.tight)
        if is_loose:
            yield ")"

    def text(self) -> Pieces:
        """The definitions, a line a binding or a step each, then the program."""
        is_term = isinstance(self.root, Term)
        found = distinct_nodes(self.root, lambda node: isinstance(node, Object))
        nodes = [node for node in found if isinstance(node, Term if is_term else Morphism)]
        parts = (piece for node in nodes for piece in _flat(node))
        uses = Counter(id(piece.node) for piece in parts if isinstance(piece, _Part))
        names = Names(node.name for node in nodes if isinstance(node, Var))
        definitions = [node for node in nodes if self._is_defined(node, uses[id(node)])]
        for node in definitions:
            self.names[id(node)] = names.fresh(getattr(node, "name", "") or "f")
        self._measure(nodes)
        for node in definitions:
            yield f"{self.names[id(node)]} : {_type(node)}"
            yield self._defined(node, not is_term)
            yield "\n"
        if is_term:
            yield self._laid(_block(self.root, 0), 0)
        else:
            yield _type(self.root)
            yield self._defined(self.root, 1)

    def _is_defined(self, node: Any, uses: int) -> bool:
        if isinstance(node, Morphism):
            return isinstance(node, _BIG) and uses > 1
        is_closed = isinstance(node, Lam) and node is not self.root and id(node) in self.closed()
        return is_closed and (bool(node.name) or uses > 1)

    def _measure(self, nodes: Iterable[Any]) -> None:
        """Find which of ``nodes``, given with their parts first, are set on several lines."""
        width: dict[int, int] = {}
        for node in nodes:
            is_first = node is self.root and isinstance(node, (Lam, Compose))
            total, tall = 0, is_first or isinstance(node, Let)
            for piece in _flat(node):
                if isinstance(piece, str):
                    total += len(piece)
                else:
                    name = self.names.get(id(piece.node))
                    total += width[id(piece.node)] if name is None else len(name)
                    tall = tall or self._stands_tall(piece.node)
            width[id(node)] = total
            if tall or (total > LINE and isinstance(node, _BIG)):
                self.tall.add(id(node))

    def _stands_tall(self, node: Any) -> bool:
        """Whether the node takes several lines where it stands."""
        return id(node) in self.tall and id(node) not in self.names

    def _defined(self, node: Any, depth: int) -> Pieces:
        if id(node) in self.tall:
            return self._laid(_broken(node, self._stands_tall), depth)
        return self._spelt(node)

    def _laid(self, pieces: _Broken, depth: int) -> Pieces:
        """Pieces in lines; the indentation stops growing somewhere, so that text stays linear."""
        for piece in pieces:
            if isinstance(piece, str):
                yield piece
            elif isinstance(piece, _Line):
                yield "\n" + "  " * min(depth + piece.indent, _DEEPEST) + piece.text
            elif self._stands_tall(piece.node):
                yield self._defined(piece.node, depth + piece.indent)
            else:
                yield self.line(piece.node, piece.tight)


_OF_SUMS = {name: name for name in ("inject", "payload", "tag", "untag", "roll", "unroll")}
_OF_SUMS |= {"is_alternative": "is"}


def operation_name(operation: Operation, types: Sequence[Object] = ()) -> str:
    """``sin``, ``sum[axis=(0,)]``, ``(+)`` as the paper writes it; ``is[cons]`` at its types."""
    infix, word = operation.primitive.infix, _OF_SUMS.get(operation.name, "")
    if not word or (word in ("is", "payload", "untag") and not types):
        return f"({infix})" if infix else repr(operation)
    index, of = operation.keywords.get("index"), operation.keywords.get("of")
    names = getattr(of or types[0], "names", None)
    return word if index is None else f"{word}[{index if names is None else names[index]}]"


def _type(node: Any) -> str:
    """The type of what is defined, and what stands before the definition."""
    if isinstance(node, Term):
        return f"{node.type!r} = "
    dom, cod = (f"({o!r})" if isinstance(o, Fun) else repr(o) for o in (node.dom, node.cod))
    return f"{dom} ⇝ {cod} =\n  "


# ---- how tightly a form holds together, from what reaches as far as it can to atoms --------------

LOOSE, COMPARISON, OR, XOR, AND, SUM, PRODUCT, SIGN, POWER, APPLY, ATOM = range(11)
_TIGHT = dict.fromkeys(("*", "/", "//", "%", "@", "·", "⊘"), PRODUCT)
_TIGHT |= {"|": OR, "^": XOR, "&": AND, "+": SUM, "-": SUM, "**": POWER}
_PREFIX = {"negative": "-"}


def _operation_binds(operation: Operation, arguments: int) -> int:
    if operation.primitive.infix and arguments == 2:
        return _TIGHT.get(operation.primitive.infix, COMPARISON)
    return SIGN if operation.name in _PREFIX else APPLY


def _binds(node: Any) -> int:
    """Parentheses stand round what binds less than what stands around it."""
    match node:
        case Lam() | Let() | Cond() | Compose():
            return LOOSE
        case App():
            return APPLY
        case Proj(_, product):
            return ATOM if isinstance(product.type, Record) else APPLY
        case Prim(operation, args):
            return _operation_binds(operation, len(args))
        case Const(literal):
            return SIGN if repr(literal).startswith("-") else ATOM
        case _:
            return ATOM


# ---- on one line ---------------------------------------------------------------------------------


def _separated(head: str, parts: Iterable[Any], tail: str, by: str = ", ", tight: int = 0) -> _Flat:
    yield head
    for index, part in enumerate(parts):
        if index:
            yield by
        yield _Part(part, tight)
    yield tail


def _flat(node: Any) -> _Flat:
    match node:
        case Prim(operation, args):
            yield from _primitive(operation, args)
        case Var(name):
            yield name
        case Const(literal):
            yield repr(literal)
        case Lam(params, body):
            names = ", ".join(param.name for param in params)
            yield f"λ{names}. " if len(params) == 1 else f"λ({names}). "
            yield _Part(body)
        case App(function, argument):
            yield from (_Part(function, APPLY), " ", _Part(argument, ATOM))
        case Let(bindings, body):
            for index, (var, bound) in enumerate(bindings):
                yield f"{'; ' if index else 'let '}{var.name} = "
                yield _Part(bound)
            if bindings:
                yield " in "
            yield _Part(body)
        case Cond(test, then, other):
            yield from ("if ", _Part(test), " then ", _Part(then), " else ", _Part(other))
        case Proj(index, product):
            obj = product.type
            is_named = isinstance(obj, Record)
            yield "" if is_named else f"{_head(node)} "
            yield _Part(product, ATOM)
            yield _head(node) if is_named else ""
        case Tuple(items, None | ()):
            yield from _separated("(", items, ",)" if len(items) == 1 else ")")
        case Tuple(items, names):
            yield "{"
            for index, (name, item) in enumerate(zip(names or (), items, strict=True)):
                yield f"{', ' if index else ''}{name}: "
                yield _Part(item)
            yield "}"
        case Compose(arrows):
            yield from _separated("", arrows, "", " >> ", ATOM)
        case Prod() | Extend() | Curry() | Choice():
            yield from _separated(_head(node), node.below(), _tail(node))
        case _:
            yield _head(node)


def _primitive(operation: Operation, args: tuple[Term, ...]) -> _Flat:
    binds, infix = _operation_binds(operation, len(args)), operation.primitive.infix
    if infix and len(args) == 2:
        # sums and products nest to the left, powers to the right, comparisons not at all
        yield _Part(args[0], binds + (binds in (COMPARISON, POWER)))
        yield f" {infix} "
        yield _Part(args[1], SIGN if binds == POWER else binds + 1)
    elif operation.name in _PREFIX:
        yield from (_PREFIX[operation.name], _Part(args[0], POWER))
    else:
        yield operation_name(operation, [arg.type for arg in args])
        for arg in args:
            yield from (" ", _Part(arg, ATOM))


def _tail(node: Morphism) -> str:
    return "⟩" if isinstance(node, Prod) else ")"


_HEADS = {Prod: "⟨", Extend: "extend(", Curry: "curry(", Choice: "cond(", Id: "id", Eval: "eval"}


def _head(node: Any) -> str:
    """A node that is made of no others, or what stands before those."""
    match node:
        case Projection(_, index):
            return f"π{index}"
        case Constant(_, literal):
            return f"const {literal!r}"
        case Primitive(operation, types):
            return operation_name(operation, types)
        case Prim(operation, args):
            return operation_name(operation, [arg.type for arg in args])
        case Proj(index, product):
            names = product.type.names if isinstance(product.type, Record) else None
            return f"π{index}" if names is None else f".{names[index]}"
        case Relabel(_, Record(names, _)):
            return f"record({', '.join(names)})"
        case Relabel():
            return "unrecord"
        case _:
            return _HEADS.get(type(node), type(node).__name__)


# ---- on several lines ----------------------------------------------------------------------------

_BIG = (Lam, Cond, Tuple, Compose, Prod, Extend, Curry, Choice)
"""What is set on several lines where it is long."""


def _broken(node: Any, stands_tall: Callable[[Any], bool]) -> _Broken:
    """The lines of a node, of which the first has begun."""
    match node:
        case Let():
            yield from ("let", _Line(1))
            yield from _block(node, 1)
        case Lam(params, body):
            typed = ", ".join(f"{param.name} : {param.type!r}" for param in params)
            yield from (f"λ({typed}).", _Line(1))
            yield from _block(body, 1)
        case Cond(test, then, other):
            yield from ("if ", _Part(test), " then", _Line(1))
            yield from _block(then, 1)
            yield from (_Line(0, "else"), _Line(1))
            yield from _block(other, 1)
        case Tuple(items, names):
            yield "{" if names else "("
            for index, item in enumerate(items):
                label = f"{names[index]}: " if names else ""
                yield from (_Line(1, label), _Part(item, 0, 1), ",")
            yield _Line(0, "}" if names else ")")
        case Compose(arrows):
            for index, arrow in enumerate(arrows):
                if index:
                    yield _Line(0, ">> ")
                yield _Part(arrow, ATOM, index > 0)
        case Morphism():
            yield _head(node)
            for index, arrow in enumerate(node.below()):
                yield from ("," if index else "", _Line(1), _Part(arrow, 0, 1))
            yield _Line(0, _tail(node))
        case _:
            parts = node.below()
            if isinstance(node, App) and not stands_tall(node.function):
                head, *parts = parts
                yield _Part(head, APPLY)
            else:
                yield "apply" if isinstance(node, App) else _head(node)
            for part in parts:
                yield from (_Line(1), _Part(part, ATOM, 1))


def _block(term: Term, indent: int) -> _Broken:
    """The bindings, a line each, and the result."""
    while isinstance(term, Let):
        for var, bound in term.bindings:
            yield from (f"{var.name} : {var.type!r} = ", _Part(bound, 0, indent), _Line(indent))
        term = term.body
    yield _Part(term, 0, indent)


for _kind in (Term, Morphism):
    _kind.print_by(
        lambda node: cut(text_of(_Printer(node).line(node)), REPR),
        lambda node: "".join(text_of(_Printer(node).text())),
    )
