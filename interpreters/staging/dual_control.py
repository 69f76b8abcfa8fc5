"""Forward mode in programs: a value goes across a border with its tangent.

A number is a ``Dual`` of two atoms. A value of a product type that came over a border is a
``Moving``: two terms, taken apart together. A function stands in a program as a function of pairs,
``A × T A ⇒ B × T B``, and needs no tangent beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from combinators.errors import NotDifferentiable
from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object, Tensor, Unit
from combinators.operation import Operation
from combinators.primitives.structural import UNPACK
from combinators.terms import Lam, Var
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import (
    dual_function,
    moves,
    parts_of,
    represented,
    tangent_of,
    velocity,
    with_tangent,
)
from interpreters.carriers.duals import Dual
from interpreters.execution.machine import Machine, Written
from interpreters.execution.running import Running
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.blocks import (
    closed,
)
from interpreters.staging.borders import Borders, Plain, Shape
from interpreters.staging.control import StagedControl, staged


class Moving:
    """A value of type ``obj`` that is no number, and its tangent; None is zero."""

    __slots__ = ("obj", "primal", "tangent")

    def __init__(self, obj: Object, primal: Atom, tangent: Atom | None) -> None:
        """Two terms."""
        self.obj, self.primal, self.tangent = obj, primal, tangent

    def __getitem__(self, index: int) -> Any:
        """The component ``index``, of both."""
        obj = (parts_of(self.obj) or ())[index]
        tangent = None if self.tangent is None else self.tangent[index]
        return arrived(obj, self.primal[index], tangent)

    def __iter__(self) -> Iterator[Any]:
        """Over the components."""
        return (self[i] for i in range(len(parts_of(self.obj) or ())))


def arrived(obj: Object, primal: Atom, tangent: Atom | None) -> Any:
    """The value that two terms are."""
    if isinstance(obj, Fun):
        return primal
    both = tangent if moves(obj) else None
    return Dual(primal, both) if isinstance(obj, Tensor) else Moving(obj, primal, both)


class DualBorders(Borders):
    """How dual numbers go across a border."""

    def number(self, value: Any, obj: Object) -> tuple[Shape, Atom]:
        """A function as it is; of a number or a product, the primal and the tangent."""
        if isinstance(value, Atom):
            return self.shapes.plain(obj), value
        if value.tangent is None:
            return self.shapes.plain(obj), value.primal
        return self.shapes.plain(obj, moves=True), atoms.tuple_of((value.primal, value.tangent))

    def _parts(self, value: tuple[Any, ...], obj: Object) -> Recursive[tuple[Shape, Atom]]:
        types = parts_of(obj) or ()
        shapes, terms = yield self._each(value, types)
        if not all(isinstance(shape, Plain) for shape in shapes):
            return self.shapes.several(shapes), atoms.tuple_of(terms)
        if not any(shape.moves for shape in shapes):
            return self.shapes.plain(obj), atoms.product_of(terms, obj)
        return self.shapes.plain(obj, moves=True), together(shapes, terms, obj)

    def arrived(self, obj: Object, moves: bool, term: Atom) -> Any:
        """The dual value that a term is."""
        primal, tangent = (term[0], term[1]) if moves else (term, None)
        return arrived(obj, primal, tangent)


def together(shapes: Sequence[Plain], terms: Sequence[Atom], obj: Object) -> Atom:
    """The plain term of a product that moves, from those of its components."""
    both = [split(shape, term) for shape, term in zip(shapes, terms, strict=True)]
    tangents = [
        resting(part) if tangent is None else tangent
        for (_, tangent), part in zip(both, parts_of(obj) or (), strict=True)
    ]
    primal = atoms.product_of([primal for primal, _ in both], obj)
    return atoms.tuple_of((primal, atoms.product_of(tangents, obj)))


def split(shape: Plain, term: Atom) -> tuple[Atom, Atom | None]:
    """The primal and the tangent that a plain term holds."""
    return (term[0], term[1]) if shape.moves else (term, None)


def resting(obj: Object) -> Atom:
    """The tangent of what does not move."""
    at_rest = velocity(obj)
    return atoms.tuple_of(()) if at_rest is Unit else atoms.zeros(at_rest)


class DualControl(StagedControl):
    """The branches, loops and calls of a program in forward mode."""

    def __init__(self, mode: Running) -> None:
        """Of a program that is not written yet."""
        super().__init__(mode, DualBorders())

    def test(self, number: Any) -> Atom:
        """A boolean does not move."""
        primal: Atom = number.primal
        return primal

    def plain_shape(self, mode: Running, obj: Object) -> Plain:
        """A value with its tangent, where it can have one."""
        return self.borders.shapes.plain(obj, moves=moves(obj))

    def represented(self, mode: Running, obj: Object) -> Object:
        """The type of what ``plain`` gives."""
        return with_tangent(represented(obj, dual_function))

    def with_tangent(self, shape: Shape, term: Atom, obj: Object) -> Atom:
        """A term with its tangent, which is zero where it had none."""
        assert isinstance(shape, Plain)
        if shape.moves or not moves(obj):
            return term
        return atoms.tuple_of((term, resting(obj)))

    def together(self, mode: Running, terms: list[Atom], obj: Object) -> Atom:
        """Primals and tangents apart."""
        if not moves(obj):
            return atoms.product_of(terms, obj)
        shapes = [self.plain_shape(mode, part) for part in parts_of(obj) or ()]
        return together(shapes, terms, obj)

    def structural(self, operation: Operation, obj: Object) -> Callable[..., Any]:
        """The algebra of cotangents is linear: it does to tangents what it does to values."""

        def compute(*values: Any) -> Any:
            shapes, terms = self.borders.terms(values, [obj] * len(values))
            both = [split(s, t) for s, t in zip(shapes, terms, strict=True) if isinstance(s, Plain)]
            primal = atoms.primitive(operation, *(primal for primal, _ in both))
            cod = operation.type(*(primal.type for primal, _ in both))
            if all(tangent is None for _, tangent in both):
                return arrived(cod, primal, None)
            moved = [resting(term.type) if tangent is None else tangent for term, tangent in both]
            return arrived(cod, primal, atoms.primitive(_of_tangents(operation), *moved))

        return compute


def _of_tangents(operation: Operation) -> Operation:
    if operation.primitive is not UNPACK:
        return operation
    return Operation(UNPACK, (("of", tangent_of(operation.keywords["of"])),))


def directed(mode: Running, machine: Machine, value: Any, tangent: Atom, obj: Object) -> Written:
    """A dual value that moves along ``tangent`` besides, functions along functions ``A ⇒ T B``."""
    if isinstance(obj, Fun):
        return (yield from _directed_function(mode, machine, value, tangent, obj))
    if isinstance(obj, Tensor):
        if not obj.is_smooth:
            return value
        both = tangent if value.tangent is None else atoms.plus(value.tangent, tangent)
        return Dual(value.primal, both)
    parts = []
    for index, below in enumerate(parts_of(obj) or ()):
        parts.append((yield from directed(mode, machine, value[index], tangent[index], below)))
    return tuple(parts)


def _directed_function(
    mode: Running, machine: Machine, function: Atom, tangent: Atom, obj: Fun
) -> Written:
    """``λ(x, ẋ). let (y, ẏ) = f (x, ẋ) in (y, ẏ + k x)``, of a dual function and a direction k."""
    control = staged(mode)
    scope = Scope(current(), "a function that moves")
    with entered(scope):
        x = Atom(scope.parameter("x", control.represented(mode, obj.dom)))
        whole = atoms.apply(function, x)
        y = control.borders.value(control.plain_shape(mode, obj.cod), whole)
        moved = atoms.apply(tangent, _primal(x[0] if moves(obj.dom) else x, obj.dom))
        shape, own = control.borders.term(
            (yield from directed(mode, machine, y, moved, obj.cod)), obj.cod
        )
        result = yield from control.plain(mode, machine, shape, own, obj.cod)
    block = closed(scope, result)
    assert isinstance(x.term, Var)
    return atoms.write(Lam((x.term,), block.body), "f", block.captured)


def _primal(x: Atom, obj: Object) -> Atom:
    """What a dual function takes as the argument, without how functions in it move."""
    if represented(obj, dual_function) is obj:
        return x
    if not isinstance(obj, Fun):
        return atoms.product_of(
            (_primal(*p) for p in zip(x, parts_of(obj) or (), strict=True)), obj
        )
    scope = Scope(current(), "a function")
    with entered(scope):
        z = Atom(scope.parameter("z", obj.dom))
        if represented(obj.dom, dual_function) is not obj.dom:
            raise NotDifferentiable(
                f"the direction of a function that takes {obj!r} is written in no program yet; "
                "take its derivative at values"
            )
        given = atoms.tuple_of((z, resting(obj.dom))) if moves(obj.dom) else z
        y = atoms.apply(x, given)
        result = _primal(y[0] if moves(obj.cod) else y, obj.cod)
    block = closed(scope, result)
    assert isinstance(z.term, Var)
    return atoms.write(Lam((z.term,), block.body), "f", block.captured)
