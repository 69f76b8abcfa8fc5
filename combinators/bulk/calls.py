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
"""

from __future__ import annotations

from typing import Any

from combinators.block import remade
from combinators.bulk.affine import NO_KEY, Key, within, without
from combinators.bulk.batches import (
    Array,
    Closure,
    Group,
    Rep,
    Whole,
    axes_of,
    own_labels,
    place_of,
    pointwise,
)
from combinators.bulk.block import Axis, Block
from combinators.bulk.borders import (
    Columns,
    Layout,
    captured_key,
    function_term,
    joined,
    layout_of,
    parts_of,
    prepared,
    renamed,
    tensorwise,
    term_of,
    type_of,
    virtual,
)
from combinators.bulk.indexing import is_compound
from combinators.bulk.selection import selected
from combinators.bulk.walk import Env, Walk
from combinators.errors import Place
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor, components
from combinators.objects import Product as ProductType
from combinators.primitives.loops import MAP
from combinators.terms import App, Cond, Lam, Prim, Proj, Term, Var, pack
from combinators.type_folds import is_first_order


def applied(walk: Walk, term: App, env: Env, block: Block, key: Key = NO_KEY) -> Recursive[Rep]:
    """``f x``; what is asked of a build in a function that is called here only is built alone."""
    f: Rep = yield walk.value(term.function, env, block)
    is_part = isinstance(f, Closure) and is_compound(walk, term)
    if key and not is_part:
        return (yield from walk.read(term, key, env, block))
    argument: Rep = yield walk.value(term.argument, env, block)
    if not isinstance(f, Closure):
        return (yield from kept(walk, term, [f, argument], block))
    if not key:
        return (yield from called(walk, f, argument, block, term.place))
    part: Rep = yield walk.value(f.lam.body, bound(f, argument, block), block, key)
    return part


def called(
    walk: Walk, f: Closure, argument: Rep, block: Block, place: Place | None = None
) -> Recursive[Rep]:
    """A known function at an argument; what takes or gives functions is written in place."""
    cod = f.lam.body.type
    if not axes_of(f) and not axes_of(argument):
        function: Term = yield function_term(walk, f, block)
        given: Term = yield term_of(walk, argument, block)
        return virtual(block, block.bind(App(function, given, place)), cod)
    if not is_first_order(cod) or not is_first_order(f.lam.dom):
        inlined: Rep = yield walk.value(f.lam.body, bound(f, argument, block), block)
        return inlined
    walk.say("build1-app", f.lam, f.lam)
    lam, result, given = yield from at_axes(walk, f, argument, block)
    return virtual(block, block.bind(App(lam, given, place)), cod, result)


def bound(f: Closure, argument: Rep, block: Block) -> Env:
    """What the variables of a function's body stand for."""
    params = f.lam.params
    parts = (argument,) if len(params) == 1 else parts_of(block, argument)
    names = (param.name for param in params)
    return {**f.captured, **dict(zip(names, parts, strict=True))}


def recomputed(walk: Walk, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """``recompute f x``, of a function made bulk."""
    f: Rep = yield walk.value(term.args[0], env, block)
    argument: Rep = yield walk.value(term.args[1], env, block)
    is_known = isinstance(f, Closure) and is_first_order(f.lam.dom) and is_first_order(term.type)
    if not isinstance(f, Closure) or not is_known or not (axes_of(f) or axes_of(argument)):
        return (yield from kept(walk, term, [f, argument], block))
    lam, result, given = yield from at_axes(walk, f, argument, block)
    line = block.operate(term.operation, lam, given, place=term.place)
    return virtual(block, line, term.type, result)


def at_axes(
    walk: Walk, f: Closure, argument: Rep, block: Block
) -> Recursive[tuple[Lam, Layout, Term]]:
    """The λ that takes ``argument`` at all indices, the layout of its result, and its argument."""
    parts = (argument,) if len(f.lam.params) == 1 else parts_of(block, argument)
    layouts = [layout_of(part) for part in parts]
    given = []
    for part, layout in zip(parts, layouts, strict=True):
        given.append((yield term_of(walk, part, block, layout)))
    axes = sorted(axes_of(f) | axes_of(argument), key=place_of)
    f = prepared(block, f)
    key: Any = _key(f, layouts, axes)
    if key not in walk.called:
        walk.called[key] = (f, *(yield _made(walk, f, layouts, axes)))
    _, lam, result, inner = walk.called[key]
    back = dict(zip(inner, axes, strict=True))
    return lam, renamed(result, back), pack(tuple(given))


def _key(f: Closure, layouts: list[Layout], axes: list[Axis]) -> Any:
    """What tells one bulk form of a λ from others: no more than extents, if none is captured."""
    known = id(f.lam), captured_key(f)
    if axes_of(f):
        return *known, tuple(layouts)
    extents = tuple((axis.extent, axis.last) for axis in axes)
    numbers = {axis: number for number, axis in enumerate(axes)}
    return *known, extents, tuple(renamed(layout, numbers) for layout in layouts)


def _made(
    walk: Walk, f: Closure, layouts: list[Layout], axes: list[Axis]
) -> Recursive[tuple[Lam, Layout, list[Axis]]]:
    inner = Block(names=walk.survey.names)
    own = axes if axes_of(f) else [inner.axis(axis.extent, last=axis.last) for axis in axes]
    new = dict(zip(axes, own, strict=True))
    env = dict(f.captured)
    params = []
    for param, layout in zip(f.lam.params, layouts, strict=True):
        var = Var(walk.survey.names.fresh(param.name), type_of(param.type, layout))
        params.append(var)
        env[param.name] = virtual(inner, var, param.type, renamed(layout, new))
    result: Rep = yield walk.value(f.lam.body, env, inner)
    layout = layout_of(result)
    body: Term = yield term_of(walk, result, inner, layout)
    return Lam(tuple(params), inner.term(body), f.lam.name), layout, own


def chosen(walk: Walk, term: Cond, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """A choice, whose branches are indexed."""
    test = yield from walk.array(term.test, env, block)
    is_plain = is_first_order(term.type)
    branches = (term.then, term.other)
    if axes_of(test):
        if not is_plain or any(map(walk.survey.is_checked, branches)):
            alone: Any = yield split(walk, term, walk.mentioned(term, env), block)
            return selected(block, alone, key) if key else alone
        walk.say("build1-cond", term, term)
        both: list[Rep] = []
        for branch in branches:
            both.append((yield walk.value(branch, env, block, key)))
        return tensorwise(
            block, lambda _, *xs: pointwise(block, "where", (test, *xs)), both[0].type, *both
        )
    captured = {var.name: prepared(block, env[var.name]) for var in walk.survey.captured[id(term)]}
    if not is_plain and any(map(axes_of, captured.values())):
        return (yield from split(walk, term, walk.mentioned(term, env), block))
    inner = [Block(names=walk.survey.names), Block(names=walk.survey.names)]
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
    operands = [Var(walk.survey.names.fresh("x"), rep.type) for rep in reps]
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
    inner = Block(names=walk.survey.names)
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
