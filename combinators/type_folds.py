"""The one fold over types, and its instances.

A type is a tree of products, records and vectors over leaves: tensors, functions, ``Tangent``.
Objects are interned, so equal parts of a type are one object, and a type that is ``p × p`` fifteen
times over has sixteen distinct parts and 2¹⁵ leaves. Each fold meets a distinct part once:

>>> from combinators.objects import Real
>>> twice = Real
>>> for _ in range(60):
...     twice = Product(twice, twice)
>>> is_smooth(twice), is_first_order(twice), tangent_of(twice) is twice
(True, True, True)

So do the folds over values, where two values share what they are made of:

>>> ones = 1.0
>>> for _ in range(60):
...     ones = (ones, ones)
>>> total = map_leaves(lambda leaf, x, y: x + y, twice, ones, ones)
>>> total[0] is total[1]
True

Depth is no limit to any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import GeneratorType
from typing import Any, TypeVar

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import (
    Erased,
    Fun,
    Object,
    Product,
    Record,
    Tangent,
    Tensor,
    Unit,
    Vector,
    components,
)

R = TypeVar("R")
Parts = Callable[[Object], Sequence[Object] | None]
"""The types of the components of an object; None for a leaf."""


def parts_of(obj: Object) -> Sequence[Object] | None:
    """The types of the components of a product, a record or a vector; None for a leaf."""
    product = components(obj)
    if product is not None:
        return product.parts
    return (obj.item,) * obj.length if isinstance(obj, Vector) else None


def columns_of(obj: Object) -> Sequence[Object] | None:
    """The types of the components of a product or a record; None for a leaf, as a vector is."""
    product = components(obj)
    return None if product is None else product.parts


def _constituents(obj: Object) -> tuple[Object, ...]:
    """What a type is built from: a vector of its item, a function of its two sides."""
    match obj:
        case Vector(item, _):
            return (item,)
        case Fun(dom, cod):
            return dom, cod
        case _:
            return tuple(columns_of(obj) or ())


def _built(obj: Object, parts: Sequence[Object]) -> Object:
    """A type of the form of ``obj``, of other constituents."""
    match obj:
        case Product():
            return Product(*parts)
        case Record(names, _):
            return Record.of(names, Product(*parts))
        case Vector(_, length):
            return Vector(parts[0], length)
        case Fun():
            return Fun(*parts)
        case _:
            return obj


# ---- over types ----------------------------------------------------------------------------------


def types_within(obj: Object, parts: Parts = columns_of) -> Iterator[Object]:
    """``obj`` and everything below it, each distinct type once."""
    todo, seen = [obj], {obj}
    while todo:
        here = todo.pop()
        yield here
        new = set(parts(here) or ()) - seen
        seen |= new
        todo += new


def fold_type(
    obj: Object,
    at: Callable[[Object, list[R]], R],
    inside: Callable[[Object], Sequence[Object]] = _constituents,
    key: str = "",
) -> R:
    """``at`` of each distinct part of ``obj``, with what it gave for what is ``inside`` that part.

    With a ``key`` what is found is kept with every part, for as long as there is such a type.
    """
    if key in vars(obj):
        found: R = vars(obj)[key]
        return found
    here: dict[Object, R] = {}

    def known(part: Object) -> dict[Any, R]:
        return vars(part) if key else here

    def name(part: Object) -> Any:
        return key or part

    todo = [obj]
    while todo:
        part = todo[-1]
        below = () if name(part) in known(part) else inside(part)
        waiting = [one for one in below if name(one) not in known(one)]
        if waiting:
            todo += waiting
            continue
        todo.pop()
        if name(part) not in known(part):
            known(part)[name(part)] = at(part, [known(one)[name(one)] for one in below])
    return known(obj)[name(obj)]


def map_type(obj: Object, key: str, at: Callable[[Object], Object | None]) -> Object:
    """``obj`` with ``at`` of each part that it gives something for, and its other parts rebuilt.

    What is found is kept with every part under ``key``.
    """

    def inside(part: Object) -> Sequence[Object]:
        return _constituents(part) if at(part) is None else ()

    def made(part: Object, below: list[Object]) -> Object:
        return at(part) or _built(part, below)

    return fold_type(obj, made, inside, key)


# ---- over values of a type -----------------------------------------------------------------------


def zip_leaves(obj: Object, *values: Any, parts: Parts = parts_of) -> Iterator[tuple[Any, ...]]:
    """Each leaf of a type, from the left, with the leaves that stand there in ``values``.

    None stands for a whole of which every leaf is None: a tangent that is zero.
    """
    todo: list[tuple[Any, ...]] = [(obj, *values)]
    while todo:
        here = todo.pop()
        types = parts(here[0])
        if types is None:
            yield here
        else:
            width = len(types)
            inside = [(None,) * width if value is None else value for value in here[1:]]
            todo.extend(reversed(list(zip(types, *inside, strict=True))))


def map_leaves(
    leaf: Callable[..., Any],
    obj: Object,
    *values: Any,
    parts: Parts = parts_of,
    together: Callable[[list[Any]], Any] = tuple,
) -> Any:
    """The value of type ``obj`` whose leaves are ``leaf(type, *those of the values there)``.

    Without values it is made of the type alone, as a zero is. None stands for a whole of which
    every leaf is None. Where ``leaf`` gives a computation (see ``recurse``), that is run.
    """
    if parts(obj) is None:
        made = leaf(obj, *values)
        return recurse(made) if type(made) is GeneratorType else made
    return recurse(_map_leaves(leaf, obj, values, parts, together, {}))


_Mapped = dict[tuple[Any, ...], tuple[Any, tuple[Any, ...]]]
"""What was made, by a type and the ids of values; the values are held, so that no id is reused."""


def _map_leaves(
    leaf: Callable[..., Any],
    obj: Object,
    values: tuple[Any, ...],
    parts: Parts,
    together: Callable[[list[Any]], Any],
    known: _Mapped,
) -> Recursive[Any]:
    key = (obj, *map(id, values))
    if key in known:
        return known[key][0]
    types = parts(obj) or ()
    opened = [(None,) * len(types) if value is None else value for value in values]
    made = []
    for part, *below in zip(types, *opened, strict=True):
        if parts(part) is not None:
            made.append((yield _map_leaves(leaf, part, tuple(below), parts, together, known)))
            continue
        one = leaf(part, *below)
        made.append((yield one) if type(one) is GeneratorType else one)
    known[key] = together(made), values
    return known[key][0]


class Layout:
    """How the values of one type lie flat; of tangents, None stands for a whole that is zero.

    >>> from combinators.objects import Int, Real
    >>> layout = Layout(Product(Real, Product(Int, Real)))
    >>> layout.leaves, layout.flat((1.0, None))
    ((Real, Int, Real), [1.0, None, None])
    >>> layout.nested([1.0, 2, 3.0])
    (1.0, (2, 3.0))
    """

    def __init__(self, obj: Object, parts: Parts = columns_of) -> None:
        """Of ``obj``, of which products and records are opened, or what ``parts`` opens."""
        self._obj, self._parts = obj, parts
        self.leaves = tuple(leaf for (leaf,) in zip_leaves(obj, parts=parts))

    def flat(self, value: Any) -> list[Any]:
        """The leaves of ``value``."""
        return [part for _, part in zip_leaves(self._obj, value, parts=self._parts)]

    def nested(self, leaves: Iterable[Any]) -> Any:
        """The value with these leaves."""
        given = iter(leaves)
        return recurse(self._nested(self._obj, given))

    def _nested(self, obj: Object, leaves: Iterator[Any]) -> Recursive[Any]:
        types = self._parts(obj)
        if types is None:
            return next(leaves)
        made = []
        for part in types:
            made.append((yield self._nested(part, leaves)))
        return tuple(made)


# ---- instances -----------------------------------------------------------------------------------


def is_smooth(obj: Object) -> bool:
    """Whether the tangent space of ``obj`` can hold anything (Fig. 6): numbers or functions."""
    if isinstance(obj, Tensor):
        return obj.is_smooth
    return fold_type(obj, _is_smooth, parts_inside, "smooth_")


def _is_smooth(obj: Object, below: list[bool]) -> bool:
    return obj.is_smooth if isinstance(obj, Tensor) else any(below) or isinstance(obj, Fun | Erased)


def parts_inside(obj: Object) -> Sequence[Object]:
    """What a value of a type holds values of."""
    return () if isinstance(obj, Fun) else _constituents(obj)


MOST_OPENED, MOST_SHARED = 256, 16
"""So many leaves, and so many for each place of a type as it is shared, are always looked at."""


def is_large(obj: Object) -> bool:
    """Whether a product shares its parts so much that nobody should look at every leaf.

    >>> from combinators.objects import Real
    >>> pair = Real
    >>> for _ in range(9):
    ...     pair = Product(pair, pair)
    >>> is_large(pair), is_large(Product(*[Real] * 1000))
    (True, False)
    """
    if not isinstance(obj, Product) or fold_type(obj, _leaves, _columns, "leaves_") <= MOST_OPENED:
        return False
    places = sum(len(columns_of(part) or ()) for part in types_within(obj))
    return fold_type(obj, _leaves, _columns, "leaves_") > MOST_SHARED * places


def _leaves(_: Object, below: list[int]) -> int:
    return sum(below) if below else 1


def _columns(obj: Object) -> Sequence[Object]:
    return columns_of(obj) or ()


def tangent_of(obj: Object) -> Object:
    """The tangent space ``T a`` in programs (Fig. 6 of 004; a function's is ``Tangent``).

    >>> from combinators.objects import Int, Real
    >>> tangent_of(Product(Real, Int, Fun(Real, Real)))
    Real × Unit × Tangent
    """
    return map_type(obj, "tangent_", _tangent_at)


def _tangent_at(obj: Object) -> Object | None:
    if isinstance(obj, Tensor):
        return obj if obj.is_smooth else Unit
    return Tangent if isinstance(obj, Fun | Erased) else None


def velocity(obj: Object) -> Object:
    """The type of a tangent that goes beside a value: a function has none."""
    return map_type(obj, "velocity_", _velocity_at)


def _velocity_at(obj: Object) -> Object | None:
    if isinstance(obj, Tensor):
        return obj if obj.is_smooth else Unit
    if isinstance(obj, Fun):
        return Unit
    return obj if isinstance(obj, Erased) else None


def direction(obj: Object) -> Object:
    """The type of a tangent by itself: that of a function ``A ⇒ B`` is a function ``A ⇒ T B``.

    >>> from combinators.objects import Int, Real
    >>> direction(Product(Int, Fun(Fun(Real, Real), Real)))
    Unit × ((Real ⇒ Real) ⇒ Real)
    """
    return map_type(obj, "direction_", _direction_at)


def _direction_at(obj: Object) -> Object | None:
    return Fun(obj.dom, direction(obj.cod)) if isinstance(obj, Fun) else _velocity_at(obj)


def moves(obj: Object) -> bool:
    """Whether a tangent can go beside a value of type ``obj``."""
    return is_smooth(velocity(obj))


def with_tangent(obj: Object) -> Object:
    """``A × T A``; what cannot move has no tangent beside it."""
    return Product(obj, velocity(obj)) if moves(obj) else obj


def is_first_order(obj: Object) -> bool:
    """Whether a type is of tensors, products and records only.

    >>> from combinators.objects import Real
    >>> is_first_order(Product(Real, Real)), is_first_order(Product(Real, Fun(Real, Real)))
    (True, False)
    """
    return not any(isinstance(part, Fun | Vector | Erased) for part in types_within(obj))


Represent = Callable[[Object, Object], Object]
"""From the representations of a function's argument and result to that of the function."""


def represented(obj: Object, function: Represent) -> Object:
    """The type with which values of type ``obj`` stand in a program: functions bring their own."""

    def at(part: Object, below: list[Object]) -> Object:
        return function(*below) if isinstance(part, Fun) else _built(part, below)

    return fold_type(obj, at)


def as_it_is(dom: Object, cod: Object) -> Object:
    """Without derivatives."""
    return Fun(dom, cod)


def rep_function(dom: Object, cod: Object) -> Object:
    """``A ⇒ B × (T B ⇒ Tangent × T A)``: Fig. 5 of 004, the environment's cotangent erased."""
    return Fun(dom, Product(cod, Fun(tangent_of(cod), Product(Tangent, tangent_of(dom)))))


def dual_function(dom: Object, cod: Object) -> Object:
    """``A × T A ⇒ B × T B``: a function in forward mode."""
    return Fun(with_tangent(dom), with_tangent(cod))
