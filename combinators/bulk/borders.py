"""Values at the border of a λ, a branch or a loop: as one term, and back.

A *layout* says which batch axes each tensor of a value has; an empty one is of a value with none,
that goes over the border as it is. A pair of ``x`` with the labels ``(i, 0)`` and ``n`` without any
has the layout ``((i,), ())``: it goes as ``(x, n)`` of the type ``Tensor[5, 3] × Int``, and inside
of the λ the components of its parameter have these labels again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from combinators.bulk.affine import Index, without
from combinators.bulk.batches import (
    Closure,
    Group,
    Leaf,
    Rep,
    Whole,
    axes_of,
    leaves_of,
    map_leaves,
)
from combinators.bulk.block import (
    Array,
    Axis,
    Block,
    Label,
    Product,
    Tensors,
    batch,
    extent_of,
    in_order,
    own_labels,
)
from combinators.bulk.selection import selected
from combinators.bulk.walk import Env, Walk
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Record, Tensor
from combinators.objects import Product as ProductType
from combinators.terms import Const, Lam, Proj, Term, Tuple, Var
from combinators.type_folds import columns_of, row_of, stack_of

Layout = tuple[Any, ...]
"""The batch axes of a tensor, or what stands for them in a key; or the layouts of components."""


def layout_of(rep: Rep) -> Layout:
    """Which batch axes a value has."""
    if not axes_of(rep):
        return ()
    if isinstance(rep, Group):
        return tuple(map(layout_of, rep.parts))
    assert isinstance(rep, Tensors)
    return batch(in_order(rep.labels))


def _is_of_parts(layout: Layout) -> bool:
    return bool(layout) and isinstance(layout[0], tuple)


def joined(x: Layout, y: Layout) -> Layout:
    """The batch axes of both."""
    if not (x and y):
        return x or y
    return tuple(map(joined, x, y)) if _is_of_parts(x) else in_order((*x, *y))


def renamed(layout: Layout, new: Mapping[Axis, Any]) -> Layout:
    """A layout with other axes."""
    return tuple(renamed(x, new) if isinstance(x, tuple) else new.get(x, x) for x in layout)


def type_of(obj: Object, layout: Layout) -> Object:
    """The type of what goes over the border."""
    if _is_of_parts(layout):
        made = ProductType(*map(type_of, columns_of(obj) or (), layout))
        return Record.of(obj.names, made) if isinstance(obj, Record) else made
    if not layout:
        return obj
    assert isinstance(obj, Tensor)
    return Tensor((extent_of(label, obj) for label in _laid_out(obj, layout)), obj.dtype)


def _laid_out(obj: Tensor, layout: Layout) -> tuple[Label, ...]:
    return in_order((*layout, *own_labels(obj)))


def virtual(
    block: Block, term: Term, obj: Object, layout: Layout = (), length: int | None = None
) -> Rep:
    """What has come over the border; ``obj`` is the type of one of its values.

    With a ``length`` so many of them are stacked, along the first axis.
    """
    whole = obj if length is None else stack_of(obj, length)
    if _is_of_parts(layout):
        parts = zip(columns_of(obj) or (), layout, strict=True)
        made = [
            virtual(block, block.bind(Proj(index, term)), part, below, length)
            for index, (part, below) in enumerate(parts)
        ]
        return Group(tuple(made), whole)
    if not isinstance(whole, Tensor) or not isinstance(obj, Tensor):
        return Whole(term, whole)
    assert isinstance(term, Var | Const)
    labels = _laid_out(obj, layout)
    if length is not None:
        labels = (0, *(label + 1 if isinstance(label, int) else label for label in labels))
    return Array(term, labels, whole)


def parts_of(block: Block, rep: Rep) -> tuple[Rep, ...]:
    """The components of a product."""
    if isinstance(rep, Group):
        return rep.parts
    assert isinstance(rep, Whole)
    parts = enumerate(columns_of(rep.type) or ())
    return tuple(virtual(block, block.bind(Proj(i, rep.term), "p"), part) for i, part in parts)


def tensorwise(block: Block, each: Callable[..., Rep], obj: Object, *reps: Rep) -> Rep:
    """A value of type ``obj``, each tensor of which ``each`` makes of its type and of tensors.

    These stand at the same place in ``reps``, which are tensors or products of as many components.
    """
    if isinstance(reps[0], Tensors):
        return each(obj, *reps)
    sides = [parts_of(block, rep) for rep in reps]
    parts = zip(columns_of(obj) or (), *sides, strict=True)
    return Group(tuple(tensorwise(block, each, *part) for part in parts), obj)


def rows_of(block: Block, stacks: Rep, at: Index) -> Rep:
    """The rows of stacks at an index."""

    def each(_: Tensor, stack: Tensors) -> Rep:
        return without(selected(block, stack, {0: at}), {0: at})

    return tensorwise(block, each, row_of(stacks.type), stacks)


def term_of(walk: Walk, rep: Rep, block: Block, layout: Layout = ()) -> Recursive[Term]:
    """A value as one term, with these batch axes; without a layout it has none."""
    if _is_of_parts(layout) or (not layout and isinstance(rep, Group)):
        parts = parts_of(block, rep)
        items = []
        for part, inner in zip(parts, layout or ((),) * len(parts), strict=True):
            items.append((yield term_of(walk, part, block, inner)))
        return Tuple(tuple(items), getattr(rep.type, "names", None))
    if isinstance(rep, Closure):
        return (yield from function_term(walk, rep, block))
    if isinstance(rep, Whole):
        return rep.term
    assert isinstance(rep, Tensors)
    array = block.array(rep)
    return block.ordered(array, _laid_out(array.type, layout), full=True)


def function_term(walk: Walk, f: Closure, block: Block) -> Recursive[Term]:
    """A function that depends on no index, as a λ: the same one, where there is nothing to do."""
    lam = f.lam
    if id(lam) not in walk.mapped and not f.captured:
        return lam
    return (yield from at_axes(walk, f, [()] * len(lam.params), [], block))[0]


def at_axes(
    walk: Walk, f: Closure, layouts: list[Layout], axes: list[Axis], block: Block
) -> Recursive[tuple[Lam, Layout]]:
    """The λ of arguments of these layouts, and the layout of its result.

    One bulk form of a λ is told from others by no more than extents, if none is captured.
    """
    f = prepared(block, f)
    numbers: dict[Axis, Any] = {axis: number for number, axis in enumerate(axes)}
    extents: Any = tuple((axis.extent, axis.last) for axis in axes)
    if axes_of(f):
        numbers, extents = {}, None
    captured = tuple(map(id, f.captured.values()))
    known = (id(f.lam), captured, extents, *(renamed(layout, numbers) for layout in layouts))
    if known not in walk.written:
        walk.written[known] = (f, *(yield _made(walk, f, layouts, axes)))
    _, lam, result, inner = walk.written[known]
    return lam, renamed(result, dict(zip(inner, axes, strict=True)))


def _made(
    walk: Walk, f: Closure, layouts: list[Layout], axes: list[Axis]
) -> Recursive[tuple[Lam, Layout, list[Axis]]]:
    inner, env = Block(names=walk.names), dict(f.captured)
    own = axes if axes_of(f) else [Axis(axis.extent, axis.last) for axis in axes]
    new, params = dict(zip(axes, own, strict=True)), f.lam.params
    if axes:
        fresh = walk.names.fresh
        typed = zip(params, layouts, strict=True)
        params = tuple(Var(fresh(p.name), type_of(p.type, layout)) for p, layout in typed)
    for param, var, layout in zip(f.lam.params, params, layouts, strict=True):
        env[param.name] = virtual(inner, var, param.type, renamed(layout, new))
    body, layout = yield from body_of(walk, f.lam.body, env, inner)
    return Lam(params, body, f.lam.name), layout, own


def body_of(
    walk: Walk, term: Term, env: Env, inner: Block, least: Layout = ()
) -> Recursive[tuple[Term, Layout]]:
    """A λ's body with the lines that it takes, of the layout that it has, or at least this one."""
    result: Rep = yield walk.value(term, env, inner)
    layout = joined(least, layout_of(result))
    body: Term = yield term_of(walk, result, inner, layout)
    return inner.term(body), layout


R = TypeVar("R", bound=Rep)


def prepared(block: Block, rep: R) -> R:
    """A value that a λ or a branch may capture: what was put off is written before it."""

    def each(leaf: Leaf) -> Rep:
        return block.array(leaf) if isinstance(leaf, Product) else leaf

    return cast("R", map_leaves(rep, each))


class Columns:
    """The arrays that a loop runs over along an axis; what lacks it is the same in each row."""

    def __init__(self, block: Block, axis: Axis, rep: Rep) -> None:
        self.axis, self.rep = axis, rep
        self.leaves = [leaf for leaf in leaves_of(rep) if axis in leaf.labels]
        terms = tuple(self._column(block, leaf) for leaf in self.leaves)
        self.operand: Term = Tuple(terms)
        """What the loop runs over."""
        if len(terms) < 2:
            self.operand = terms[0] if terms else block.apply("iota", length=axis.extent)

    def _column(self, block: Block, leaf: Leaf) -> Term:
        if isinstance(leaf, Whole):
            return leaf.term
        array = block.array(leaf)
        order = in_order(label for label in array.labels if label is not self.axis)
        return block.ordered(array, (self.axis, *order), full=False)

    def row(self, inner: Block) -> tuple[Var, Rep]:
        """The parameter of the loop's λ that stands for a row, and what the value is there."""
        param = Var(inner.names.fresh("row"), row_of(self.operand.type))
        places = {id(leaf): at for at, leaf in enumerate(self.leaves)}

        def each(leaf: Leaf) -> Rep:
            if id(leaf) not in places:
                return leaf
            several = len(places) > 1
            row = inner.bind(Proj(places[id(leaf)], param), "row") if several else param
            left = tuple(axis for axis in leaf.labels if axis is not self.axis)
            if isinstance(leaf, Whole):
                return (
                    Whole(row, leaf.type, batch(left)) if left else virtual(inner, row, leaf.type)
                )
            return Array(row, in_order(left), leaf.type)

        return param, map_leaves(self.rep, each)
