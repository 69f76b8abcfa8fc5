"""Values at the border of a λ, a branch or a loop: as one term, and back.

A *layout* says which batch axes each tensor of a value has; None is a value with none, that goes
over the border as it is. A pair of ``x`` with the labels ``(i, 0)`` and ``n`` without any has the
layout ``((i,), None)``: it goes as ``(x, n)`` of the type ``Tensor[5, 3] × Int``, and inside of the
λ the components of its parameter have these labels again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from combinators.bulk.batches import (
    Affine,
    Array,
    Closure,
    Group,
    Labels,
    Leaf,
    Product,
    Rep,
    Rows,
    Tensors,
    Whole,
    array_of,
    axes_of,
    batch,
    extent_of,
    in_order,
    in_order_of,
    map_leaves,
    own_labels,
    plain,
)
from combinators.bulk.block import Axis, Block
from combinators.bulk.walk import Walk
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Record, Tensor, components
from combinators.objects import Product as ProductType
from combinators.terms import Const, Lam, Proj, Term, Tuple, Var
from combinators.type_folds import row_of, stack_of


@dataclass(frozen=True, slots=True)
class Layouts:
    """Those of the components of a product."""

    parts: tuple[Layout, ...]


Layout = tuple[Any, ...] | Layouts | None
"""The batch axes of a tensor, or what stands for them in a key."""


def layout_of(rep: Rep) -> Layout:
    """Which batch axes a value has."""
    if not axes_of(rep):
        return None
    if isinstance(rep, Group):
        return Layouts(tuple(map(layout_of, rep.parts)))
    assert isinstance(rep, Tensors)
    return batch(in_order(rep.labels))


def joined(x: Layout, y: Layout) -> Layout:
    """The batch axes of both."""
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, Layouts) and isinstance(y, Layouts):
        return Layouts(tuple(map(joined, x.parts, y.parts)))
    assert isinstance(x, tuple)
    assert isinstance(y, tuple)
    return in_order((*x, *y))


def renamed(layout: Layout, new: Mapping[Axis, Any]) -> Layout:
    """A layout with other axes."""
    if layout is None:
        return None
    if isinstance(layout, Layouts):
        return Layouts(tuple(renamed(part, new) for part in layout.parts))
    return tuple(new.get(axis, axis) for axis in layout)


def type_of(obj: Object, layout: Layout) -> Object:
    """The type of what goes over the border."""
    if layout is None:
        return obj
    if isinstance(layout, Layouts):
        parts = zip(product_of(obj).parts, layout.parts, strict=True)
        made = ProductType(*[type_of(part, below) for part, below in parts])
        return Record.of(obj.names, made) if isinstance(obj, Record) else made
    assert isinstance(obj, Tensor)
    return Tensor((extent_of(label, obj) for label in _laid_out(obj, layout)), obj.dtype)


def virtual(
    block: Block, term: Term, obj: Object, layout: Layout = None, length: int | None = None
) -> Rep:
    """What has come over the border; ``obj`` is the type of one of its values.

    With a ``length`` so many of them are stacked, along the first axis.
    """
    whole = obj if length is None else stack_of(obj, length)
    if layout is None:
        if isinstance(term, Var) and isinstance(whole, Tensor):
            return plain(term)
        return Whole(term, whole)
    if isinstance(layout, Layouts):
        parts = zip(product_of(obj).parts, layout.parts, strict=True)
        made = [
            virtual(block, block.bind(Proj(index, term)), part, below, length)
            for index, (part, below) in enumerate(parts)
        ]
        return Group(tuple(made), whole)
    assert isinstance(obj, Tensor)
    assert isinstance(whole, Tensor)
    assert isinstance(term, Var | Const)
    labels = _laid_out(obj, layout)
    if length is not None:
        labels = (0, *(label + 1 if isinstance(label, int) else label for label in labels))
    return Array(term, labels, whole)


def product_of(obj: Object) -> ProductType:
    """The product that a type is, or a record is of."""
    product = components(obj)
    assert product is not None
    return product


def _laid_out(obj: Tensor, layout: tuple[Axis, ...]) -> Labels:
    return in_order((*layout, *own_labels(obj)))


def parts_of(block: Block, rep: Rep, names: str = "p") -> tuple[Rep, ...]:
    """The components of a product."""
    if isinstance(rep, Group):
        return rep.parts
    assert isinstance(rep, Whole)
    return tuple(
        virtual(block, block.bind(Proj(index, rep.term), names), part)
        for index, part in enumerate(product_of(rep.type).parts)
    )


def tensorwise(block: Block, each: Callable[..., Rep], obj: Object, *reps: Rep) -> Rep:
    """A value of type ``obj``, each tensor of which ``each`` makes of its type and of tensors.

    These stand at the same place in ``reps``, which are tensors or products of as many components.
    """
    if isinstance(reps[0], Tensors):
        return each(obj, *reps)
    sides = [parts_of(block, rep) for rep in reps]
    parts = zip(product_of(obj).parts, *sides, strict=True)
    return Group(tuple(tensorwise(block, each, *part) for part in parts), obj)


def rows_of(block: Block, rep: Rep, each: Callable[[Tensors], Rep]) -> Rep:
    """The rows of a stack, each of its tensors made a row by ``each``."""
    return tensorwise(block, lambda _, stack: each(stack), row_of(rep.type), rep)


def term_of(walk: Walk, rep: Rep, block: Block, layout: Layout = None) -> Recursive[Term]:
    """A value as one term, with these batch axes; without a layout it has none."""
    if isinstance(layout, Layouts) or (layout is None and isinstance(rep, Group)):
        parts = parts_of(block, rep)
        below = layout.parts if layout else (None,) * len(parts)
        items = []
        for part, inner in zip(parts, below, strict=True):
            items.append((yield term_of(walk, part, block, inner)))
        return Tuple(tuple(items), getattr(rep.type, "names", None))
    if isinstance(rep, Closure):
        function: Term = yield function_term(walk, rep, block)
        return function
    if isinstance(rep, Whole | Rows):
        return rep.term
    assert isinstance(rep, Tensors)
    array = array_of(block, rep)
    return in_order_of(block, array, _laid_out(array.type, layout or ()), full=True)


def function_term(walk: Walk, f: Closure, block: Block) -> Recursive[Term]:
    """A function that depends on no index, as a λ: the same one, where there is nothing to do."""
    lam = f.lam
    if not walk.survey.is_mapped(lam) and all(_is_itself(*item) for item in f.captured.items()):
        return lam
    f = prepared_function(block, f)
    key: Any = (id(lam), captured_key(f))
    if key not in walk.written:
        inner = Block(names=walk.survey.names)
        env = dict(f.captured)
        env.update({param.name: virtual(inner, param, param.type) for param in lam.params})
        result: Rep = yield walk.value(lam.body, env, inner)
        body: Term = yield term_of(walk, result, inner)
        walk.written[key] = f, Lam(lam.params, inner.term(body), lam.name)
    made: Lam = walk.written[key][1]
    return made


def _is_itself(name: str, rep: Rep) -> bool:
    if isinstance(rep, Array) and rep.labels != own_labels(rep.type):
        return False
    term = getattr(rep, "term", None)
    return isinstance(term, Var) and term.name == name


def captured_key(f: Closure) -> tuple[tuple[str, int], ...]:
    """What a function captures, by identity: what has been written before it."""
    return tuple(sorted((name, id(rep)) for name, rep in f.captured.items()))


def prepared_function(block: Block, f: Closure) -> Closure:
    """A function that captures what was written before it, not what was put off."""
    made = prepared(block, f)
    assert isinstance(made, Closure)
    return made


def prepared(block: Block, rep: Rep) -> Rep:
    """A value that a λ or a branch may capture: what was put off is written before it."""

    def each(leaf: Leaf) -> Rep:
        match leaf:
            case Product():
                return array_of(block, leaf)
            case Affine(offset, slopes, obj, []) if any(isinstance(a, int) for a in slopes):
                return Affine(offset, slopes, obj, [array_of(block, leaf)])
            case _:
                return leaf

    return map_leaves(rep, each)
