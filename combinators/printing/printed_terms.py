"""Terms as on paper: on one line, or in let-normal form with types."""

from __future__ import annotations

from combinators.free import captured
from combinators.kit.text import Names, Pieces, cut, text_of
from combinators.objects import Record
from combinators.operation import Operation
from combinators.printing.layout import (
    Part,
    Printer,
    Spelling,
    new_line,
    nodes_of,
    occurrences,
)
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var

REPR = 120

# How tightly a form holds together, from λ and let, which reach as far as they can, to atoms.
LOOSE, COMPARISON, OR, XOR, AND, SUM, PRODUCT, SIGN, POWER, APPLY, ATOM = range(11)
_TIGHT = {
    "|": OR,
    "^": XOR,
    "&": AND,
    "+": SUM,
    "-": SUM,
    **dict.fromkeys(("*", "/", "//", "%", "@", "·", "⊘"), PRODUCT),
    "**": POWER,
}
_PREFIX = {"negative": "-"}


def term_line(term: Term) -> str:
    """The term on one line; a long one ends in … and its rest is not even read."""
    return cut(text_of(_Line(term).inline(term)), REPR)


def term_text(term: Term) -> str:
    """The term in let-normal form, a line a binding; closed functions stand at the top, once."""
    return "".join(text_of(_Text(term).program()))


class _Terms(Printer[Term]):
    """How each form of term is spelt."""

    def binds(self, node: Term) -> int:
        match node:
            case Var() | Tuple():
                return ATOM
            case Const(literal):
                return SIGN if repr(literal).startswith("-") else ATOM
            case App():
                return APPLY
            case Proj(_, product):
                return ATOM if isinstance(product.type, Record) else APPLY
            case Prim(operation, args):
                return _operation_binds(operation, len(args))
            case _:
                return LOOSE

    def spelling(self, node: Term) -> Spelling:
        match node:
            case Var(name):
                yield name
            case Const(literal):
                yield repr(literal)
            case Lam():
                yield f"λ{_parameters(node)}. "
                yield Part(node.body)
            case App(function, argument):
                yield from (Part(function, APPLY), " ", Part(argument, ATOM))
            case Let((), body):
                yield Part(body)
            case Let(bindings, body):
                for index, (var, bound) in enumerate(bindings):
                    yield f"{'; ' if index else 'let '}{var.name} = "
                    yield Part(bound)
                yield " in "
                yield Part(body)
            case Cond(test, then, other):
                yield from ("if ", Part(test), " then ", Part(then), " else ", Part(other))
            case Proj(index, product) if isinstance(product.type, Record):
                yield from (Part(product, ATOM), f".{product.type.names[index]}")
            case Proj(index, product):
                yield from (f"π{index} ", Part(product, ATOM))
            case Tuple(items, names):
                yield from _tuple(items, names)
            case Prim(operation, args):
                yield from _primitive(operation, args)
            case _:
                yield type(node).__name__


class _Line(_Terms):
    """A line, in which closed functions go by the name they were given."""

    def __init__(self, root: Term) -> None:
        super().__init__()
        self._root = root
        self._closed: set[int] | None = None

    def name(self, node: Term) -> str | None:
        if not isinstance(node, Lam) or not node.name or node is self._root:
            return None
        if self._closed is None:
            self._closed = _closed(self._root)
        return node.name if id(node) in self._closed else None


class _Text(_Terms):
    """Several lines: a definition a closed function, a line a binding."""

    def __init__(self, root: Term) -> None:
        super().__init__()
        self._root = root
        nodes = nodes_of(root)
        closed, count = _closed(root), occurrences(self, nodes)
        self._defined = [
            node
            for node in nodes
            if isinstance(node, Lam)
            and id(node) in closed
            and node is not root
            and (node.name or count[id(node)] > 1)
        ]
        names = Names(node.name for node in nodes if isinstance(node, Var))
        for lam in self._defined:
            self.names[id(lam)] = names.fresh(lam.name or "f")
        self.measure(nodes)

    def program(self) -> Pieces:
        """The definitions, then the term."""
        for lam in self._defined:
            yield f"{self.names[id(lam)]} : {lam.type!r} = "
            yield self.define(lam)
            yield "\n"
        yield self._block(self._root, 0)

    def is_tall(self, node: Term) -> bool:
        return isinstance(node, Let) or (node is self._root and isinstance(node, Lam))

    def may_break(self, node: Term) -> bool:
        return isinstance(node, (Lam, Cond, Tuple))

    def _block(self, term: Term, depth: int) -> Pieces:
        """The bindings, a line each, and the result."""
        if not isinstance(term, Let):
            yield self.set(term, depth)
            return
        for var, bound in term.bindings:
            yield f"{var.name} : {var.type!r} = "
            yield self.set(bound, depth)
            yield new_line(depth)
        yield self._block(term.body, depth)

    def _indented(self, term: Term, depth: int) -> Pieces:
        yield new_line(depth + 1)
        yield self._block(term, depth + 1)

    def set_tall(self, node: Term, depth: int) -> Pieces:
        match node:
            case Let():
                yield "let"
                yield self._indented(node, depth)
            case Lam(params, body):
                typed = ", ".join(f"{param.name} : {param.type!r}" for param in params)
                yield f"λ({typed})."
                yield self._indented(body, depth)
            case Cond(test, then, other):
                yield "if "
                yield self.set(test, depth)
                yield " then"
                yield self._indented(then, depth)
                yield new_line(depth) + "else"
                yield self._indented(other, depth)
            case Tuple(items, names):
                yield "{" if names else "("
                for index, item in enumerate(items):
                    yield new_line(depth + 1) + (f"{names[index]}: " if names else "")
                    yield self.set(item, depth + 1)
                    yield ","
                yield new_line(depth) + ("}" if names else ")")
            case _:
                head, parts = self._head(node)
                yield head
                for part in parts:
                    yield new_line(depth + 1)
                    yield self.set(part, depth + 1, ATOM)

    def _head(self, node: Term) -> tuple[Pieces, tuple[Term, ...]]:
        match node:
            case App(function, argument) if not self.stands_tall(function):
                return self.inline(function, APPLY), (argument,)
            case App(function, argument):
                return iter(("apply",)), (function, argument)
            case Proj(index, product):
                obj = product.type
                name = f".{obj.names[index]}" if isinstance(obj, Record) else f"π{index}"
                return iter((name,)), (product,)
            case Prim(operation, args):
                return iter((operation_name(operation),)), args
            case _:
                return iter((type(node).__name__,)), ()


def operation_name(operation: Operation) -> str:
    """``sin``, ``sum[axis=(0,)]``, and ``(+)`` as the paper writes it."""
    infix = operation.primitive.infix
    return f"({infix})" if infix else repr(operation)


def _closed(root: Term) -> set[int]:
    free, inside = captured(root)
    closed = {key for key, variables in inside.items() if not variables}
    return closed if free else closed | {id(root)}


def _parameters(lam: Lam) -> str:
    names = ", ".join(param.name for param in lam.params)
    return names if len(lam.params) == 1 else f"({names})"


def _tuple(items: tuple[Term, ...], names: tuple[str, ...] | None) -> Spelling:
    yield "{" if names else "("
    for index, item in enumerate(items):
        label = f"{names[index]}: " if names else ""
        yield f", {label}" if index else label
        yield Part(item)
    yield "}" if names else ",)" if len(items) == 1 else ")"


def _operation_binds(operation: Operation, arguments: int) -> int:
    if operation.primitive.infix and arguments == 2:
        return _TIGHT.get(operation.primitive.infix, COMPARISON)
    return SIGN if operation.name in _PREFIX else APPLY


def _primitive(operation: Operation, args: tuple[Term, ...]) -> Spelling:
    binds, infix = _operation_binds(operation, len(args)), operation.primitive.infix
    if infix and len(args) == 2:
        # sums and products nest to the left, powers to the right, comparisons not at all
        yield Part(args[0], binds + (binds in (COMPARISON, POWER)))
        yield f" {infix} "
        yield Part(args[1], SIGN if binds == POWER else binds + 1)
    elif operation.name in _PREFIX:
        yield _PREFIX[operation.name]
        yield Part(args[0], POWER)
    else:
        yield operation_name(operation)
        for arg in args:
            yield " "
            yield Part(arg, ATOM)
