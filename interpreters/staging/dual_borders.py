"""Forward mode in programs: a value goes across a border with its tangent.

A number is a ``Dual`` of two atoms. A value of a product type that came over a border is a
``MovingProduct``: two terms, taken apart together. A function stands in a program as a function of
pairs, ``A × T A ⇒ B × T B``, and needs no tangent beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from combinators.errors import NotDifferentiable
from combinators.objects import Fun, Object, Tensor, Unit
from combinators.operation import Operation
from combinators.primitives.structural import UNPACK
from combinators.primitives.sums import INJECT, PAYLOAD, TAG, UNTAG
from combinators.spaces import Space
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import (
    dual_function,
    is_smooth,
    moves,
    parts_of,
    represented,
    tangent_of,
    velocity,
    with_tangent,
)
from interpreters.carriers.duals import Dual
from interpreters.execution.machine import Machine, Written
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.borders import Borders, Plain, Shape, at


@dataclass(frozen=True, slots=True, eq=False)
class MovingProduct:
    """A value of type ``obj`` that is no number, and its tangent; None is zero."""

    obj: Object
    primal: Atom
    tangent: Atom | None

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
    return (
        Dual(primal, both) if isinstance(obj, Tensor | Space) else MovingProduct(obj, primal, both)
    )


def resting(obj: Object) -> Atom:
    """The tangent of what does not move."""
    at_rest = velocity(obj)
    return atoms.tuple_of(()) if at_rest is Unit else atoms.zeros(at_rest)


class DualBorders(Borders):
    """How dual numbers go across a border: with their tangents, where they move."""

    def number(self, value: Any, obj: Object) -> tuple[Shape, Atom]:
        """A function as it is; of a number or a product, the primal and the tangent."""
        if isinstance(value, Atom):
            return self.still(obj), value
        if value.tangent is None:
            return self.still(obj), value.primal
        return self.still(obj, moves=True), atoms.tuple_of((value.primal, value.tangent))

    def joined(
        self, shapes: Sequence[Shape], terms: Sequence[Atom], obj: Object
    ) -> tuple[Shape, Atom]:
        """A product, from its components: primals and tangents apart."""
        plain = [shape for shape in shapes if isinstance(shape, Plain)]
        if len(plain) < len(shapes) or not any(shape.moves for shape in plain):
            return super().joined(shapes, terms, obj)
        both = [_split(*pair) for pair in zip(plain, terms, strict=True)]
        tangents = [
            resting(part) if tangent is None else tangent
            for (_, tangent), part in zip(both, parts_of(obj) or (), strict=True)
        ]
        primal = atoms.tuple_of([primal for primal, _ in both], obj)
        whole = atoms.tuple_of((primal, atoms.tuple_of(tangents, obj)))
        return self.still(obj, moves=True), whole

    def arrived(self, obj: Object, term: Atom, *, moves: bool = False) -> Any:
        """The dual value that a term is."""
        return arrived(obj, *(term[0], term[1]) if moves else (term, None))

    def test(self, number: Any) -> Atom:
        """A boolean does not move."""
        primal: Atom = number.primal
        return primal

    def computed(self, operation: Operation, values: Sequence[Any], obj: Object) -> Any:
        """The algebra of cotangents is linear: it does to tangents what it does to values."""
        given = zip(*self.terms(values, [obj] * len(values)), strict=True)
        both = [_split(shape, term) for shape, term in given if isinstance(shape, Plain)]
        primal = atoms.primitive(operation, *(primal for primal, _ in both))
        cod = operation.type(*(primal.type for primal, _ in both))
        if all(tangent is None for _, tangent in both):
            return arrived(cod, primal, None)
        if operation.primitive is UNPACK:
            operation = Operation(UNPACK, (("of", tangent_of(operation.keywords["of"])),))
        moved = [resting(term.type) if tangent is None else tangent for term, tangent in both]
        return arrived(cod, primal, atoms.primitive(operation, *moved))

    def of_sum(self, operation: Operation, x: Atom, dom: Object, cod: Object) -> Any:
        """What makes or opens values of sums, and what does so with their tangents."""
        primal, tangent = _split(self.still(dom, moves=moves(dom)), x)
        y = atoms.primitive(at(operation, lambda obj: represented(obj, dual_function)), primal)
        if tangent is None or not moves(cod):
            return arrived(cod, y, None)
        primitive = {INJECT: TAG, PAYLOAD: UNTAG}.get(operation.primitive, operation.primitive)
        moved = at(Operation(primitive, operation.parameters), velocity)
        return arrived(cod, y, atoms.primitive(moved, tangent))

    def plain_shape(self, obj: Object) -> Shape:
        """A value with its tangent, where it can have one."""
        return self.still(obj, moves=moves(obj))

    def represented(self, obj: Object) -> Object:
        """The type of a plain value."""
        return with_tangent(represented(obj, dual_function))

    def settled(self, shape: Shape, term: Atom, obj: Object) -> Atom:
        """A term with its tangent, which is zero where it had none."""
        assert isinstance(shape, Plain)
        if shape.moves or not moves(obj):
            return term
        return atoms.tuple_of((term, resting(obj)))

    def directed(self, machine: Machine, value: Any, tangent: Atom, obj: Object) -> Written:
        """A dual value that moves along ``tangent`` besides, functions along functions ``A ⇒ T B``.

        Of a dual function f and a direction k that is ``λ(x, ẋ). let (y, ẏ) = f (x, ẋ) in
        (y, ẏ + k x)``.
        """
        if isinstance(obj, Tensor | Space):
            if not is_smooth(obj):
                return value
            both = tangent if value.tangent is None else atoms.plus(value.tangent, tangent)
            return Dual(value.primal, both)
        if not isinstance(obj, Fun):
            parts = []
            for i, below in enumerate(parts_of(obj) or ()):
                parts.append((yield from self.directed(machine, value[i], tangent[i], below)))
            return tuple(parts)
        scope = Scope(current(), "a function that moves")
        with entered(scope):
            var = scope.parameter("x", self.represented(obj.dom))
            x = Atom(var)
            y = self.plain_value(obj.cod, atoms.apply(value, x))
            moved = atoms.apply(tangent, _primal(x[0] if moves(obj.dom) else x, obj.dom))
            y = yield from self.directed(machine, y, moved, obj.cod)
            result = yield from self.given(machine, y, obj.cod)
        return atoms.function(scope, var, result.term)


def _split(shape: Plain, term: Atom) -> tuple[Atom, Atom | None]:
    """The primal and the tangent that a plain term holds."""
    return (term[0], term[1]) if shape.moves else (term, None)


def _primal(x: Atom, obj: Object) -> Atom:
    """What a dual function takes as the argument, without how functions in it move."""
    if represented(obj, dual_function) is obj:
        return x
    if not isinstance(obj, Fun):
        parts = zip(x, parts_of(obj) or (), strict=True)
        return atoms.tuple_of((_primal(*part) for part in parts), obj)
    scope = Scope(current(), "a function")
    with entered(scope):
        var = scope.parameter("z", obj.dom)
        if represented(obj.dom, dual_function) is not obj.dom:
            raise NotDifferentiable(
                f"the direction of a function that takes {obj!r} is written in no program yet; "
                "take its derivative at values"
            )
        z = Atom(var)
        y = atoms.apply(x, atoms.tuple_of((z, resting(obj.dom))) if moves(obj.dom) else z)
        result = _primal(y[0] if moves(obj.cod) else y, obj.cod)
    return atoms.function(scope, var, result)
