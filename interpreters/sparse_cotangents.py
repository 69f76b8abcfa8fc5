"""Cotangents at run time: sparse, with a symbolic zero, owned by whoever holds them.

====================  ===========================================================================
of                    is
====================  ===========================================================================
anything              ``None`` where it is zero
a number, a tensor    a number of the carrier; of a tensor that was indexed, ``Scattered`` parts
a product, a context  a dict from a component's index to its cotangent; a missing one is zero
a sum                 a dict from the index of the alternative that it is to its cotangent
a function, Fig. 5    a dict from a captured variable's index to its cotangent: the environment's
a ``Tangent``         ``Packed``, of a sparse cotangent
a function, Fig. 3    a list of calls ``(argument, cotangent)``, ``Environment`` entries among them
====================  ===========================================================================

Dicts and lists are owned: ``plus`` and pullbacks consume what they are given. Numbers are shared
and never written to.

An indexing that allocated the whole array for its cotangent would make a loop over ``a[i]``
quadratic. So the transpose of a ``Selection`` is left undone: parts are collected as ``Scattered``,
and put into one array when somebody needs the numbers (law K4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Object, Sum, Tensor, components
from combinators.operation import Operation
from combinators.primitives.coordinates import pointing
from combinators.spaces import Space
from combinators.type_folds import tangent_of, unfolded
from combinators.value_folds import Injected
from interpreters.carriers.carrier import Carrier


class Packed(NamedTuple):
    """A value of type ``obj``; the zero ``Tangent`` is None.

    As a value it holds a dense value; as the cotangent of a ``Tangent``, a sparse one.
    """

    obj: Object
    value: Any


Add = Callable[[Any, Any], Any]


class Part(NamedTuple):
    """A transpose that is not done yet: ``embed`` or ``put`` of the first argument."""

    operation: Operation
    types: tuple[Object, ...]
    args: tuple[Any, ...]


class Scattered:
    """The sum of ``parts`` in their places, and of the dense ``rest`` where there is one."""

    __slots__ = ("obj", "parts", "rest")

    def __init__(self, obj: Tensor, parts: list[Part], rest: Any = None) -> None:
        self.obj, self.parts, self.rest = obj, parts, rest

    def copy(self) -> Scattered:
        """One that may be consumed."""
        return Scattered(self.obj, list(self.parts), self.rest)


def gathered(cotangent: Any, over: Any) -> Any:
    """The numbers of a tensor's cotangent, in a carrier."""
    if type(cotangent) is not Scattered:
        return cotangent
    obj, parts, total = cotangent.obj, cotangent.parts, cotangent.rest
    scatter = getattr(over, "scatter", None)
    if scatter is not None:
        return scatter(parts, obj, total)
    # One by one, for a carrier that cannot write into an array.
    total = zeros(over, obj) if total is None else total
    for operation, types, args in parts:
        total = over.add(total, over.operation(operation, types, obj)(*args))
    return total


Cotangent = Any


class Environment(NamedTuple):
    """The cotangent of a closure's environment, among calls."""

    captured: dict[int, Cotangent]


def plus(a: Cotangent, b: Cotangent, add: Add) -> Cotangent:
    """The sum, which may reuse either; the smaller is merged into the larger."""
    if a is None:
        return b
    if b is None:
        return a
    if type(a) is list or type(b) is list:
        calls = _calls(a)
        calls.extend(_calls(b))
        return calls
    if type(a) is dict or type(b) is dict:
        return _merge(opened(a), opened(b), add)
    if type(a) is Scattered or type(b) is Scattered:
        return _joined(a, b, add)
    if type(a) is Packed:
        return Packed(a.obj, plus(a.value, b.value, add))
    return add(a, b)


def opened(cotangent: Cotangent) -> dict[int, Cotangent]:
    """The cotangent of a product by components, which may be one term of a program."""
    return cotangent if type(cotangent) is dict else cotangent.opened()


def nonzero(parts: Iterable[tuple[int, Cotangent]]) -> Cotangent:
    """The cotangent with these components; None where none of them is there."""
    return {i: g for i, g in parts if g is not None} or None


def _calls(cotangent: Cotangent) -> list[Any]:
    """A function's cotangent as a list, whichever form it has."""
    return cotangent if type(cotangent) is list else [Environment(cotangent)]


def _joined(a: Any, b: Any, add: Add) -> Scattered:
    """The sum of two cotangents of a tensor, one of them scattered at least; may reuse both."""
    if type(a) is not Scattered:
        a, b = b, a
    if type(b) is Scattered:
        if len(a.parts) < len(b.parts):
            a, b = b, a
        a.parts.extend(b.parts)
        b = b.rest
    a.rest = plus(a.rest, b, add)
    whole: Scattered = a
    return whole


def _merge(a: dict[int, Cotangent], b: dict[int, Cotangent], add: Add) -> dict[int, Cotangent]:
    larger, smaller = (a, b) if len(a) >= len(b) else (b, a)
    todo = [(larger, smaller)]
    while todo:
        into, given = todo.pop()
        for index, cotangent in given.items():
            have = into.get(index)
            if have is None:
                into[index] = cotangent
            elif type(have) is not dict or type(cotangent) is not dict:
                into[index] = plus(have, cotangent, add)
            elif len(have) >= len(cotangent):
                todo.append((have, cotangent))
            else:
                into[index] = cotangent
                todo.append((cotangent, have))
    return larger


def own(cotangent: Cotangent) -> Cotangent:
    """A copy that may be consumed; numbers are shared."""
    return _copied(cotangent, Scattered.copy)


def dense_leaves(cotangent: Cotangent, over: Any) -> Cotangent:
    """A copy in which what was scattered is an array of the carrier ``over``."""
    return _copied(cotangent, lambda scattered: gathered(scattered, over))


def _copied(cotangent: Cotangent, scattered: Callable[[Scattered], Any]) -> Cotangent:
    """A copy of the structure, however deep."""
    todo: list[Any] = []

    def shallow(part: Cotangent) -> Cotangent:
        kind = type(part)
        if kind is dict or kind is list:
            todo.append(kind(part))
            return todo[-1]
        if kind is Packed:
            return Packed(part.obj, shallow(part.value))
        return scattered(part) if kind is Scattered else part

    copy = shallow(cotangent)
    while todo:
        node = todo.pop()
        if type(node) is dict:
            for index, part in node.items():
                node[index] = shallow(part)
        else:
            node[:] = [
                Environment(shallow(entry.captured))
                if type(entry) is Environment
                else (entry[0], shallow(entry[1]))
                for entry in node
            ]
    return copy


def zeros(carrier: Carrier, obj: Object) -> Any:
    """A tensor of zeros; the zero that is declared of a tangent space of the user's."""
    if isinstance(obj, Space):
        zero = carrier.const(Literal.filled(obj.declared.zero, obj.coordinates))
        return point_in(carrier, zero, obj)
    assert isinstance(obj, Tensor)
    return carrier.const(Literal.filled(0.0, obj))


def point_in(carrier: Carrier, coordinates: Any, obj: Space) -> Any:
    """The value of a type of the user's that has these coordinates, numbers of the carrier."""
    return carrier.operation(pointing(obj), (obj.coordinates,), obj)(coordinates)


def dense(carrier: Carrier, cotangent: Cotangent, obj: Object) -> Any:
    """The cotangent of a first-order value, with its zeros; ``()`` where the tangent is Unit.

    Of a sum it is ``Injected``, or None where it is zero.
    """
    return recurse(_dense(carrier, cotangent, obj))


def _dense(carrier: Carrier, cotangent: Cotangent, obj: Object) -> Recursive[Any]:
    obj = unfolded(obj)
    product = components(obj)
    if product is not None:
        parts, made = cotangent or {}, []
        for i, part in enumerate(product.parts):
            made.append((yield _dense(carrier, parts.get(i), part)))
        return tuple(made)
    if isinstance(obj, Sum) and cotangent is not None:
        ((tag, inner),) = cotangent.items()
        return Injected(tag, (yield _dense(carrier, inner, obj.parts[tag])))
    if isinstance(obj, Tensor | Space):
        leaf = obj if isinstance(obj, Tensor) else tangent_of(obj)
        return zeros(carrier, leaf) if cotangent is None else gathered(cotangent, carrier)
    return cotangent


def sparse(value: Any, obj: Object) -> Cotangent:
    """A dense cotangent as a sparse one: the inverse of ``dense``."""
    return recurse(_sparse(value, obj))


def _sparse(value: Any, obj: Object) -> Recursive[Cotangent]:
    obj = unfolded(obj)
    if isinstance(obj, Sum) and value is not None:
        inner = yield _sparse(value.value, obj.parts[value.tag])
        return nonzero([(value.tag, inner)])
    product = components(obj)
    if product is None:
        return value if not isinstance(obj, Tensor) or obj.is_smooth else None
    made = []
    for part, below in zip(value, product.parts, strict=True):
        made.append((yield _sparse(part, below)))
    return nonzero(enumerate(made))
