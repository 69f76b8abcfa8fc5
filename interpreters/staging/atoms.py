"""Values that stand in a program: variables and constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from combinators.objects import Object, Record
from combinators.operation import Operation
from combinators.primitives.structural import PACK, PLUS, UNPACK, ZEROS
from combinators.terms import App, Lam, Proj, Term, Tuple, Var, pack, prim
from combinators.tracing.emit import scope_here
from combinators.tracing.scope import Scope, current
from combinators.type_folds import is_smooth, parts_of


class Atom:
    """A variable or a constant of the program that is being written, of any type.

    One of a product type is taken apart lazily: ``atom[i]`` writes a projection.
    """

    __slots__ = ("_scope", "_taken", "term")

    def __init__(self, term: Term) -> None:
        """Of a ``Var`` or a ``Const``."""
        self.term = term
        self._taken: dict[int, Atom] | None = None
        self._scope: Scope | None = None

    @property
    def type(self) -> Object:
        """The type of the term."""
        return self.term.type

    def __getitem__(self, index: int) -> Atom:
        """The component ``index``; written once a scope."""
        here = current()
        taken = self._taken
        if taken is None or self._scope is not here:
            self._scope = here
            taken = self._taken = {}
        if index not in taken:
            taken[index] = Atom(scope_here().write(Proj(index, self.term)))
        return taken[index]

    def __iter__(self) -> Iterator[Atom]:
        """Over the components."""
        return (self[i] for i in range(len(parts_of(self.type) or ())))

    def opened(self) -> dict[int, Atom]:
        """As a sparse cotangent: the components that can hold anything."""
        return {i: self[i] for i, part in enumerate(parts_of(self.type) or ()) if is_smooth(part)}

    def __repr__(self) -> str:
        """Its term and type."""
        return f"{self.term!r} : {self.type!r}"


def write(term: Term, wish: str = "v", captured: Iterable[Var] = ()) -> Atom:
    """The atom that names ``term``, whose λs and branches mention ``captured`` variables."""
    return Atom(scope_here().bind(term, wish, tuple(captured)))


def primitive(operation: Operation, *operands: Atom, wish: str = "v") -> Atom:
    """A primitive applied."""
    terms = [operand.term for operand in operands]
    return typed(operation, operation.type(*[term.type for term in terms]), *operands, wish=wish)


def typed(operation: Operation, obj: Object, *operands: Atom, wish: str = "v") -> Atom:
    """A primitive applied, which is known to give an ``obj``."""
    scope = current() or scope_here()
    return Atom(scope.write(prim(obj, operation, None, *[x.term for x in operands]), wish))


def apply(function: Atom | Lam, *arguments: Atom, wish: str = "v") -> Atom:
    """A function applied: a variable, or a closed λ."""
    term = function if isinstance(function, Lam) else function.term
    return write(App(term, pack(tuple(x.term for x in arguments))), wish)


def tuple_of(items: Iterable[Atom], names: tuple[str, ...] | None = None) -> Atom:
    """The product, or the record of these names."""
    return Atom(scope_here().write(Tuple(tuple([item.term for item in items]), names), "t"))


def product_of(items: Iterable[Atom], obj: Object) -> Atom:
    """The product, or the record where ``obj`` is one, of these components."""
    return tuple_of(items, obj.names if isinstance(obj, Record) else None)


def zeros(obj: Object) -> Atom:
    """The zero of a type without functions."""
    return primitive(Operation(ZEROS, (("of", obj),)), wish="zero")


def plus(x: Atom, y: Atom) -> Atom:
    """The sum of two cotangents."""
    return primitive(PLUS.plain, x, y)


def packed(x: Atom) -> Atom:
    """A cotangent as a ``Tangent``."""
    return primitive(PACK.plain, x)


def unpacked(x: Atom, obj: Object) -> Atom:
    """What was packed in a ``Tangent``."""
    return primitive(Operation(UNPACK, (("of", obj),)), x)
