"""The folds over values of a type: leaf by leaf, each part that values share met once.

>>> from combinators.objects import Product, Real
>>> twice, ones = Real, 1.0
>>> for _ in range(60):
...     twice, ones = Product(twice, twice), (ones, ones)
>>> total = map_leaves(lambda leaf, x, y: x + y, twice, ones, ones)
>>> total[0] is total[1]
True

A sum is looked into as its values are, and a recursive type as far as its values go:

>>> from combinators.objects import Int, Mu, MuVar, Sum, Unit
>>> numbers = Mu("Numbers", Sum(nil=Unit, cons=Product(Real, MuVar())))
>>> one = Injected(1, (2.5, Injected(0, ())))
>>> map_leaves(lambda leaf, x: 2 * x, numbers, one)
Injected(tag=1, value=(5.0, Injected(tag=0, value=())))

Depth is no limit to any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import GeneratorType
from typing import Any, NamedTuple

from combinators.errors import TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Mu, Object, Sum
from combinators.type_folds import Parts, columns_of, parts_of, unfolded


class Injected(NamedTuple):
    """A value of a sum: the alternative that it is, and the value of that."""

    tag: int
    value: Any


def opened_at(obj: Object, values: Sequence[Any]) -> tuple[Object, Sequence[Any], int | None]:
    """A type as values of it show: recursive types unfolded, a sum as its alternative, by its tag.

    Of a sum without a value, or of a leaf, the tag is None. None stands for a zero.
    """
    while isinstance(obj, Mu):
        obj = unfolded(obj)
    given = [value for value in values if value is not None]
    if not given or not isinstance(obj, Sum):
        return obj, values, None
    tags = {value.tag for value in given}
    if len(tags) > 1:
        raise TypeMismatch(
            f"values of different alternatives of {obj!r} meet, {sorted(tags)}: a cotangent "
            "is of the alternative that the value is"
        )
    tag = tags.pop()
    return obj.parts[tag], [value and value.value for value in values], tag


def zip_leaves(obj: Object, *values: Any, parts: Parts = parts_of) -> Iterator[tuple[Any, ...]]:
    """Each leaf of a type, from the left, with the leaves that stand there in ``values``.

    None stands for a whole of which every leaf is None: a tangent that is zero. Of a sum the
    alternative is looked into that its values are; one without a value is a leaf.
    """
    todo: list[tuple[Any, ...]] = [(obj, *values)]
    while todo:
        here = todo.pop()
        if isinstance(here[0], Sum | Mu):
            alternative, below, tag = opened_at(here[0], here[1:])
            if tag is not None or not isinstance(alternative, Sum):
                todo.append((alternative, *below))
                continue
            here = alternative, *here[1:]
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
    every leaf is None. A sum is looked into as ``zip_leaves`` does. Where ``leaf`` gives a
    computation (see ``recurse``), that is run.
    """
    # The values are held besides what was made of them, so that no id is used again.
    known: dict[tuple[Any, ...], tuple[Any, tuple[Any, ...]]] = {}

    def at(obj: Object, values: tuple[Any, ...]) -> Recursive[Any]:
        if isinstance(obj, Sum | Mu):
            alternative, inside, tag = opened_at(obj, values)
            if tag is not None or not isinstance(alternative, Sum):
                inner = yield at(alternative, tuple(inside))
                return inner if tag is None else Injected(tag, inner)
            obj = alternative
        types = parts(obj)
        if types is None:
            one = leaf(obj, *values)
            return (yield one) if type(one) is GeneratorType else one
        key = (obj, *map(id, values))
        if key not in known:
            opened = [(None,) * len(types) if value is None else value for value in values]
            made = []
            for part, *below in zip(types, *opened, strict=True):
                made.append((yield at(part, tuple(below))))
            known[key] = together(made), values
        return known[key][0]

    return recurse(at(obj, values))


class Layout:
    """How the values of one type lie flat; of tangents, None stands for a whole that is zero.

    >>> from combinators.objects import Int, Product, Real
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

        def at(obj: Object) -> Recursive[Any]:
            types = self._parts(obj)
            if types is None:
                return next(given)
            made = []
            for part in types:
                made.append((yield at(part)))
            return tuple(made)

        return recurse(at(self._obj))
