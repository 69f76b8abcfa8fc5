"""Values as terms, and terms as values: what goes across a border.

A value goes across as one term, and a shape says what the term is. Shapes are made once, and
compared by identity. A closure ``λz. a * z + b`` inside a pair goes to a branch, a loop or a
function as what it captured::

    value   (x, closure of code over (a, b))
    shape   Several((Plain(Real), Known(code, (Plain(Real), Plain(Real)))))
    term    (x, (a, b))

and on the other side it is a closure of that code again, whose calls are calls of known code. Where
the code is not to be known, the value is made *plain*: in reverse mode a function ``A ⇒ B`` stands
in a program as ``A ⇒ B × (T B ⇒ Tangent × T A)``, the rep-function of 004 (Fig. 5), whose
environment's cotangent is erased (section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Fun, Object, Tangent
from combinators.operation import Operation
from combinators.terms import Var
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_smooth, parts_of, rep_function, represented, tangent_of
from interpreters.execution.machine import Arrow, Machine, Step, Written, nothing, settled
from interpreters.execution.running import Closure, Code, Running
from interpreters.sparse_cotangents import Cotangent, nonzero, opened
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom, smooth
from interpreters.staging.cotangent_layouts import dense

S = TypeVar("S", bound="Shape")


@dataclass(frozen=True, eq=False)
class Shape:
    """What a term stands for."""


@dataclass(frozen=True, eq=False)
class Plain(Shape):
    """A value of the type ``obj`` in its mode's own representation."""

    obj: Object
    moves: bool = False
    """In forward mode: whether a tangent goes with it."""


@dataclass(frozen=True, eq=False)
class Known(Shape):
    """A closure of known code: the term is the tuple of what it captured."""

    code: Code
    env: tuple[Shape, ...]


@dataclass(frozen=True, eq=False)
class Several(Shape):
    """A product with closures in it: the term is the tuple of its parts."""

    parts: tuple[Shape, ...]


Crossing = tuple[tuple[Shape, ...], tuple[Atom, ...]]


class Given(NamedTuple):
    """A value that goes across as ``term``: its shape as it stands here, and its own term."""

    shape: Shape
    own: Atom
    term: Atom

    def returned(self, cotangent: Cotangent) -> Cotangent:
        """The cotangent of the value, from that of the term."""
        return returned(self.shape, self.own.type, cotangent)


def returned(shape: Shape, own: Object, cotangent: Cotangent) -> Cotangent:
    """The cotangent of a value, from that of its plain term; ``own`` is the type of its own."""
    if cotangent is None or isinstance(shape, Plain):
        return cotangent
    if isinstance(shape, Several):
        types, parts = parts_of(own) or (), opened(cotangent).items()
        return nonzero((i, returned(shape.parts[i], types[i], g)) for i, g in parts)
    if cotangent.type is not Tangent:
        return cotangent
    return smooth(atoms.unpacked(cotangent, tangent_of(own)))


class Arrived(Closure):
    """A closure that came over a border, as ``term`` of a known ``shape``."""

    __slots__ = ("_borders", "shape", "term")

    def __init__(self, borders: Borders, shape: Known, term: Atom) -> None:
        """Its environment is taken apart where it is asked for, in the scope that asks."""
        self.code: Code = shape.code
        self.shape, self.term, self._borders = shape, term, borders

    @property
    def env(self) -> tuple[Any, ...]:  # type: ignore[override]  # a slot of Closure; made here
        """The captured values."""
        value, term = self._borders.value, self.term
        return tuple(value(shape, term[i]) for i, shape in enumerate(self.shape.env))


class Borders:
    """How the values of a mode become terms: numbers are atoms, and closures what they captured."""

    def __init__(self, mode: Running) -> None:
        self.mode = mode
        self._shapes: dict[Hashable, Any] = {}
        self._known: dict[tuple[int, int], tuple[Any, Any, tuple[Shape, Atom]]] = {}

    def shape(self, kind: Callable[..., S], *parts: Any) -> S:
        """The shape of these parts, made once: types, code and shapes are compared by identity."""
        made: S = self._shapes.setdefault((kind, *parts), kind(*parts))
        return made

    def still(self, obj: Object, *, moves: bool = False) -> Plain:
        """The shape of a value without closures, beside which a tangent may stand."""
        return self.shape(Plain, obj, moves)

    # ---- as they stand here

    def term(self, value: Any, obj: Object) -> tuple[Shape, Atom]:
        """The one term that ``value`` is in the current scope, and its shape."""
        return recurse(self._term(value, obj))

    def terms(self, values: Iterable[Any], types: Iterable[Object]) -> Crossing:
        """Several values, each as one term."""
        return recurse(self._each(values, types))

    def _term(self, value: Any, obj: Object) -> Recursive[tuple[Shape, Atom]]:
        value = settled(value, obj)
        if isinstance(value, Arrived):
            return value.shape, value.term
        if not isinstance(value, (tuple, Closure)):
            return self.number(value, obj)
        scope = current()
        key = (id(scope), id(value))
        if key not in self._known:
            if isinstance(value, Closure):
                shapes, terms = yield self._each(value.env, value.code.captured.parts)
                shape: Shape = self.shape(Known, value.code, shapes)
                made = shape, atoms.tuple_of(terms)
            else:
                shapes, terms = yield self._each(value, parts_of(obj) or ())
                made = self.joined(shapes, terms, obj)
            self._known[key] = (scope, value, made)
        return self._known[key][2]

    def _each(self, values: Iterable[Any], types: Iterable[Object]) -> Recursive[Crossing]:
        shapes, terms = [], []
        for value, obj in zip(values, types, strict=False):
            shape, term = yield self._term(value, obj)
            shapes.append(shape)
            terms.append(term)
        return tuple(shapes), tuple(terms)

    def number(self, value: Any, obj: Object) -> tuple[Shape, Atom]:
        """A number or a term of any type."""
        return self.still(obj), value

    def joined(
        self, shapes: Sequence[Shape], terms: Sequence[Atom], obj: Object
    ) -> tuple[Shape, Atom]:
        """A product, from its components."""
        if all(isinstance(shape, Plain) for shape in shapes):
            return self.still(obj), atoms.tuple_of(terms, obj)
        return self.shape(Several, tuple(shapes)), atoms.tuple_of(terms)

    def value(self, shape: Shape, term: Atom) -> Any:
        """The value that a term of this shape is."""
        match shape:
            case Known():
                return Arrived(self, shape, term)
            case Several(parts):
                return tuple(self.value(part, term[i]) for i, part in enumerate(parts))
            case Plain(obj, moves):
                return self.arrived(obj, term, moves=moves)
        raise AssertionError(shape)

    def arrived(self, obj: Object, term: Atom, *, moves: bool = False) -> Any:
        """The value of type ``obj`` that a term of its own representation is."""
        return term

    def test(self, number: Any) -> Atom:
        """What a conditional chooses by."""
        atom: Atom = number
        return atom

    def computed(self, operation: Operation, values: Sequence[Any], obj: Object) -> Any:
        """The algebra of cotangents: a node of the program."""
        return atoms.primitive(operation, *self.terms(values, [obj] * len(values))[1])

    def of_sum(self, operation: Operation, x: Atom, dom: Object, cod: Object) -> Any:
        """What makes or opens values of sums, applied to a plain term of type ``dom``."""
        return self.plain_value(cod, atoms.primitive(at(operation, self.inside.represented), x))

    # ---- plain

    @property
    def inside(self) -> Borders:
        """How functions stand that other functions of unknown code take and give."""
        return self

    def plain_shape(self, obj: Object) -> Shape:
        """The shape of a plain value."""
        return self.still(obj)

    def represented(self, obj: Object) -> Object:
        """The type of a plain value."""
        return represented(obj, rep_function if self.mode.reverses else Fun)

    def settled(self, shape: Shape, term: Atom, obj: Object) -> Atom:
        """The plain term of a value without closures."""
        return term

    def plain_value(self, obj: Object, term: Atom) -> Any:
        """The value that a plain term is."""
        return self.value(self.plain_shape(obj), term)

    def parameter(self, scope: Scope, wish: str, obj: Object) -> tuple[Var, Any]:
        """A variable that a λ binds, and the plain value that it is."""
        var = scope.parameter(wish, self.represented(obj))
        return var, self.plain_value(obj, Atom(var))

    def given(self, machine: Machine, value: Any, obj: Object) -> Written:
        """A value, as a plain term."""
        shape, own = self.term(value, obj)
        return Given(shape, own, (yield from self.plain(machine, shape, own, obj)))

    def plain(self, machine: Machine, shape: Shape, term: Atom, obj: Object) -> Written:
        """A term of any shape as a plain one."""
        if isinstance(shape, Known):
            return (yield from self._function(machine, shape, term))
        if not isinstance(shape, Several):
            return self.settled(shape, term, obj)
        types, made = parts_of(obj) or (), []
        for index, part in enumerate(shape.parts):
            made.append((yield from self.plain(machine, part, term[index], types[index])))
        return self.joined([self.plain_shape(below) for below in types], made, obj)[1]

    def _function(self, machine: Machine, shape: Known, term: Atom) -> Written:
        """A closure of known code as a λ."""
        function, label = shape.code.function, shape.code.label
        wish = label.parameters[0] if len(label.parameters) == 1 else "x"
        scope, inside = Scope(current(), "a function"), self.inside
        with entered(scope):
            var, x = inside.parameter(scope, wish, function.dom)
            start = Arrived(self, shape, term), x
            y, tape = yield from inside.run(machine, self.mode.eval(function), start)
            result = y.term
            if self.mode.reverses:

                def split(pulled: Cotangent) -> tuple[Atom, Atom]:
                    parts = {} if pulled is None else opened(pulled)
                    env = erased(parts.get(0), tangent_of(term.type))
                    return env, dense(parts.get(1), tangent_of(var.type))

                back = yield from self.pullback(machine, y, tape, start, split)
                result = atoms.tuple_of((y.term, back))
        return atoms.function(scope, var, result, name=label.called)

    def pullback(
        self,
        machine: Machine,
        y: Given,
        tape: list[Step],
        start: Any,
        split: Callable[[Cotangent], tuple[Atom, Atom]],
    ) -> Written:
        """``λȳ. (Tangent, x̄)`` of a function that gives ``y``; ``split`` is of its start's."""
        scope = Scope(current(), "a pullback")
        with entered(scope):
            dy = scope.parameter("dy", tangent_of(y.term.type))
            results = split((yield from self.pulled(machine, tape, y.returned(Atom(dy)), start)))
        return atoms.function(scope, dy, *results, wish="pullback")

    def run(self, machine: Machine, arrow: Arrow, start: Any) -> Written:
        """What ``arrow`` gives at ``start``, as a plain term, and the tape that it left."""
        value, tape = yield from machine.forwards(arrow.enter, start)
        return (yield from self.given(machine, value, arrow.cod)), tape

    def pulled(
        self, machine: Machine, tape: list[Step], cotangent: Cotangent, start: Any
    ) -> Written:
        """The cotangent of ``start``, by a tape, as it can cross a border."""
        found = yield from machine.backwards(tape, cotangent)
        return (yield from self.without_calls(machine, found, start))

    def without_calls(self, machine: Machine, cotangent: Cotangent, value: Any) -> Written:
        """A cotangent of ``value`` in which calls have become cotangents of what was captured."""
        if not self.mode.records_calls:
            return cotangent
        if type(cotangent) is list:
            called = self.mode.control.called(value.code, value.env)
            cotangent, _ = yield from machine.forwards(called, cotangent)
        if type(cotangent) is not dict:
            return cotangent
        parts, found = value.env if isinstance(value, Closure) else value, []
        for index, part in cotangent.items():
            found.append((index, (yield from self.without_calls(machine, part, parts[index]))))
        return nonzero(found)

    def apply(self, function: Atom, argument: Any, type_: Fun) -> Step:
        """The step that applies a function value of a program."""

        def apply(machine: Machine) -> Written:
            x = yield from self.given(machine, argument, type_.dom)
            whole = atoms.apply(function, x.term)
            if not self.mode.reverses:
                machine.stack.append(self.plain_value(type_.cod, whole))
                return
            y, pullback = whole[0], whole[1]
            machine.stack.append(y)

            def transpose(machine: Machine) -> None:
                cotangent = machine.stack[-1]
                if cotangent is not None:
                    pulled = atoms.apply(pullback, dense(cotangent, tangent_of(y.type)))
                    back = x.returned(smooth(pulled[1]))
                    machine.stack[-1] = nonzero(enumerate((pulled[0], back)))

            machine.tape.append(transpose if is_smooth(y.type) else nothing)

        return apply


def at(operation: Operation, types: Callable[[Object], Object]) -> Operation:
    """An operation on sums at other types."""
    given = ((name, types(v) if name == "of" else v) for name, v in operation.parameters)
    return Operation(operation.primitive, tuple(given))


def erased(cotangent: Cotangent, obj: Object) -> Atom:
    """The cotangent of what a function captured, as a ``Tangent``."""
    if cotangent is None:
        return atoms.zeros(Tangent)
    whole = dense(cotangent, obj)
    return whole if obj is Tangent else atoms.packed(whole)
