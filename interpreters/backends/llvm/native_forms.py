"""Skeletons: what values are made of, before a number of them is known.

The skeleton of ``(x, λy. y * a)`` is a number and the λ with a number that it captures. What a loop
carries, or a function that calls itself gives, has the skeleton that is ``joined`` of all that it
may be. Where that would have no end, as of a λ that captures what was made of it before, it is a
pointer to a record, and of what such a ``Sort`` of records holds there is one skeleton.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias, cast

from combinators.errors import MissingRule
from combinators.objects import Mu, Object, Sum, Tagged, Tensor, components
from combinators.terms import Lam
from combinators.type_folds import unfolded
from interpreters.backends.llvm.graph import Node
from interpreters.backends.llvm.indices import Shape
from interpreters.backends.llvm.scopes import WIDTHS

ELEMENTS = frozenset({"float64", "float32", "int64", "int32", "bool"})


NONE = -1
"""The tag of the tangent of a sum that is zero."""
MOST = 4
"""How often the skeleton of what a loop carries, of what records hold or functions give, grows; and
functions of the module of one λ. Behind that, what captures what was made before is in records."""


@dataclass(frozen=True)
class ArrayForm:
    """A number or an array."""

    shape: Shape
    dtype: str


@dataclass(frozen=True)
class ProductForm:
    """The components of a product."""

    parts: tuple[Form, ...]


@dataclass(frozen=True)
class FunctionForm:
    """Closures of some λs, each with the names and skeletons of what it captures."""

    lams: tuple[Lam, ...]
    names: tuple[tuple[str, ...], ...]
    captured: tuple[tuple[Form, ...], ...]
    rows: Shape = ()


AGAIN = FunctionForm((), (), ())
"""A function of which no more is known than where it stands in a result."""


@dataclass(frozen=True)
class SumForm:
    """The alternatives of a sum."""

    parts: tuple[Form, ...]
    rows: Shape = ()
    """Of a stack of values, how many there are."""


@dataclass(frozen=True)
class PackedForm:
    """A tangent of one of these types: a part of each, of which all but one are zero."""

    types: tuple[Object, ...]
    parts: tuple[Form, ...]


class Sort:
    """What the records of one sort hold, which is found while a program is walked."""

    def __init__(self, sorts: Sorts) -> None:
        """One of several."""
        self._sorts, self._form = sorts, cast("Form", None)
        self._into: Sort | None = None
        self.may_be_none = False
        """Whether they are of tangents, which are None where they are zero."""
        self._grown, self._grows = 0, False
        self._waiting: list[Form] = []

    @property
    def root(self) -> Sort:
        """The sort that it became one with."""
        here = self
        while here._into is not None:
            here = here._into
        return here

    @property
    def form(self) -> Form:
        """The skeleton of what they hold."""
        return self.root._form

    def grow(self, form: Form) -> None:
        """Have them hold this too; what is found meanwhile, as it may hold itself, comes behind."""
        root = self.root
        root._waiting.append(form)
        while not root._grows and root._waiting:
            root._grows = True
            more = joined(root._form, root._waiting.pop())
            root._grows = False
            if more == root._form:
                continue
            root._grown += 1
            root._form = more
            root._sorts.learn()
            if root._grown > MOST:
                root._waiting.append(root._sorts.inside(more, root))

    def merge(self, other: Sort) -> None:
        """Become one with another."""
        mine, its = self.root, other.root
        if mine is not its:
            its._into = mine
            mine._sorts.learn()
            mine.grow(its._form)


class Sorts:
    """The sorts of the records of a program, by what makes them, and whether anything is new."""

    def __init__(self) -> None:
        self.is_new = True
        self._sorts: dict[tuple[Hashable, tuple[int, ...]], Sort] = {}

    def learn(self) -> None:
        """Something is new."""
        self.is_new = True

    def in_records(
        self, form: Form, owner: Hashable, *path: int, functions_only: bool = False
    ) -> Form:
        """The skeleton with pointers to records for the functions and tangents in it."""
        match form:
            case PackedForm() if functions_only:
                return form
            case FunctionForm(rows=()) | PackedForm():
                sort = self._sorts.setdefault((owner, path), Sort(self))
                sort.grow(form)
                return PointerForm(sort)
            case ProductForm(parts) | SumForm(parts, ()):
                found = [
                    self.in_records(part, owner, *path, index, functions_only=functions_only)
                    for index, part in enumerate(parts)
                ]
                return replace(form, parts=tuple(found))
            case _:
                return form

    def inside(self, form: Form, owner: Hashable) -> Form:
        """The skeleton of a function or a tangent whose parts are in records."""
        match form:
            case FunctionForm(_, _, captured):
                found = [
                    tuple(self.in_records(part, owner, i, j) for j, part in enumerate(parts))
                    for i, parts in enumerate(captured)
                ]
                return replace(form, captured=tuple(found))
            case PackedForm(types, parts):
                each = enumerate(parts)
                return PackedForm(types, tuple(self.in_records(x, owner, i) for i, x in each))
            case _:
                return self.in_records(form, owner)

    def of_type(self, obj: Object) -> Sort:
        """That of a recursive type, whose records hold what it unfolds to."""
        key = obj, ()
        if key not in self._sorts:
            sort = self._sorts[key] = Sort(self)
            sort.may_be_none = isinstance(unfolded(obj), Tagged)
            sort.grow(known_form(unfolded(obj), self))
        return self._sorts[key]

    def known(self, form: Form, owner: Hashable) -> Form:
        """The same, where the functions of this owner are in records already."""
        is_known = any(key[0] == owner for key in self._sorts)
        return self.in_records(form, owner) if is_known else form


@dataclass(frozen=True, eq=False)
class PointerForm:
    """A pointer to a record."""

    sort: Sort
    rows: Shape = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PointerForm) and (self.sort.root, self.rows) == (
            other.sort.root,
            other.rows,
        )

    def __hash__(self) -> int:
        return hash((PointerForm, self.rows))


Form: TypeAlias = (
    "ArrayForm | ProductForm | FunctionForm | SumForm | PackedForm | PointerForm | None"
)


def joined(a: Form, b: Form) -> Form:
    """What either is."""
    match a, b:
        case None, _:
            return b
        case _, None:
            return a
        case ProductForm(first), ProductForm(second) if len(first) == len(second):
            return ProductForm(tuple(joined(x, y) for x, y in zip(first, second, strict=True)))
        case SumForm(first, rows), SumForm(second, other) if (len(first), rows) == (
            len(second),
            other,
        ):
            return SumForm(tuple(joined(x, y) for x, y in zip(first, second, strict=True)), rows)
        case FunctionForm(), FunctionForm():
            return _either(a, b)
        case PointerForm(first, rows), PointerForm(second, other) if rows == other:
            first.merge(second)
            return a
        case PackedForm(types, first), PackedForm(others, second):
            found = dict(zip(types, first, strict=True))
            for obj, part in zip(others, second, strict=True):
                found[obj] = joined(found.get(obj), part)
            return PackedForm(tuple(found), tuple(found.values()))
        case PointerForm(sort, ()), FunctionForm(rows=()) | PackedForm():
            sort.grow(b)
            return a
        case FunctionForm(rows=()) | PackedForm(), PointerForm(sort, ()):
            sort.grow(a)
            return b
        case _ if a == b:
            return a
    raise MissingRule("the native backend has no value that is of one form or another")


def _either(a: FunctionForm, b: FunctionForm) -> FunctionForm:
    lams, names, captured = list(a.lams), list(a.names), list(a.captured)
    for lam, own, given in zip(b.lams, b.names, b.captured, strict=True):
        at = next((i for i, known in enumerate(lams) if known is lam), None)
        if at is None:
            lams.append(lam)
            names.append(own)
            captured.append(given)
        else:
            captured[at] = tuple(joined(x, y) for x, y in zip(captured[at], given, strict=True))
    return FunctionForm(tuple(lams), tuple(names), tuple(captured), a.rows)


def kinds(form: Form) -> list[ArrayForm]:
    """The numbers and arrays of a skeleton, in order."""
    match form:
        case None:
            return []
        case ArrayForm():
            return [form]
        case ProductForm(parts) | PackedForm(_, parts):
            return [leaf for part in parts for leaf in kinds(part)]
        case SumForm(parts, rows):
            inside = [leaf for part in parts for leaf in kinds(part)]
            return [ArrayForm(rows, "int64"), *inside]
        case PointerForm(_, rows):
            return [ArrayForm(rows, "int64")]
        case FunctionForm(lams, _, captured, rows):
            tag = [ArrayForm(rows, "int64")] if len(lams) > 1 else []
            return tag + [leaf for parts in captured for part in parts for leaf in kinds(part)]


def room_of(leaf: ArrayForm | Node) -> int:
    """How many bytes a number or an array takes in a record."""
    return -(-prod(leaf.shape) * WIDTHS[leaf.dtype] // 8) * 8


def has_functions(form: Form) -> bool:
    """Whether there are functions among the values of a skeleton."""
    match form:
        case FunctionForm():
            return True
        case ProductForm(parts) | SumForm(parts) | PackedForm(_, parts):
            return any(map(has_functions, parts))
        case _:
            return False


def row_of(form: Form) -> Form:
    """The skeleton of a row, where that of the stack is this."""
    return _mapped(form, lambda shape: shape[1:])


def stack_of(form: Form, length: int) -> Form:
    """The skeleton of as many rows."""
    return _mapped(form, lambda shape: (length, *shape))


def _mapped(form: Form, change: Callable[[Shape], Shape]) -> Form:
    match form:
        case None:
            return None
        case ArrayForm(shape, dtype):
            return ArrayForm(change(shape), dtype)
        case SumForm(parts, rows):
            return SumForm(tuple(_mapped(part, change) for part in parts), change(rows))
        case ProductForm(parts):
            return ProductForm(tuple(_mapped(part, change) for part in parts))
        case PackedForm(types, parts):
            return PackedForm(types, tuple(_mapped(part, change) for part in parts))
        case PointerForm(sort, rows):
            return PointerForm(sort, change(rows))
        case FunctionForm(lams, names, captured, rows):
            inside = tuple(tuple(_mapped(part, change) for part in parts) for parts in captured)
            return FunctionForm(lams, names, inside, change(rows))


def known_form(obj: Object, sorts: Sorts) -> Form:
    """What is known of the skeleton of a type: None of functions and of tangents of any type."""
    parts = components(obj)
    if parts is not None:
        return ProductForm(tuple(known_form(part, sorts) for part in parts.parts))
    if isinstance(obj, Sum):
        return SumForm(tuple(known_form(part, sorts) for part in obj.parts))
    if isinstance(obj, Mu):
        return PointerForm(sorts.of_type(obj))
    if isinstance(obj, Tensor) and obj.dtype not in ELEMENTS:
        raise MissingRule(f"the native backend has no values of {obj!r}")
    return ArrayForm(obj.shape, obj.dtype) if isinstance(obj, Tensor) else None


def form_of(obj: Object, sorts: Sorts) -> Form:
    """The skeleton of a type of data."""
    form = known_form(obj, sorts)
    if not is_whole(form):
        raise MissingRule(f"the native backend has no values of {obj!r}")
    return form


def is_whole(form: Form) -> bool:
    """Whether all of a skeleton is known, and data."""
    match form:
        case None | FunctionForm() | PackedForm():
            return False
        case ProductForm(parts) | SumForm(parts):
            return all(map(is_whole, parts))
        case _:
            return True
