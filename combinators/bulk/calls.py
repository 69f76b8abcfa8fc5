"""What stays a line: calls, choices, and, in maps of its own, what has no bulk form.

A known λ is made bulk once for each choice of batch axes, and called:

    f = λx. sin x * x                               build 5 (λi. f u[i] + f v[i])
    ⇝  f' = λx. sin x * x    (Real⁵ ⇒ Real⁵)       f' u + f' v

A ``cond`` is lazy where its test is the same at every index, and ``where`` of both branches else.
Both are computed then, as in 003, section 5.2, and everything is total.

Calls of unknown functions, ``with_derivative``, primitives of others that say nothing of their
rows, functions that depend on an index, and branches that raise are split off: their operands
become the arrays that a map runs over, one map for each build that any of them depends on. The
lines before and after it are bulk:

    map (λx. sin (f (x * x))) xs                     f unknown
    ⇝  let y = map f (xs * xs) in sin y

A loop inside of builds is one loop that carries all indices' values. What it carries gets the batch
axes that its step gives it: they are found by trying, since they can only become more. Of

    map (λx. fold (λc r. sin c + r * x) 0 rows) xs                  rows : Tensor[7], xs : Tensor[5]

the carry has no axis at first, and the step gives one with ``i``; so it starts as five zeros:

    fold (λc r. sin c + r * xs) [0, 0, 0, 0, 0] rows                c : Tensor[5]
"""

from __future__ import annotations

from operator import getitem
from typing import Any

from combinators.block import remade
from combinators.bulk.affine import NO_KEY, Index, Key, index_of, within, without
from combinators.bulk.batches import Closure, Group, Rep, Whole, axes_of, is_of_tensors
from combinators.bulk.block import Array, Axis, Block, own_labels, place_of
from combinators.bulk.borders import (
    Columns,
    Layout,
    at_axes,
    body_of,
    function_term,
    joined,
    layout_of,
    parts_of,
    prepared,
    rows_of,
    tensorwise,
    term_of,
    type_of,
    virtual,
)
from combinators.bulk.selection import selected
from combinators.bulk.trees import BLOCK
from combinators.bulk.walk import Env, Walk
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor, components
from combinators.objects import Product as ProductType
from combinators.primitives.loops import MAP, LoopTerm, sequential
from combinators.terms import App, Cond, Lam, Prim, Proj, Term, Var, pack


def applied(walk: Walk, term: Term, env: Env, block: Block, key: Key = NO_KEY) -> Recursive[Rep]:
    """``f x``; what is asked of a build in a function that is called here only is built alone."""
    function, given = term.below()
    f: Rep = yield walk.value(function, env, block)
    if key and not (isinstance(f, Closure) and walk.is_compound(term)):
        return (yield from walk.read(term, key, env, block))
    argument: Rep = yield walk.value(given, env, block)
    if not isinstance(f, Closure):
        return (yield from kept(walk, term, [f, argument], block))
    if not key:
        return (yield from called(walk, f, argument, block, term))
    part: Rep = yield walk.value(f.lam.body, bound(f, argument, block), block, key)
    return part


def called(
    walk: Walk, f: Closure, argument: Rep, block: Block, call: Term | None = None
) -> Recursive[Rep]:
    """A known function at an argument, as in ``call``, which may be ``recompute f x``.

    What takes or gives functions is written in place.
    """
    lam, cod = f.lam, f.lam.body.type
    function: Term = lam
    result: Layout = ()
    axes = sorted(axes_of(f) | axes_of(argument), key=place_of)
    given: Term
    if not axes:
        function = yield from function_term(walk, f, block)
        given = yield term_of(walk, argument, block)
    elif not is_of_tensors(cod) or not is_of_tensors(lam.dom):
        inlined: Rep = yield walk.value(lam.body, bound(f, argument, block), block)
        return inlined
    else:
        walk.say("build1-app", lam, lam)
        parts = (argument,) if len(lam.params) == 1 else parts_of(block, argument)
        layouts, items = list(map(layout_of, parts)), []
        for part, layout in zip(parts, layouts, strict=True):
            items.append((yield term_of(walk, part, block, layout)))
        function, result = yield from at_axes(walk, f, layouts, axes, block)
        given = pack(tuple(items))
    line: Term = App(function, given, getattr(call, "place", None))
    if isinstance(call, Prim):
        line = Prim(call.operation, (function, given), call.place)
    return virtual(block, block.bind(line), cod, result)


def bound(f: Closure, argument: Rep, block: Block) -> Env:
    """What the variables of a function's body stand for."""
    params = f.lam.params
    parts = (argument,) if len(params) == 1 else parts_of(block, argument)
    names = (param.name for param in params)
    return {**f.captured, **dict(zip(names, parts, strict=True))}


def chosen(walk: Walk, term: Cond, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """A choice, whose branches are indexed."""
    test = yield from walk.array(term.test, env, block)
    is_plain = is_of_tensors(term.type)
    branches = (term.then, term.other)
    if axes_of(test):
        if not is_plain or not walk.checked.isdisjoint(map(id, branches)):
            alone: Any = yield split(walk, term, walk.mentioned(term, env), block)
            return selected(block, alone, key) if key else alone
        walk.say("build1-cond", term, term)
        both: list[Rep] = []
        for branch in branches:
            both.append((yield walk.value(branch, env, block, key)))
        return tensorwise(
            block, lambda _, *xs: block.pointwise("where", (test, *xs)), both[0].type, *both
        )
    captured = {var.name: prepared(block, env[var.name]) for var in walk.captured[id(term)]}
    if not is_plain and any(map(axes_of, captured.values())):
        return (yield from split(walk, term, walk.mentioned(term, env), block))
    inner = [Block(names=walk.names), Block(names=walk.names)]
    reps: list[Any] = []
    for place, branch in zip(inner, branches, strict=True):
        rep: Any = yield walk.value(branch, dict(captured), place, key)
        reps.append(without(rep, key) if key else rep)
    layout, obj = joined(*map(layout_of, reps)), reps[0].type
    closed: list[Term] = []
    for place, rep in zip(inner, reps, strict=True):
        result: Term = yield term_of(walk, rep, place, layout)
        closed.append(place.term(result))
    choice: Term = yield term_of(walk, test, block)
    line = block.bind(Cond(choice, closed[0], closed[1], term.place), "c")
    assert line.type is type_of(obj, layout)
    whole: Any = virtual(block, line, obj, layout)
    return within(whole, term.type, key) if key and isinstance(term.type, Tensor) else whole


def kept(walk: Walk, term: Term, reps: list[Rep], block: Block) -> Recursive[Rep]:
    """A line as it is; in a map of its own where its operands depend on an index."""
    if not any(map(axes_of, reps)):
        args = []
        for rep in reps:
            args.append((yield term_of(walk, rep, block)))
        return virtual(block, block.bind(remade(term, tuple(args)) if args else term), term.type)
    operands = [Var(walk.names.fresh("x"), rep.type) for rep in reps]
    env = {var.name: rep for var, rep in zip(operands, reps, strict=True)}
    return (yield from split(walk, remade(term, tuple(operands)), env, block))


def split(walk: Walk, term: Term, env: Env, block: Block) -> Recursive[Rep]:
    """A term, at each index of the builds that what it mentions depends on."""
    walk.has_split = True
    walk.say("build1-split", term, term)
    found = frozenset[Axis]().union(*map(axes_of, env.values()))
    axes = tuple(sorted(found, key=place_of))
    line: Term = yield _nested(walk, term, env, axes, block)
    return lifted(block, line, term.type, axes)


def _nested(
    walk: Walk, term: Term, env: Env, axes: tuple[Axis, ...], block: Block
) -> Recursive[Term]:
    """A map for each axis, the outermost build's first."""
    if not axes:
        rep: Rep = yield walk.value(term, env, block)
        return (yield from term_of(walk, rep, block))
    whole = Group(tuple(env.values()), ProductType(*[rep.type for rep in env.values()]))
    columns = Columns(block, axes[0], whole)
    inner = Block(names=walk.names)
    param, rows = columns.row(inner)
    below = dict(zip(env, parts_of(inner, rows), strict=True))
    body: Term = yield _nested(walk, term, below, axes[1:], inner)
    lam = Lam((param,), inner.term(body))
    return block.bind(Prim(MAP, (lam, columns.operand), getattr(term, "place", None)))


def lifted(block: Block, line: Term, obj: Object, axes: tuple[Axis, ...]) -> Rep:
    """What maps over ``axes`` gave."""
    product = components(obj)
    if isinstance(obj, Tensor):
        assert isinstance(line, Var)
        return Array(line, (*axes, *own_labels(obj)), obj)
    if product is None:
        return Whole(line, obj, axes)
    parts = enumerate(product.parts)
    made = tuple(lifted(block, block.bind(Proj(i, line)), part, axes) for i, part in parts)
    return Group(made, obj)


def looped(walk: Walk, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """What a loop that carries gives; what it keeps has the loop's rows first of all axes.

    Where an associative one is more than a block of a tree it stays whole, in a map of its own.
    """
    reps: list[Rep] = []
    for arg in term.args:
        reps.append((yield walk.value(arg, env, block)))
    f, init, xs = reps
    types = LoopTerm(term).types
    is_plain = all(map(is_of_tensors, (term.type, init.type, xs.type)))
    is_tree = types.is_associative and types.length > BLOCK
    if is_tree or not isinstance(f, Closure) or not is_plain or not any(map(axes_of, reps)):
        return (yield from kept(walk, term, reps, block))
    walk.say("build1-fold", term, term)
    axis = Axis(types.length)
    row = prepared(block, rows_of(block, xs, Index(index_of(axis))))
    columns, f = Columns(block, axis, row), prepared(block, f)
    layout, wider = None, layout_of(init)
    while wider != layout:
        layout, inner = wider, Block(names=walk.names)
        carry = Var(inner.names.fresh("carry"), type_of(init.type, layout))
        param, row = columns.row(inner)
        given = virtual(inner, carry, init.type, layout), row
        env = bound(f, Group(given, ProductType(init.type, row.type)), inner)
        least = layout if types.item is None else (layout, ())
        body, both = yield from body_of(walk, f.lam.body, env, inner, least)
        wider, item = types.halves(both, getitem)
    start: Term = yield term_of(walk, init, block, layout)
    step = Lam((carry, param), body, f.lam.name)
    line = block.operate(sequential(term.operation), step, start, columns.operand, place=term.place)
    last, rows = types.halves(line, lambda whole, i: block.bind(Proj(i, whole)))
    after = virtual(block, last, init.type, layout)
    if types.item is None:
        return after
    return Group((after, virtual(block, rows, types.item, item, types.length)), term.type)
