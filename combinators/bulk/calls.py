"""Calls and choices: a known λ is made bulk once for each choice of batch axes, and called.

    f = λx. sin x * x                               build 5 (λi. f u[i] + f v[i])
    ⇝  f' = λx. sin x * x    (Real⁵ ⇒ Real⁵)       f' u + f' v

A ``cond`` is lazy where its test is the same at every index, and ``where`` of both branches else.
Both are computed then, as in 003, section 5.2, and everything is total. A branch that asks
something of its values, and raises, stays in a map of its own.
"""

from __future__ import annotations

from typing import Any

from combinators.bulk.affine import Key, without
from combinators.bulk.block import Axis, Block
from combinators.bulk.borders import (
    Layout,
    captured_key,
    function_term,
    joined,
    layout_of,
    parts_of,
    prepared,
    prepared_function,
    renamed,
    tensorwise,
    term_of,
    type_of,
    virtual,
)
from combinators.bulk.fission import kept, split
from combinators.bulk.indexing import is_compound
from combinators.bulk.selection import selected
from combinators.bulk.values import Array, Closure, Rep, axes_of, place_of, pointwise
from combinators.bulk.walk import Env, Walk
from combinators.errors import Place
from combinators.kit.recursion import Recursive
from combinators.objects import Tensor
from combinators.terms import App, Cond, Lam, Prim, Term, Var, pack
from combinators.type_folds import is_first_order


def applied(
    walk: Walk, term: App, env: Env, block: Block, key: Key | None = None
) -> Recursive[Rep]:
    """``f x``; what is asked of a build in a function that is called here only is built alone."""
    f: Rep = yield walk.value(term.function, env, block)
    if key:
        if isinstance(f, Closure) and is_compound(walk, term):
            given: Rep = yield walk.value(term.argument, env, block)
            part: Rep = yield walk.value(f.lam.body, bound(f, given, block), block, key)
            return part
        whole: Rep = yield walk.read(term, key, env, block)
        return whole
    argument: Rep = yield walk.value(term.argument, env, block)
    if isinstance(f, Closure):
        result: Rep = yield called(walk, f, argument, block, term.place)
    else:
        result = yield kept(walk, term, [f, argument], block)
    return result


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
    lam, result, given = yield at_axes(walk, f, argument, block)
    return virtual(block, block.bind(App(lam, given, place)), cod, result)


def bound(f: Closure, argument: Rep, block: Block) -> Env:
    """What the variables of a function stand for, at an argument."""
    params = f.lam.params
    parts = (argument,) if len(params) == 1 else parts_of(block, argument)
    names = (param.name for param in params)
    return {**f.captured, **dict(zip(names, parts, strict=True))}


def recomputed(walk: Walk, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """``recompute f x``, of a function made bulk."""
    f: Rep = yield walk.value(term.args[0], env, block)
    argument: Rep = yield walk.value(term.args[1], env, block)
    is_known = isinstance(f, Closure) and is_first_order(f.lam.dom) and is_first_order(term.type)
    if not is_known or not (axes_of(f) or axes_of(argument)):
        alone: Rep = yield kept(walk, term, [f, argument], block)
        return alone
    assert isinstance(f, Closure)
    lam, result, given = yield at_axes(walk, f, argument, block)
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
    f = prepared_function(block, f)
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
    test: Rep = yield walk.value(term.test, env, block)
    is_plain = is_first_order(term.type)
    if axes_of(test):
        checked = walk.survey.is_checked(term.then) or walk.survey.is_checked(term.other)
        if checked or not is_plain:
            alone: Any = yield split(walk, term, env, block)
            return selected(block, alone, key) if key else alone
        assert isinstance(test, Array)
        walk.say("build1-cond", term, term)
        both: list[Rep] = []
        for branch in (term.then, term.other):
            both.append((yield walk.value(branch, env, block, key)))
        return tensorwise(
            block, lambda _, *xs: pointwise(block, "where", (test, *xs)), both[0].type, *both
        )
    captured = {var.name: prepared(block, env[var.name]) for var in walk.survey.captured[id(term)]}
    if not is_plain and any(axes_of(rep) for rep in captured.values()):
        apart: Rep = yield split(walk, term, env, block)
        return apart
    obj = without(term.type, key) if isinstance(term.type, Tensor) and key else term.type
    inner = [Block(names=walk.survey.names), Block(names=walk.survey.names)]
    reps: list[Rep] = []
    for place, branch in zip(inner, (term.then, term.other), strict=True):
        reps.append((yield walk.value(branch, dict(captured), place, key)))
    layout = joined(layout_of(reps[0]), layout_of(reps[1]))
    closed: list[Term] = []
    for place, rep in zip(inner, reps, strict=True):
        result: Term = yield term_of(walk, rep, place, layout)
        closed.append(place.term(result))
    choice: Term = yield term_of(walk, test, block)
    line = block.bind(Cond(choice, closed[0], closed[1], term.place), "c")
    assert line.type is type_of(obj, layout)
    return virtual(block, line, obj, layout)
