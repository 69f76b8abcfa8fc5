"""The one fold over types, and its instances: tangents, and what stacks along a leading axis.

A type is a tree of products, records and vectors over leaves: tensors, functions, ``Tangent``.
Objects are interned, so equal parts of a type are one object, and a type that is ``p × p`` fifteen
times over has sixteen distinct parts and 2¹⁵ leaves. Each fold meets a distinct part once:

>>> from combinators.objects import Real
>>> twice = Real
>>> for _ in range(60):
...     twice = Product(twice, twice)
>>> is_smooth(twice), is_first_order(twice), tangent_of(twice) is twice
(True, True, True)

Depth is no limit to any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import (
    Erased,
    Fun,
    Mu,
    MuVar,
    Object,
    Product,
    Record,
    Sum,
    Tagged,
    Tangent,
    Tensor,
    Unit,
    Vector,
    components,
)
from combinators.spaces import Space

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


def parts_inside(obj: Object) -> Sequence[Object]:
    """What a value of a type holds values of: a vector of its item, a function of none."""
    match obj:
        case Vector(item, _):
            return (item,)
        case Sum(_, product):
            return product.parts
        case Mu(_, body):
            return (body,)
        case _:
            return columns_of(obj) or ()


def _constituents(obj: Object) -> Sequence[Object]:
    return (obj.dom, obj.cod) if isinstance(obj, Fun) else parts_inside(obj)


def built(obj: Object, parts: Sequence[Object]) -> Object:
    """A type of the form of ``obj``, of other constituents."""
    match obj:
        case Product():
            return Product(*parts)
        case Record(names, _):
            return Record.of(names, Product(*parts))
        case Vector(_, length):
            return Vector(parts[0], length)
        case Sum(names, _):
            return type(obj).of(names, Product(*parts))
        case Mu(name, _):
            return Mu(name, parts[0])
        case Fun():
            return Fun(*parts)
        case _:
            return obj


# ---- over types ----------------------------------------------------------------------------------


def types_within(obj: Object) -> Iterator[Object]:
    """``obj`` and everything that it is a product or a record of, each distinct type once."""
    todo, seen = [obj], {obj}
    while todo:
        here = todo.pop()
        yield here
        new = set(columns_of(here) or ()) - seen
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
    here: dict[Object, dict[str, R]] = {}

    def known(part: Object) -> dict[str, R]:
        return vars(part) if key else here.setdefault(part, {})

    todo = [obj]
    while todo:
        part = todo[-1]
        below = () if key in known(part) else inside(part)
        waiting = [one for one in below if key not in known(one)]
        if waiting:
            todo += waiting
            continue
        todo.pop()
        if key not in known(part):
            known(part)[key] = at(part, [known(one)[key] for one in below])
    return known(obj)[key]


def map_type(
    obj: Object,
    key: str,
    at: Callable[[Object], Object | None],
    built: Callable[[Object, Sequence[Object]], Object] = built,
) -> Object:
    """``obj`` with ``at`` of each part that it gives something for, and its other parts ``built``.

    What is found is kept with every part under ``key``.
    """

    def inside(part: Object) -> Sequence[Object]:
        return _constituents(part) if at(part) is None else ()

    def made(part: Object, below: list[Object]) -> Object:
        return at(part) or built(part, below)

    return fold_type(obj, made, inside, key)


@lru_cache(maxsize=1 << 10)
def unfolded(obj: Object) -> Object:
    """The body of a recursive type, with the type itself for ``MuVar()``; another as it is.

    >>> from combinators.objects import Real
    >>> unfolded(Mu("Numbers", Sum(nil=Unit, cons=Product(Real, MuVar()))))
    [nil: Unit | cons: Real × Numbers]
    """
    return replaced(obj.body, lambda n: (MuVar(n), obj)) if isinstance(obj, Mu) else obj


def folded(name: str, body: Object, here: Object) -> Object:
    """The recursive type of which ``body`` is the unfolding, where ``here`` stands for itself.

    A body in which it does not stand is no recursive type, and stays as it is.
    """
    within = replaced(body, lambda depth: (here, MuVar(depth)))
    return body if within is body else Mu(name, within)


def replaced(obj: Object, at_depth: Callable[[int], tuple[Object, Object]]) -> Object:
    """``obj`` with a type in it, at each depth of recursive types, replaced by another."""
    made: dict[tuple[Object, int], Object] = {}

    def at(obj: Object, depth: int) -> Recursive[Object]:
        if (obj, depth) not in made:
            old, new = at_depth(depth)
            parts = []
            for part in () if obj is old else _constituents(obj):
                parts.append((yield at(part, depth + isinstance(obj, Mu))))
            made[obj, depth] = new if obj is old else built(obj, parts)
        return made[obj, depth]

    return recurse(at(obj, 0))


def is_smooth(obj: Object) -> bool:
    """Whether the tangent space of ``obj`` can hold anything (Fig. 6): numbers or functions."""
    if isinstance(obj, Tensor):
        return obj.is_smooth

    def at(part: Object, below: list[bool]) -> bool:
        if isinstance(part, Tensor):
            return part.is_smooth
        return any(below) or isinstance(part, Fun | Erased | Space)

    return fold_type(obj, at, parts_inside, "smooth_")


def holds_functions(obj: Object) -> bool:
    """Whether a value of a type may hold functions, or hide them as a ``Tangent``."""
    of = Fun | Erased
    return fold_type(obj, lambda at, below: isinstance(at, of) or any(below), parts_inside, "fun_")


def is_first_order(obj: Object) -> bool:
    """Whether a type is of tensors, products and records only."""
    others = Fun | Vector | Sum | Mu | Erased
    return not any(isinstance(part, others) for part in types_within(obj))


def order(obj: Object) -> int:
    """The order of a type: 0 of data, ``max(order A + 1, order B)`` of functions ``A ⇒ B``.

    Of a container it is the largest of its parts'; a recursive type counts inside itself as data.

    >>> from combinators.objects import Real
    >>> order(Product(Real, Real)), order(Fun(Real, Fun(Real, Real)))
    (0, 1)
    >>> order(Fun(Vector(Fun(Real, Real), 3), Real))
    2
    """
    if not isinstance(obj, Object):
        raise TypeMismatch(f"order is asked of a type, as order(Fun(Real, Real)), not of {obj!r}")

    def at(part: Object, below: list[int]) -> int:
        return max(below[0] + 1, below[1]) if isinstance(part, Fun) else max(below, default=0)

    return fold_type(obj, at, key="order")


# ---- instances: tangents -------------------------------------------------------------------------


def tangent_of(obj: Object) -> Object:
    """The tangent space ``T a`` in programs (Fig. 6 of 004; a function's is ``Tangent``).

    >>> from combinators.objects import Int, Real
    >>> tangent_of(Product(Real, Int, Fun(Real, Real)))
    Real × Unit × Tangent
    """
    return map_type(obj, "tangent_", lambda part: _tangent_at(part, Tangent), _tangents)


def _tangents(obj: Object, parts: Sequence[Object]) -> Object:
    """Of a sum, those of the alternative that a value is; else those of every part."""
    if isinstance(obj, Sum):
        return Tagged.of(obj.names, Product(*parts))
    return Unit if isinstance(obj, Vector) and parts[0] is Unit else built(obj, parts)


def _tangent_at(obj: Object, of_function: Object) -> Object | None:
    match obj:
        case Tensor():
            return obj if obj.is_smooth else Unit
        case Fun():
            return of_function
        case Erased():
            return obj
        case Space():
            return obj.declared.tangent_of(obj)
        case Vector(item, length) if holds_space(obj):
            return stack_of(tangent_of(item), length)
        case _:
            return None


def holds_space(obj: Object) -> bool:
    """Whether it is a type of the user's, or a vector of them."""
    while isinstance(obj, Vector):
        obj = obj.item
    return isinstance(obj, Space)


def cotangent_of(obj: Object) -> Object:
    """The type with the tangent spaces of types of the user's in their places, and all else."""
    return map_type(obj, "cotangent_", lambda part: tangent_of(part) if holds_space(part) else None)


def velocity(obj: Object) -> Object:
    """The type of a tangent that goes beside a value: a function has none."""
    return map_type(obj, "velocity_", lambda part: _tangent_at(part, Unit), _tangents)


def direction(obj: Object) -> Object:
    """The type of a tangent by itself: that of a function ``A ⇒ B`` is a function ``A ⇒ T B``.

    >>> from combinators.objects import Int, Real
    >>> direction(Product(Int, Fun(Fun(Real, Real), Real)))
    Unit × ((Real ⇒ Real) ⇒ Real)
    """

    def at(part: Object) -> Object | None:
        of_function = Fun(part.dom, direction(part.cod)) if isinstance(part, Fun) else Unit
        return _tangent_at(part, of_function)

    return map_type(obj, "direction_", at, _tangents)


def moves(obj: Object) -> bool:
    """Whether a tangent can go beside a value of type ``obj``."""
    return is_smooth(velocity(obj))


def with_tangent(obj: Object) -> Object:
    """``A × T A``; what cannot move has no tangent beside it."""
    return Product(obj, velocity(obj)) if moves(obj) else obj


Represent = Callable[[Object, Object], Object]
"""From the representations of a function's argument and result to that of the function."""


def represented(obj: Object, function: Represent, held: frozenset[Object] = frozenset()) -> Object:
    """The type with which values of type ``obj`` stand in a program: functions bring their own.

    ``Fun`` brings no derivatives. A function in a recursive type brings tangents of it, unfolded.
    """

    def at(part: Object, below: list[Object]) -> Object:
        if isinstance(part, Mu) and part not in held:
            body = represented(unfolded(part), function, held | {part})
            return Mu(part.name, replaced(body, lambda depth: (part, MuVar(depth))))
        if isinstance(part, Mu):
            return part
        return function(*below) if isinstance(part, Fun) else built(part, below)

    def within(part: Object) -> Sequence[Object]:
        return () if isinstance(part, Mu) else _constituents(part)

    return fold_type(obj, at, within) if holds_functions(obj) else obj


def rep_function(dom: Object, cod: Object) -> Object:
    """``A ⇒ B × (T B ⇒ Tangent × T A)``: Fig. 5 of 004, the environment's cotangent erased."""
    return Fun(dom, Product(cod, Fun(tangent_of(cod), Product(Tangent, tangent_of(dom)))))


def dual_function(dom: Object, cod: Object) -> Object:
    """``A × T A ⇒ B × T B``: a function in forward mode."""
    return Fun(with_tangent(dom), with_tangent(cod))


def stack_of(item: Object, length: int) -> Object:
    """The type of ``length`` values along a new leading axis; of functions, it is a ``Vector``."""

    def at(obj: Object) -> Object | None:
        if isinstance(obj, Tensor):
            return Tensor((length, *obj.shape), obj.dtype)
        return Vector(obj, length) if components(obj) is None else None

    return map_type(item, f"stack_{length}", at)


def row_of(stack: Object, what: str = "a loop") -> Object:
    """The type of a row of a tensor, of a vector, or of a tuple or record of them.

    ``what`` runs over them, in the ``TypeMismatch`` that says that there are no rows.
    """

    def at(obj: Object) -> Object | None:
        match obj:
            case Tensor((_, *rest), dtype):
                return Tensor(tuple(rest), dtype)
            case Vector(item, _):
                return item
            case Product() | Record():
                return None
            case _:
                instead = "np.arange(n) has n rows; a list is declared, as xs: list[float]"
                if isinstance(obj, Sum | Mu):
                    instead = "a list is run over by fold and map, and a case opens what recurs"
                raise TypeMismatch(
                    f"{what} runs over the leading axis of tensors, and {obj!r} has none; {instead}"
                )

    return map_type(stack, "row_", at)


def length_of(stack: Object, what: str = "a loop") -> int:
    """How many rows there are: as many in each part, or there is a ``ShapeMismatch``."""
    row_of(stack, what)
    columns = [part for part in types_within(stack) if isinstance(part, Tensor | Vector)]
    lengths = {part.length if isinstance(part, Vector) else part.shape[0] for part in columns}
    if len(lengths) != 1:
        raise ShapeMismatch(
            f"{what} runs over {stack!r}, whose parts have {sorted(lengths) or 'no'} rows; "
            "they need one common leading extent"
        )
    return lengths.pop()
