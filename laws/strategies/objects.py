"""Random objects, and numbers and tensors: small ones first, special ones last.

Objects are numbers first, then tensors, integers, products, records, functions, sums and lists. A
user may register generators of points of an object, of numbers of an element type, of objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from hypothesis import strategies as st

from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import (
    Bool,
    Fun,
    Int,
    Object,
    Product,
    Real,
    Record,
    Sum,
    Tensor,
    Unit,
    Vector,
)
from combinators.tracing.classes import list_of
from laws.language import Kind
from laws.model import Signature
from laws.recursion import tree_of
from laws.strategies.choices import Choices, chosen

NUMBERS = (0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5, 1.5, -1.5, 0.25, -0.75, 1.25)
"""Exact in any binary float, and in the rationals."""
SPECIAL = (-0.0, 1e-300, -1e300, float("inf"), -float("inf"), float("nan"))
INTEGERS = (0, 1, 2, -1, 3, -2)
ONE_BY_ONE = 4
"""Longer tensors are filled by a pattern, which takes two choices."""


def numbers(*, special: bool = False) -> st.SearchStrategy[float]:
    """Floats; ``special`` ones are infinities, nans, signed zeros and extremes, too.

    >>> from hypothesis import find
    >>> find(numbers(), lambda x: x > 0)
    1.0
    """
    return st.sampled_from(NUMBERS + SPECIAL if special else NUMBERS)


def literals(obj: Tensor, *, special: bool = False) -> st.SearchStrategy[Literal]:
    """Constants of a tensor type; ``special`` ones hold infinities and nans.

    >>> from hypothesis import find
    >>> find(literals(Tensor((2,))), lambda c: c.array.any())
    [0.0, 1.0]
    """
    return chosen(lambda choices: literal(choices, obj, special=special))


def literal(choices: Choices, obj: Tensor, *, special: bool = False) -> Literal:
    """One constant."""
    options, own = _options(obj, special=special), _POINTS.get(obj.dtype)
    if own is not None:
        flat = [choices.draw(own) for _ in range(obj.size)]
    elif obj.size <= ONE_BY_ONE:
        flat = [choices.pick(options) for _ in range(obj.size)]
    else:
        start, step = choices.below(len(options)), choices.below(len(options))
        flat = [options[(start + step * at) % len(options)] for at in range(obj.size)]
    return Literal(np.array(flat, dtype=obj.dtype).reshape(obj.shape))


def _options(obj: Tensor, *, special: bool) -> Sequence[Any]:
    match np.dtype(obj.dtype).kind:
        case "f":
            if not special:
                return NUMBERS
            largest = float(np.finfo(obj.dtype).max)
            return NUMBERS + tuple(x for x in SPECIAL if not largest < abs(x) < float("inf"))
        case "b":
            return (False, True)
        case "u":
            return tuple(map(abs, INTEGERS))
        case _:
            return INTEGERS


KINDS = ("any", "data", "vector")
_POINTS: dict[Any, st.SearchStrategy[Any]] = {}


class Registration:
    """A generator that is in use; leaving it as a context, or ``remove``, ends that."""

    def __init__(self, key: Any, before: st.SearchStrategy[Any] | None) -> None:
        self._key, self._before = key, before

    def remove(self) -> None:
        """Use again what was used before."""
        if self._before is None:
            _POINTS.pop(self._key, None)
        else:
            _POINTS[self._key] = self._before

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def register(what: Any, strategy: st.SearchStrategy[Any]) -> Registration:
    """What ``strategy`` gives is used from now on, or within a ``with``.

    ========================  =====================================================
    ``what``                  what ``strategy`` gives
    ========================  =====================================================
    an object, or its class   its points: numbers or arrays, or global elements ``1 → A``
    an element type           the numbers of its tensors: ``"float32"``, ``np.int8``
    ``"any"``, ``"data"``,    further objects of the kind, besides a model's own
    ``"vector"``
    ========================  =====================================================

    Raises TypeMismatch for anything else.

    >>> from combinators.objects import Real
    >>> with register(Real, st.just(7.0)):
    ...     points_at(Real)
    just(7.0)
    """
    if not isinstance(strategy, st.SearchStrategy):
        raise TypeMismatch(
            f"what is registered is a strategy, as st.just({strategy!r:.60}), and not a value"
        )
    key = _key(what)
    registration = Registration(key, _POINTS.get(key))
    _POINTS[key] = strategy
    return registration


def points_at(obj: Object) -> st.SearchStrategy[Any] | None:
    """The generator of points that was registered for an object or its class."""
    return _POINTS.get(obj, _POINTS.get(type(obj)))


def as_element(point: Any, obj: Object) -> Any:
    """What a registered generator gave: a global element, or what a tensor's constant is of."""
    if isinstance(point, (Literal, Morphism)) or not isinstance(obj, (Tensor, Fun, Product)):
        return point
    try:
        made = Literal(point, obj.dtype) if isinstance(obj, Tensor) else None
    except (TypeError, ValueError):
        made = None
    if made is None or made.type is not obj:
        raise TypeMismatch(
            f"the generator that is registered for {obj!r} gave {point!r:.60}, which is no point "
            "of it: a point is a global element, of a tensor a number or an array of its shape, too"
        )
    return made


def _key(what: Any) -> Any:
    if isinstance(what, Object) or what in KINDS:
        return what
    if isinstance(what, type) and issubclass(what, Object):
        return what
    try:
        return np.dtype(what).name
    except TypeError:
        raise TypeMismatch(
            f"generators are registered for objects, classes of them, element types and the kinds "
            f"{', '.join(KINDS)}, not for {what!r:.60}"
        ) from None


DEPTH = 2
"""How deep products and functions stand in one another."""
WIDTH = 3
"""How many components a product has at most, but for a wide one."""
WIDTHS = (2, 1, 2, 0, WIDTH, WIDTH + 1)
"""How many components products have; the last is the least of a wide one, which has up to six."""
PLAINLY = 3
"""How much likelier a number is than a tensor of some shape."""


def objects(
    signature: Signature, kind: Kind = "any", depth: int = DEPTH
) -> st.SearchStrategy[Object]:
    """Objects of a ``kind`` that a model of the ``signature`` has; Real is the smallest.

    >>> from hypothesis import find
    >>> find(objects(Signature()), lambda obj: isinstance(obj, Fun))
    Real ⇒ Real
    """
    return chosen(lambda choices: any_object(choices, signature, kind, depth))


def any_object(choices: Choices, signature: Signature, kind: Kind, depth: int) -> Object:
    """One of them."""
    is_vector = kind == "vector"
    options: list[Any] = [Real] * PLAINLY if () in signature.shapes else []
    options += [Tensor(shape) for shape in signature.shapes if shape]
    options += [o for o in signature.extra if not is_vector or getattr(o, "is_smooth", False)]
    options += [Int, Bool] if signature.integers and not is_vector else []
    below = partial(any_object, choices, signature, kind, depth - 1)

    def product() -> Object:
        width = choices.pick(WIDTHS)
        more = choices.below(WIDTH) if width > WIDTH else 0
        return Product(*(below() for _ in range(width + more)))

    if depth > 0 and signature.products:
        options += [product] * 2
        options += [lambda: Record(x=below(), y=below())] if signature.records else []
    if depth > 0 and kind == "any" and signature.functions:
        options += [lambda: Fun(below(), below())] * 2
        if signature.vectors:
            options.append(lambda: Vector(Fun(below(), below()), 1 + choices.below(WIDTH)))
    if depth > 0 and kind == "any" and signature.sums:
        options += [lambda: Sum(below(), below()), lambda: Sum(nothing=Unit, just=below())]
    if depth > 0 and kind == "any" and signature.recursion:
        options += [lambda: list_of(below()), lambda: tree_of(below())]
    within = KINDS[KINDS.index(kind) :]  # every vector is data, too
    options += [partial(choices.draw, _POINTS[name]) for name in within if name in _POINTS]
    found = choices.pick(options)
    return found if isinstance(found, Object) else found()
