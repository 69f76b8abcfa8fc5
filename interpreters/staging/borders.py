"""Values as terms, and terms as values: what goes across a border.

A value goes across as one term, and a shape says what the term is. Shapes are interned by the
``Shapes`` that made them, and compared by identity. A closure ``λz. a * z + b`` inside a pair goes
to a branch, a loop or a function as what it captured::

    value   (x, closure of code over (a, b))
    shape   Several((Plain(Real), Known(code, (Plain(Real), Plain(Real)))))
    term    (x, (a, b))

and on the other side it is a closure of that code again, whose calls are calls of known code.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Object
from combinators.operation import Operation
from combinators.tracing.scope import current
from combinators.type_folds import parts_of
from interpreters.execution.machine import Machine, Written, settled
from interpreters.execution.running import Closure, Code, Running
from interpreters.sparse_cotangents import Cotangent
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom

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


@dataclass(frozen=True, eq=False)
class Accompanying(Shape):
    """A function of unknown code: the term is the tuple of it and its companions ``words``."""

    obj: Object
    words: tuple[tuple[Operation, ...], ...]


class Shapes:
    """The shapes of one program, each made once."""

    def __init__(self) -> None:
        """None yet."""
        self._made: dict[Hashable, Shape] = {}

    def plain(self, obj: Object, moves: bool = False) -> Plain:
        """A value as its type says."""
        return self._once((Plain, obj, moves), Plain(obj, moves))

    def known(self, code: Code, env: tuple[Shape, ...]) -> Known:
        """A closure of ``code``."""
        return self._once((Known, id(code), *map(id, env)), Known(code, env))

    def several(self, parts: tuple[Shape, ...]) -> Several:
        """A product, part by part."""
        return self._once((Several, *map(id, parts)), Several(parts))

    def accompanying(self, obj: Object, words: tuple[tuple[Operation, ...], ...]) -> Accompanying:
        """A function of unknown code with its companions."""
        return self._once((Accompanying, obj, words), Accompanying(obj, words))

    def _once(self, key: Hashable, shape: S) -> S:
        return self._made.setdefault(key, shape)  # type: ignore[return-value]  # by its key


def is_plain(shapes: tuple[Any, ...]) -> bool:
    """Whether there is no closure of known code among them, nor one that moves."""
    return all(isinstance(shape, Plain) and not shape.moves for shape in shapes)


class Staging(Protocol):
    """What the parts of a program that is written ask of the whole: of its control."""

    borders: Borders
    known: dict[Hashable, Any]
    """The functions of known code, by their code and the shapes of what goes in."""

    @property
    def inside(self) -> Staging:
        """How functions stand that other functions of unknown code take and give."""

    def test(self, number: Any) -> Atom:
        """What a conditional chooses by."""

    def enters(self, code: Code) -> bool:
        """Whether this is the first loop to run ``code``, which then stands in it."""

    def plain(
        self, mode: Running, machine: Machine, shape: Shape, term: Atom, obj: Object
    ) -> Written:
        """A term of any shape as a value of the program."""

    def plain_shape(self, mode: Running, obj: Object) -> Shape:
        """The shape of what ``plain`` gives."""

    def represented(self, mode: Running, obj: Object) -> Object:
        """The type of what ``plain`` gives."""

    def with_tangent(self, shape: Shape, term: Atom, obj: Object) -> Atom:
        """A plain term, as every value of the program is."""

    def together(self, mode: Running, terms: list[Atom], obj: Object) -> Atom:
        """The plain term of a product, from those of its components."""

    def returned(self, shape: Shape, own: Object, cotangent: Cotangent) -> Cotangent:
        """The cotangent of a value, from that of what ``plain`` made of it."""

    def without_calls(
        self, mode: Running, machine: Machine, cotangent: Cotangent, value: Any
    ) -> Written:
        """A cotangent of ``value`` that can cross a border."""


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

    def __init__(self) -> None:
        """With shapes of its own."""
        self.shapes = Shapes()
        self._known: dict[tuple[int, int], tuple[Any, Any, tuple[Shape, Atom]]] = {}

    def term(self, value: Any, obj: Object) -> tuple[Shape, Atom]:
        """The one term that ``value`` is in the current scope, and its shape."""
        return recurse(self._term(value, obj))

    def terms(
        self, values: Sequence[Any], types: Sequence[Object]
    ) -> tuple[tuple[Shape, ...], tuple[Atom, ...]]:
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
                made = yield self._closure(value)
            else:
                made = yield self._parts(value, obj)
            self._known[key] = (scope, value, made)
        return self._known[key][2]

    def number(self, value: Any, obj: Object) -> tuple[Shape, Atom]:
        """A number or a term of any type."""
        return self.shapes.plain(obj), value

    def _closure(self, closure: Closure) -> Recursive[tuple[Shape, Atom]]:
        shapes, terms = yield self._each(closure.env, closure.code.captured.parts)
        return self.shapes.known(closure.code, shapes), atoms.tuple_of(terms)

    def _parts(self, value: tuple[Any, ...], obj: Object) -> Recursive[tuple[Shape, Atom]]:
        shapes, terms = yield self._each(value, parts_of(obj) or ())
        plain = is_plain(shapes)
        if not plain:
            return self.shapes.several(shapes), atoms.tuple_of(terms)
        return self.shapes.plain(obj), atoms.product_of(terms, obj)

    def _each(
        self, values: Any, types: Any
    ) -> Recursive[tuple[tuple[Shape, ...], tuple[Atom, ...]]]:
        shapes, terms = [], []
        for value, obj in zip(values, types, strict=False):
            shape, term = yield self._term(value, obj)
            shapes.append(shape)
            terms.append(term)
        return tuple(shapes), tuple(terms)

    def value(self, shape: Shape, term: Atom) -> Any:
        """The value that a term of this shape is."""
        match shape:
            case Known():
                return Arrived(self, shape, term)
            case Several(parts):
                return tuple(self.value(part, term[i]) for i, part in enumerate(parts))
            case Plain(obj, moves):
                return self.arrived(obj, moves, term)
        raise AssertionError(shape)

    def still(self, obj: Object, term: Atom) -> Any:
        """The value of type ``obj`` that a term is, which does not move."""
        return self.arrived(obj, False, term)

    def arrived(self, obj: Object, moves: bool, term: Atom) -> Any:
        """The value of type ``obj`` that a term of its own representation is."""
        return term
