"""Values at the border of a λ or a branch: as one term, with batch axes in front, and back.

A *layout* says which batch axes each tensor of a value has; None is a value with none, that goes
over the border as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from combinators.bulk.block import Axis, Block
from combinators.bulk.laying import own_axes, plain
from combinators.bulk.values import (
    Array,
    Group,
    Labels,
    Rep,
    Tensors,
    Whole,
    axes_of,
    batch,
    in_order,
)
from combinators.objects import (
    Object,
    Record,
    Tensor,
    components,
)
from combinators.objects import Product as ProductType
from combinators.rows import row_of
from combinators.terms import Const, Proj, Term, Var

Layout = tuple[Axis, ...] | list["Layout"] | None


def layout_of(rep: Rep) -> Layout:
    """Which batch axes a value has."""
    if not axes_of(rep):
        return None
    if isinstance(rep, Group):
        return [layout_of(part) for part in rep.parts]
    assert isinstance(rep, Tensors)
    return batch(in_order(rep.labels))


def joined(x: Layout, y: Layout) -> Layout:
    """The batch axes of both."""
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, list) and isinstance(y, list):
        return [joined(a, b) for a, b in zip(x, y, strict=True)]
    assert isinstance(x, tuple)
    assert isinstance(y, tuple)
    return tuple(axis for axis in in_order((*x, *y)) if isinstance(axis, Axis))


def key_of(layout: Layout, name: Callable[[Axis], object]) -> object:
    """A layout as a key of a table, by names of its axes."""
    if layout is None:
        return None
    if isinstance(layout, list):
        return (list, *(key_of(part, name) for part in layout))
    return tuple(map(name, layout))


def renamed(layout: Layout, new: dict[Axis, Axis]) -> Layout:
    """A layout with other axes."""
    if layout is None:
        return None
    if isinstance(layout, list):
        return [renamed(part, new) for part in layout]
    return tuple(new.get(axis, axis) for axis in layout)


def type_of(obj: Object, layout: Layout) -> Object:
    """The type of what goes over the border."""
    if layout is None:
        return obj
    if isinstance(layout, list):
        product = components(obj)
        assert product is not None
        parts = zip(product.parts, layout, strict=True)
        made = ProductType(*[type_of(part, below) for part, below in parts])
        return Record.of(obj.names, made) if isinstance(obj, Record) else made
    assert isinstance(obj, Tensor)
    return Tensor((*(axis.extent for axis in layout), *obj.shape), obj.dtype)


def virtual(block: Block, term: Term, obj: Object, layout: Layout = None) -> Rep:
    """What has come over the border; ``obj`` is the type of one of its values."""
    if layout is None:
        return (
            plain(term) if isinstance(term, Var) and isinstance(obj, Tensor) else Whole(term, obj)
        )
    if isinstance(layout, list):
        product = components(obj)
        assert product is not None
        parts = [
            virtual(block, block.bind(Proj(index, term)), part, below)
            for index, (part, below) in enumerate(zip(product.parts, layout, strict=True))
        ]
        return Group(tuple(parts), obj)
    assert isinstance(obj, Tensor)
    assert isinstance(term, Var | Const)
    labels: Labels = (*layout, *own_axes(obj))
    return Array(term, labels, obj)


def parts_of(block: Block, rep: Rep, names: str = "p") -> tuple[Rep, ...]:
    """The components of a product."""
    if isinstance(rep, Group):
        return rep.parts
    product = components(rep.type)
    assert isinstance(rep, Whole)
    assert product is not None
    return tuple(
        virtual(block, block.bind(Proj(index, rep.term), names), part)
        for index, part in enumerate(product.parts)
    )


def tensorwise(block: Block, each: Callable[..., Rep], obj: Object, *reps: Rep) -> Rep:
    """A value of type ``obj``, each tensor of which ``each`` makes of its type and of tensors.

    These stand at the same place in ``reps``, which are tensors or products of as many components.
    """
    if isinstance(reps[0], Tensors):
        return each(obj, *reps)
    product = components(obj)
    assert product is not None
    sides = [parts_of(block, rep) for rep in reps]
    parts = zip(product.parts, *sides, strict=True)
    return Group(tuple(tensorwise(block, each, *part) for part in parts), obj)


def rows_of(block: Block, rep: Rep, each: Callable[[Tensors], Rep]) -> Rep:
    """The rows of a stack, each of its tensors made a row by ``each``."""
    return tensorwise(block, lambda _, stack: each(stack), row_of(rep.type), rep)
