"""Values that stand in a program, and the blocks in which they are written.

An atom is a variable or a constant. A block is a branch, or the body of a loop or of a function,
written in a scope of its own; what it captures is known when it is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from combinators.kit.memory import uncollected
from combinators.literal import Literal
from combinators.objects import Fun, Mu, Object, Real, Record, Sum, Tagged, Tensor, Vector
from combinators.operation import Operation, named
from combinators.primitives.loops import MAP
from combinators.primitives.structural import PACK, PLUS, UNPACK, ZEROS
from combinators.primitives.sums import INJECT, ROLL
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, let, pack, prim
from combinators.tracing.emit import operand, scope_here
from combinators.tracing.scope import Scope, apart, current, entered
from combinators.tracing.traced import LIBRARY, Traced
from combinators.type_folds import fold_type, is_smooth, parts_inside, parts_of, row_of, unfolded
from interpreters.execution.machine import Machine, Written


class Atom:
    """A variable or a constant of the program that is being written, of any type.

    One of a product type is taken apart lazily: ``atom[i]`` writes a projection.
    """

    __slots__ = ("_scope", "_taken", "term")

    def __init__(self, term: Term) -> None:
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
            taken[index] = self._part(index)
        return taken[index]

    def _part(self, index: int) -> Atom:
        """A component; of a tensor, which is the tangent of a vector, a row."""
        if isinstance(self.type, Tensor):
            return typed(TAKE, row_of(self.type), self, Atom(Const(Literal(np.int64(index)))))
        return Atom(scope_here().write(Proj(index, self.term)))

    def __iter__(self) -> Iterator[Atom]:
        """Over the components."""
        return (self[i] for i in range(len(_parts(self.type))))

    def opened(self) -> dict[int, Atom]:
        """As a sparse cotangent: the components that can hold anything."""
        return {i: self[i] for i, part in enumerate(_parts(self.type)) if is_smooth(part)}

    def __repr__(self) -> str:
        """Its term and type."""
        return f"{self.term!r} : {self.type!r}"


TAKE = Operation(named("take"), (("axis", 0),))


def _parts(obj: Object) -> Sequence[Object]:
    """The types of what an atom is taken apart into."""
    if isinstance(obj, Tensor):
        return (row_of(obj),) * obj.shape[0]
    return parts_of(obj) or ()


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


def tuple_of(items: Iterable[Atom], obj: Object | None = None) -> Atom:
    """The product, or the record where ``obj`` is one, of these components."""
    names = obj.names if isinstance(obj, Record) else None
    return Atom(scope_here().write(Tuple(tuple([item.term for item in items]), names), "t"))


def zeros(obj: Object) -> Atom:
    """The zero of a type without functions."""
    return primitive(Operation(ZEROS, (("of", obj),)), wish="zero")


def plus(x: Atom, y: Atom) -> Atom:
    """The sum of two cotangents."""
    if x.type is y.type:
        return typed(PLUS.plain, x.type, x, y)
    return primitive(PLUS.plain, x, y)


def packed(x: Atom) -> Atom:
    """A cotangent as a ``Tangent``."""
    return primitive(PACK.plain, x)


def unpacked(x: Atom, obj: Object) -> Atom:
    """What was packed in a ``Tangent``."""
    return primitive(Operation(UNPACK, (("of", obj),)), x)


def traced(atom: Any) -> Any:
    """An atom as a value that the language's own functions take."""
    if isinstance(atom, Atom) and isinstance(atom.term, Var):
        return Traced(atom.term, scope_here())
    if isinstance(atom, Atom) and isinstance(atom.term, Const):
        return atom.term.literal.array
    if isinstance(atom, Atom) and isinstance(atom.term, Prim):  # a zero
        return Traced(scope_here().bind(atom.term), scope_here())
    return atom


def library(name: str, *args: Any, **parameters: Any) -> Atom:
    """A function of the language, applied to atoms."""
    return Atom(operand(LIBRARY[name](*map(traced, args), **parameters)))


def bundled(held: Sequence[Atom]) -> Atom:
    """Several terms as one: what ``pack`` is of terms that are written already."""
    return held[0] if len(held) == 1 else tuple_of(held)


def unbundled(whole: Atom, count: int) -> list[Atom]:
    """The terms that ``pack`` made one."""
    return [whole][:count] if count < 2 else [whole[i] for i in range(count)]


def smooth(cotangent: Atom) -> Atom | None:
    """A cotangent, or None where its type can hold nothing."""
    return cotangent if is_smooth(cotangent.type) else None


class ClosedBlock(NamedTuple):
    """A block that is written down: its body, and the variables that it mentions."""

    body: Term
    captured: tuple[Var, ...]

    def owned_by(self, scope: Scope) -> list[Var]:
        """The variables that are made in ``scope``: what goes there as residuals."""
        return [var for var in self.captured if scope.owns(var)]

    def beyond(self, *scopes: Scope) -> list[Var]:
        """The variables that are made in none of ``scopes``."""
        return [var for var in self.captured if not any(scope.owns(var) for scope in scopes)]


def closed(scope: Scope, *results: Atom) -> ClosedBlock:
    """The block that gives ``results``: one as it is, several as a tuple."""
    with entered(scope):
        return ClosedBlock(*scope.close(pack(tuple(result.term for result in results))))


def function(scope: Scope, param: Var, *results: Atom, wish: str = "f", name: str = "") -> Atom:
    """A λ of the scope around ``scope``, in which its body was written."""
    block = closed(scope, *results)
    return write(Lam((param,), block.body, name), name or wish, block.captured)


def twin(scope: Scope, parent: Scope | None) -> Scope:
    """A scope inside ``parent`` with names that are not those of ``scope`` either."""
    made = Scope(parent, scope.owner)
    made.names = scope.names
    return made


def lambda_of(scope: Scope, write: Callable[[Machine], Written]) -> Lam:
    """The λ that ``write`` gives, in ``scope`` and on a machine of its own."""
    made: list[Lam] = []

    def step(machine: Machine) -> Any:
        with entered(scope):
            lam = yield from write(machine)
        made.append(lam)

    with uncollected(), apart():
        Machine().run((step,))
    return made[0]


def record(variables: Iterable[Var]) -> Atom | None:
    """Residuals as one value; None of none."""
    held = [Atom(var) for var in variables]
    return bundled(held) if held else None


def absent(variables: list[Var]) -> Atom | None:
    """In the place of residuals that another branch keeps."""
    return placeholder(pack(tuple(variables)).type) if variables else None


def opening(variables: list[Var], whole: Term) -> list[tuple[Var, Term]]:
    """The bindings that give residuals their names again."""
    if len(variables) == 1:
        return [(variables[0], whole)]
    return [(var, Proj(index, whole)) for index, var in enumerate(variables)]


def binding(bindings: list[tuple[Var, Term]], body: Term) -> Term:
    """``let`` these bindings ``in`` a body, which may be a let itself."""
    if isinstance(body, Let):
        return let((*bindings, *body.bindings), body.body)
    return let(tuple(bindings), body)


def placeholder(obj: Object, open_: frozenset[Object] = frozenset()) -> Atom:
    """A value of type ``obj`` that nobody looks at, inside values of the recursive types ``open_``.

    Of a sum it is of the first alternative of which there is one that holds none of these.
    """
    if not fold_type(obj, _has_no_zero, parts_inside):
        return zeros(obj)
    if isinstance(obj, Sum):
        index = next(i for i, part in enumerate(obj.parts) if _ends(part, open_))
        said = Operation(INJECT, (("of", obj), ("index", index)))
        return primitive(said, placeholder(obj.parts[index], open_))
    if isinstance(obj, Mu):
        inner = placeholder(unfolded(obj), open_ | {obj})
        return primitive(Operation(ROLL, (("of", obj),)), inner)
    if isinstance(obj, Fun):
        return write(_constant(obj.dom, obj.cod))
    if isinstance(obj, Vector):
        rows = zeros(Tensor((obj.length,)))
        return write(Prim(MAP, (_constant(Real, obj.item), rows.term)))
    return tuple_of((placeholder(part, open_) for part in parts_of(obj) or ()), obj)


def _has_no_zero(obj: Object, below: list[bool]) -> bool:
    is_value = isinstance(obj, Sum) and not isinstance(obj, Tagged)
    return isinstance(obj, Fun) or is_value or any(below)


def _ends(obj: Object, open_: frozenset[Object]) -> bool:
    """Whether there is a value of type ``obj`` without one of the recursive types ``open_``."""
    if isinstance(obj, Mu):
        return obj not in open_ and _ends(unfolded(obj), open_ | {obj})
    some = any if isinstance(obj, Sum) else all
    inside = obj.parts if isinstance(obj, Sum) else parts_of(obj) or ()
    return some(_ends(part, open_) for part in inside)


def _constant(dom: Object, cod: Object) -> Lam:
    """A function of no interest."""
    scope = Scope(None, "a placeholder")
    with entered(scope):
        param = scope.parameter("x", dom)
        body = closed(scope, placeholder(cod))
    return Lam((param,), body.body)
