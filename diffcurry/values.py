"""Values of types as they cross the border: one fold over a type, inwards and outwards.

A value, a tangent or a cotangent that a user gives mirrors a type, and so does what he is shown.
What is between is made of tuples, of a tag and what its alternative holds, and a list is its cells:

    Circle(2.0)       (0, (2.0,))              [1.0, 2.0]    (1, (1.0, (1, (2.0, (0, ())))))

A *step* of a type takes what crosses, and the value that it is a tangent or a cotangent at, where
it is one. The steps of a type are made once, of those of its parts and of what its leaves are:

>>> from combinators.objects import Int, Product, Real
>>> doubled = Inwards(lambda leaf: lambda x, at, meet: 2 * x)
>>> doubled(Product(Real, Sum(Real, Int)), "p", (1.0, Injected(1, 3)))
(2.0, Injected(tag=1, value=6))
>>> doubled(Product(Real, Product(Real, Real)), "p", [1.0, 2.0])
Traceback (most recent call last):
    ...
combinators.errors.TypeMismatch: ...: p[1] : Real × Real was given 2.0, which does not mirror it

A value of a recursive type is no deeper on Python's stack than its type: all that are inside it are
met first, and then made, the innermost first. So a list may be long, and a tree deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import cached_property
from types import NoneType
from typing import Any

from combinators.errors import DiffcurryError, TypeMismatch
from combinators.kit.class_names import class_of
from combinators.kit.memory import uncollected
from combinators.objects import Fun, Mu, Object, Record, Sum, Tagged, Vector, components
from combinators.tracing.classes import (
    alternative,
    face_of_alternative,
    face_of_recursive,
    is_list,
    item_of,
    rows_of,
)
from combinators.tracing.faces import Face, face_of, open_up
from combinators.type_folds import parts_of, unfolded
from combinators.value_folds import Injected

Meet = Callable[..., Any]
"""What becomes of a value of a recursive type: of its type, it, and the value that it is at."""
Step = Callable[[Any, Any, Meet], Any]


class NotThese(Exception):
    """What does not mirror a type; it learns its path on the way out of its containers."""

    def __init__(self, before: str = "", after: str = "", kind: Any = TypeMismatch) -> None:
        """It is said as ``before``, the path, ``after``."""
        super().__init__()
        self.before, self.after, self.kind = before, after, kind
        self.path = ""

    def inside(self, step: str) -> None:
        """It is known to be there in a container."""
        self.path = step + self.path

    def at(self, path: str) -> DiffcurryError:
        """The error, for users."""
        error: DiffcurryError = self.kind(f"{self.before}{path}{self.path}{self.after}")
        return error


@contextmanager
def naming(path: str) -> Iterator[None]:
    """What does not fit is called ``path``."""
    try:
        yield
    except NotThese as error:
        raise error.at(path) from None


@contextmanager
def inside(step: str) -> Iterator[None]:
    """What does not fit is there in what holds it."""
    try:
        yield
    except NotThese as error:
        error.inside(step)
        raise


def opened_as(obj: Object, value: Any, word: str = "") -> tuple[Face, Sequence[Any]]:
    """The container ``value`` as one of type ``obj``: its face and its parts.

    A function that a program never calls stands for a Unit.
    """
    product, opened = components(obj), open_up(value)
    assert product is not None
    names = obj.names if isinstance(obj, Record) else None
    if opened is not None and len(opened[2]) == product.width:
        face = Face(opened[0], opened[1], (None,) * product.width)
        if face.names == names:
            return face, opened[2]
    if opened is None and not product.width and (callable(value) or isinstance(value, bool)):
        return Face(tuple, (), ()), ()
    said = f" : {obj!r} was given {value!r:.60}, which does not mirror it"
    raise NotThese(word and f"the {word} of ", said)


class Crossing:
    """One way over the border, by the steps of types."""

    def __init__(self, leaf: Callable[..., Step]) -> None:
        """``leaf`` is the step of one."""
        self._leaf = leaf
        self._steps: dict[Any, Step] = {}

    def step(self, obj: Object, face: Face | None = None) -> Step:
        """That of a type, in containers of these classes."""
        found = self._steps.get((obj, face))
        if found is None:
            if len(self._steps) > 1_000:  # so many are kept
                self._steps.clear()
            found = self._steps[obj, face] = self._made(obj, face)
        return found

    def _made(self, obj: Object, face: Face | None) -> Step:
        raise NotImplementedError

    def body(self, obj: Object) -> Step:
        """That of a recursive type, unfolded; of a function."""
        if obj not in self._steps:
            opened = (unfolded(obj), face_of_recursive(obj)) if isinstance(obj, Mu) else None
            self._steps[obj] = self.step(*opened) if opened else self._leaf(obj)
        return self._steps[obj]

    @property
    def scout(self) -> Crossing:
        """What meets the same, and makes nothing that a user could notice."""
        return self

    @uncollected()
    def deep(self, *node: Any) -> Any:
        """A value of a recursive type, and those in it."""
        nodes, todo, scout = [], [node], self.scout
        around: dict[Any, int] = {}  # what holds the node, and how many wait beside it
        while todo:
            obj, x, at = node = todo.pop()
            before = len(todo)
            while around and around[next(reversed(around))] > before:
                around.popitem()
            if (me := (id(x), obj)) in around and x is not None:
                raise NotThese("", f" : {obj!r} was given {x!r:.60}, which holds itself")
            around[me] = before
            scout.body(obj)(x, at, lambda *below: todo.append(below))
            nodes.append((node, len(todo) - before))
        done: list[Any] = []
        for (obj, x, at), count in reversed(nodes):
            start = len(done) - count
            below = iter(done[start:])
            del done[start:]
            done.append(self.body(obj)(x, at, lambda *_, below=below: next(below)))
        return done[0]


def _met(obj: Object) -> Step:
    return lambda x, at, meet: meet(obj, x, at)


# ---- inwards -------------------------------------------------------------------------------------


class Inwards(Crossing):
    """What users give: values, or where None is a ``zero``, tangents of values."""

    def __init__(
        self,
        leaf: Callable[[Object], Step],
        zero: Callable[[Object], Any] | None = None,
        word: str = "",
        *,
        whole: Callable[[Sequence[Any]], Any] = tuple,
        inject: Callable[[int, Any], Any] = Injected,
    ) -> None:
        """``leaf`` is the step of one; ``whole`` and ``inject`` make a product and a sum."""
        super().__init__(leaf)
        self._zero, self._word = zero, word
        self._whole, self._inject = whole, inject

    def __call__(self, obj: Object, path: str, x: Any, at: Any = None) -> Any:
        """``x`` as a program takes it; an error says where in ``path`` it is no ``obj``."""
        with naming(path):
            return self.step(obj)(x, at, self.deep)

    def _made(self, obj: Object, face: Face | None) -> Step:
        if isinstance(obj, Mu):
            step = self._rows(obj) if is_list(obj) else _met(obj)
        elif isinstance(obj, Sum):
            step = self._alternatives(obj)
        elif parts_of(obj) is not None:
            step = self._product(obj, face.kind if face is not None else None)
        elif isinstance(obj, Fun) and self._zero is not None:
            step = _met(obj)  # what it captured holds functions that captured
        else:
            step = self._leaf(obj)
        if self._zero is None and not isinstance(obj, Tagged):
            return step
        zero = self._zero and self._zero(obj)
        return lambda x, at, meet: zero if x is None else step(x, at, meet)

    def _product(self, obj: Object, kind: type | None) -> Step:
        """That of a product; of instances of ``kind``, its fields."""
        steps, whole = list(map(self.step, parts_of(obj) or ())), self._whole
        names = obj.names if isinstance(obj, Record) else ()

        def step(x: Any, at: Any, meet: Meet) -> Any:
            is_known = type(x) is kind and kind is not None
            parts = [getattr(x, name) for name in names] if is_known else self._opened(obj, x)
            made: list[Any] = []
            try:
                for i, one in enumerate(steps):
                    made.append(one(parts[i], at and at[i], meet))
            except NotThese as error:
                kind_, keys, _ = open_up(x) or (tuple, (), ())
                error.inside(Face(kind_, keys, ()).path(len(made)))
                raise
            return whole(made)

        return step

    def _opened(self, obj: Object, x: Any) -> Sequence[Any]:
        if not isinstance(obj, Vector):
            return opened_as(obj, x, self._word)[1]
        if isinstance(x, Sequence) and len(x) == obj.length:
            return x
        said = f"is a sequence of {obj.length}, and this is" if self._word else "was given"
        raise NotThese(self._word and f"the {self._word} of ", f" : {obj!r} {said} {x!r:.60}")

    def _rows(self, obj: Mu) -> Step:
        """That of a list, from its end."""
        item, inject, whole = self.step(item_of(obj)), self._inject, self._whole
        may_end = isinstance(unfolded(obj), Tagged)  # where the rest of a tangent is zero
        end = Injected(0, ()) if self._zero is None else None

        def step(x: Any, at: Any, meet: Meet) -> Any:
            rows, inside = rows_of(x), None if at is None else list(_items(at))
            if rows is None and self._zero is None:
                raise NotThese("", f": a list was expected here, {obj!r}, and this is {x!r:.60}")
            if may_end and inside is not None:
                inside += [None] * (len(rows or ()) - len(inside))
            if rows is None or (inside is not None and len(inside) != len(rows)):
                wanted = f" of {len(inside)}" if inside is not None else ""
                said = f" : {obj!r} is a list{wanted}, and this is {x!r:.60}"
                raise NotThese(f"the {self._word} of ", said)
            cells, i = end, len(rows)
            try:
                for row in reversed(rows):
                    i -= 1
                    cells = inject(1, whole((item(row, inside and inside[i], meet), cells)))
            except (NotThese, TypeMismatch) as error:
                if isinstance(error, TypeMismatch):
                    error = NotThese("", f" : {item_of(obj)!r} was given {rows[i]!r:.60}")
                error.inside(f"[{i}]")
                if self._zero is None:
                    error.after += f"; the items of {obj!r} are of one type"
                raise error from None
            return cells

        return step

    def _alternatives(self, obj: Sum) -> Step:
        names = obj.names or (None,) * len(obj.parts)
        kinds = [class_of(name) for name in names]
        steps = []
        for part, kind in zip(obj.parts, kinds, strict=True):
            is_fields = isinstance(part, Record) and kind is not None and is_dataclass(kind)
            steps.append(self.step(part, Face(kind, (), ()) if is_fields and kind else None))
        places = {kind: i for i, kind in enumerate(kinds) if kind and is_dataclass(kind)}
        inject = self._inject

        def step(x: Any, at: Any, meet: Meet) -> Any:
            index = places.get(type(x))
            if index is None:
                try:
                    index, x = alternative(obj, x)
                except TypeMismatch as error:
                    raise NotThese("", f": {error.message}") from None
            if at is not None and at[0] != index:
                tags = [str(i) if name is None else name for i, name in enumerate(names)]
                said = f" is of the alternative {tags[index]}, and the value is of {tags[at[0]]}"
                raise NotThese(f"the {self._word} of ", said)
            return inject(index, steps[index](x, at and at[1], meet))

        return step


def _items(cells: Any) -> Iterator[Any]:
    """The items of a list, as a program has it."""
    while cells and cells[0]:
        item, cells = cells[1]
        yield item


# ---- outwards ------------------------------------------------------------------------------------


class Outwards(Crossing):
    """What programs give, in the containers of a face: values, or what is at values.

    That may be sparse, and None is a zero: of a sum it is one of the alternative that the value is.
    """

    def __init__(self, leaf: Callable[..., Step], *, builds: bool = True) -> None:
        """``leaf`` is the step of one, which a function is too, and nothing."""
        super().__init__(leaf)
        self._builds = builds

    def __call__(self, g: Any, obj: Object, face: Face | None = None, at: Any = None) -> Any:
        """What a user gets."""
        return self.step(obj, face)(g, at, self.deep)

    @cached_property
    def scout(self) -> Crossing:
        """What meets the same, and builds nothing."""
        return Outwards(lambda obj, face: lambda g, at, meet: None, builds=False)

    def _made(self, obj: Object, face: Face | None) -> Step:
        if isinstance(obj, Mu):
            return self._rows(obj) if is_list(obj) else _met(obj)
        if isinstance(obj, Sum):
            return self._alternatives(obj)
        types = parts_of(obj)
        if types is None or (not types and face is None):
            return self._leaf(obj, face)
        wears = None if isinstance(obj, Vector) else face or face_of(obj)
        children = (None,) * len(types) if wears is None else wears.children
        steps = list(map(self.step, types, children))
        whole: Callable[[list[Any]], Any] = tuple if wears is None else wears.build
        builds = self._builds

        def step(g: Any, at: Any, meet: Meet) -> Any:
            made = [one(_part(g, i), at and at[i], meet) for i, one in enumerate(steps)]
            return whole(made) if builds else None

        return step

    def _rows(self, obj: Mu) -> Step:
        item = self.step(item_of(obj))

        def step(g: Any, at: Any, meet: Meet) -> list[Any]:
            found: list[Any] = []
            while True:
                tag, g, at = _opened(g, at)
                if not tag:
                    return found
                x, at = at or (None, None)
                head, g = (_part(g, 0), _part(g, 1)) if type(g) is dict else g or (None, None)
                found.append(item(head, x, meet))

        return step

    def _alternatives(self, obj: Sum) -> Step:
        steps = [self.step(part, face_of_alternative(obj, i)) for i, part in enumerate(obj.parts)]
        names: Sequence[Any] = obj.names or range(len(steps))
        kinds = [class_of(name) if isinstance(name, str) else None for name in names]
        known = any(kinds) and (kinds.count(None) <= 1)

        def step(g: Any, at: Any, meet: Meet) -> Any:
            tag, g, at = _opened(g, at)
            if tag is None:
                return None
            inside = steps[tag](g, at, meet)
            if kinds[tag] is NoneType:
                return None
            return inside if kinds[tag] or known else Injected(names[tag], inside)

        return step


def _opened(g: Any, at: Any) -> tuple[int | None, Any, Any]:
    """Which alternative a value is, or what is at one, and both inside."""
    if at is not None:
        tag, at = at
        return tag, g and (g.get(tag) if type(g) is dict else g[1]), at
    if g is None:
        return None, None, None
    tag, g = next(iter(g.items())) if type(g) is dict else g
    return tag, g, None


def _part(whole: Any, index: int) -> Any:
    """A component of what is sparse, or a tuple, or nothing."""
    if whole is None:
        return None
    return whole.get(index) if type(whole) is dict else whole[index]
