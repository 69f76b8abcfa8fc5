"""Ways to an arrow into a tensor, or by a loop over one.

Pointwise operations, sums, layouts, indices and products; folds, scans and maps over a few rows or
none.
"""

from __future__ import annotations

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Constant, Curry, Id, Morphism, Primitive, Projection, prod
from combinators.objects import Fun, Object, Product, Real, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import MAP, looping
from laws.strategies.making import Making

EXTENTS = (1, 2, 0, 3)
"""Of axes that are summed over."""


def pointwise(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A pointwise operation; an argument may be a number where the others are tensors."""
    name = make.choices.pick(sorted(make.signature.operations))
    arity = make.signature.operations[name]
    kinds = [cod]
    for _ in range(1, arity):
        kinds.append(make.choices.pick((cod, Tensor((), cod.dtype))) if cod.shape else cod)
    return make.applied(Operation(named(name)), dom, kinds)


def summed(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """The sum along an axis."""
    axis = make.choices.below(len(cod.shape) + 1)
    extent = make.choices.pick(EXTENTS)
    source = Tensor((*cod.shape[:axis], extent, *cod.shape[axis:]), cod.dtype)
    operation = Operation(named("sum"), (("axis", (axis,)), ("keepdims", False)))
    return make.applied(operation, dom, [source])


def spread(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A number, or one row, repeated."""
    shapes = ((), (1, *cod.shape[1:]), cod.shape[1:])
    source = Tensor(make.choices.pick(shapes), cod.dtype)
    return make.applied(Operation(named("broadcast_to"), (("shape", cod.shape),)), dom, [source])


def reshaped(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A tensor of another shape laid out anew."""
    source = Tensor((cod.size,) if len(cod.shape) != 1 else (1, cod.size), cod.dtype)
    return make.applied(Operation(named("reshape"), (("shape", cod.shape),)), dom, [source])


def transposed(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """The axes in the opposite order."""
    axes = tuple(reversed(range(len(cod.shape))))
    source = Tensor(cod.shape[::-1], cod.dtype)
    return make.applied(Operation(named("transpose"), (("axes", axes),)), dom, [source])


def joined(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """Two tensors one after the other."""
    axis = make.choices.below(len(cod.shape))
    before = make.choices.below(cod.shape[axis] + 1)
    kinds = [_extent(cod, axis, n) for n in (before, cod.shape[axis] - before)]
    return make.applied(Operation(named("concatenate"), (("axis", axis),)), dom, kinds)


def cut(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A window, or the rows from last to first."""
    axis, extent = make.choices.below(len(cod.shape)), cod.shape
    start, step = [0] * len(extent), [1] * len(extent)
    source = cod
    if make.choices.below(2) or not extent[axis]:
        start[axis], source = int(extent[axis] > 0), _extent(cod, axis, extent[axis] + 1)
    else:
        start[axis], step[axis] = extent[axis] - 1, -1
    window = (("start", tuple(start)), ("step", tuple(step)), ("extent", extent))
    return make.applied(Operation(named("slice"), window), dom, [source])


def taken(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """Rows at indices, of which some may be equal, or outside, where they are 0."""
    rows = 1 + make.choices.below(2)
    wanted = (*range(rows), rows, -1)
    axis = 0
    several = cod.shape[:1]
    at = [make.choices.pick(wanted) for _ in range(int(np.prod(several, dtype=int)))]
    index = Literal(np.array(at, dtype=np.int64).reshape(several))
    source = Tensor((rows, *cod.shape[1:]), cod.dtype)
    parts = prod(dom, make.arrow(dom, source), Constant(dom, index))
    return parts >> Primitive(Operation(named("take"), (("axis", axis),)), (source, index.type))


def multiplied(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A product of matrices."""
    *batch, rows, columns = cod.shape
    inner = make.choices.pick((columns, *EXTENTS))
    kinds = [Tensor((*batch, rows, inner), cod.dtype), Tensor((inner, columns), cod.dtype)]
    return make.applied(Operation(named("matmul")), dom, kinds)


def _extent(cod: Tensor, axis: int, extent: int) -> Tensor:
    return Tensor((*cod.shape[:axis], extent, *cod.shape[axis + 1 :]), cod.dtype)


ROWS = (2, 1, 0, 3)
"""How often folds go round."""


def folded(make: Making, dom: Object, cod: Object) -> Morphism:
    """A fold over the rows of a vector of numbers, from either end."""
    kinds = Fun(Product(cod, Real), cod), cod, Tensor((make.choices.pick(ROWS),))
    binary = [name for name, arity in make.signature.operations.items() if arity == 2]
    if not (binary and isinstance(cod, Tensor) and cod.is_smooth and make.choices.below(2)):
        return make.applied(_fold(make), dom, kinds)
    return _over_rows(make, dom, kinds, *_accumulating(make, dom, cod, sorted(binary)))


def reduced(make: Making, dom: Object, cod: Object) -> Morphism:
    """A reduce of a vector of numbers, from either end, by an operator that captures."""
    kinds = Fun(Product(Real, Real), Real), Real, Tensor((make.choices.pick(ROWS),))
    return _over_rows(make, dom, kinds, *_accumulating(make, dom, Real, ["multiply"]))


def _over_rows(
    make: Making, dom: Object, kinds: tuple[Object, ...], step: Morphism, is_associative: bool
) -> Morphism:
    parts = prod(dom, step, *(make.arrow(dom, kind) for kind in kinds[1:]))
    fold = _fold(make)
    if is_associative:
        reverse = bool(fold.keywords.get("reverse"))
        fold = looping(keeps=False, reverse=reverse, sequential=False)
    return parts >> Primitive(fold, kinds)


def _accumulating(
    make: Making, dom: Object, cod: Tensor, names: list[str]
) -> tuple[Morphism, bool]:
    """A step that uses what it carries, the row and what it captures, and so minds the order.

    Of numbers it often is the associative ``c + x + t · c · x``, for a t that it captures.
    """
    context = dom if isinstance(dom, Product) else Product(dom)
    inside = context.snoc(Product(cod, Real))
    given = Projection(inside, context.width)
    carried, row = given >> Projection(given.cod, 0), given >> Projection(given.cod, 1)
    once, then = (Operation(named(make.choices.pick(names))) for _ in range(2))
    other = make.arrow(inside, cod)
    sum_, product = (Operation(named(name)) for name in ("add", "multiply"))

    def both(operation: Operation, x: Morphism, y: Morphism) -> Morphism:
        return prod(inside, x, y) >> Primitive(operation, (x.cod, y.cod))

    is_associative = cod is Real and not {once.name, then.name}.isdisjoint(("add", "multiply"))
    if is_associative:
        still = [Projection(inside, i) for i in range(context.width)]
        zeros = prod(inside, *[Constant(inside, Literal(0.0))] * 2)
        times = both(product, prod(inside, *still, zeros) >> other, both(product, carried, row))
        made = both(sum_, both(sum_, carried, row), times)
    else:
        made = both(then, both(once, carried, other), row)
    body = Curry(made)
    return (body if context is dom else prod(dom, Id(dom)) >> body), is_associative


def scanned(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """The stack of what a scan gives at each row."""
    row, xs = Tensor(cod.shape[1:], cod.dtype), Tensor(cod.shape[:1])
    carried = make.choices.pick((Real, row))
    kinds = (Fun(Product(carried, Real), Product(carried, row)), carried, xs)
    loop = Primitive(looping(reverse=bool(make.choices.below(2))), kinds)
    return prod(dom, *(make.arrow(dom, kind) for kind in kinds)) >> loop >> Projection(loop.cod, 1)


def mapped(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A map."""
    row, xs = Tensor(cod.shape[1:], cod.dtype), Tensor(cod.shape[:1])
    return make.applied(MAP, dom, (Fun(Real, row), xs))


def _fold(make: Making) -> Operation:
    return looping(keeps=False, reverse=bool(make.choices.below(2)))
