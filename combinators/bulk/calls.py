"""Applications of known functions: a λ is made bulk once for each choice of batch axes."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

from combinators.bulk import fission, maps
from combinators.bulk.block import Axis, Block
from combinators.bulk.borders import (
    Layout,
    key_of,
    layout_of,
    parts_of,
    renamed,
    type_of,
    virtual,
)
from combinators.bulk.laying import forced
from combinators.bulk.values import Affine, Array, Closure, Group, Product, Rep, axes_of, place_of
from combinators.errors import Place
from combinators.kit.recursion import Recursive
from combinators.terms import App, Lam, Prim, Term, Var, pack
from combinators.type_folds import is_first_order

if TYPE_CHECKING:
    from combinators.bulk.evaluation import Env, Evaluation


def applied(walk: Evaluation, term: App, env: Env, block: Block) -> Recursive[Rep]:
    """``f x``."""
    f: Rep = yield walk.value(term.function, env, block)
    argument: Rep = yield walk.value(term.argument, env, block)
    if isinstance(f, Closure):
        result: Rep = yield called(walk, f, argument, block, term.place)
        return result
    if axes_of(f) or axes_of(argument):
        split: Rep = yield fission.split_line(walk, term, [f, argument], block)
        return split
    parts = []
    for rep in (f, argument):
        parts.append((yield walk.written_out(rep, block)))
    return virtual(block, block.bind(App(parts[0], parts[1], term.place)), term.type)


def called(
    walk: Evaluation, f: Closure, argument: Rep, block: Block, place: Place | None = None
) -> Recursive[Rep]:
    """A known function at an argument; what takes or gives functions is written in place."""
    cod = f.lam.body.type
    if not axes_of(f) and not axes_of(argument):
        function: Term = yield written(walk, f, block)
        given: Term = yield walk.written_out(argument, block)
        return virtual(block, block.bind(App(function, given, place)), cod)
    if not is_first_order(cod) or not is_first_order(f.lam.dom):
        inlined: Rep = yield maps.body(walk, f, argument, block)
        return inlined
    walk.say("build1-app", f.lam, f.lam)
    lam, result, given = yield at_axes(walk, f, argument, block)
    return virtual(block, block.bind(App(lam, given, place)), cod, result)


def recomputed(walk: Evaluation, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """``recompute f x``, of a function made bulk."""
    f: Rep = yield walk.value(term.args[0], env, block)
    argument: Rep = yield walk.value(term.args[1], env, block)
    is_known = isinstance(f, Closure) and is_first_order(f.lam.dom) and is_first_order(term.type)
    if not is_known or not (axes_of(f) or axes_of(argument)):
        kept: Rep = yield walk.kept(term, [f, argument], block)
        return kept
    assert isinstance(f, Closure)
    lam, result, given = yield at_axes(walk, f, argument, block)
    line = block.operate(term.operation, lam, given, place=term.place)
    return virtual(block, line, term.type, result)


def at_axes(
    walk: Evaluation, f: Closure, argument: Rep, block: Block
) -> Recursive[tuple[Lam, Layout, Term]]:
    """The λ that takes ``argument`` at all indices, the layout of its result, and its argument."""
    params = f.lam.params
    parts = (argument,) if len(params) == 1 else parts_of(block, argument)
    layouts = [layout_of(part) for part in parts]
    given = []
    for part, layout in zip(parts, layouts, strict=True):
        given.append((yield walk.over(part, layout, block)))
    axes = sorted(axes_of(f) | axes_of(argument), key=place_of)
    f = _prepared(block, f)
    key: Any = _key(f, layouts, axes)
    if key not in walk.called:
        walk.called[key] = (f, *(yield _made(walk, f, layouts, axes)))
    _, lam, result, inner = walk.called[key]
    back = dict(zip(inner, axes, strict=True))
    return lam, renamed(result, back), pack(tuple(given))


def _key(f: Closure, layouts: list[Layout], axes: list[Axis]) -> Any:
    """What tells one bulk form of a λ from others: no more than extents, if none is captured."""
    known = id(f.lam), _captured(f)
    if axes_of(f):
        return *known, tuple(key_of(layout, id) for layout in layouts)
    extents = tuple(axis.extent for axis in axes)
    return *known, extents, tuple(key_of(layout, axes.index) for layout in layouts)


def _made(
    walk: Evaluation, f: Closure, layouts: list[Layout], axes: list[Axis]
) -> Recursive[tuple[Lam, Layout, list[Axis]]]:
    inner = Block(names=walk.survey.names)
    own = axes if axes_of(f) else [inner.axis(axis.extent) for axis in axes]
    new = dict(zip(axes, own, strict=True))
    env = dict(f.captured)
    params = []
    for param, layout in zip(f.lam.params, layouts, strict=True):
        var = Var(walk.survey.names.fresh(param.name), type_of(param.type, layout))
        params.append(var)
        env[param.name] = virtual(inner, var, param.type, renamed(layout, new))
    result: Rep = yield walk.value(f.lam.body, env, inner)
    layout = layout_of(result)
    body: Term = yield walk.over(result, layout, inner)
    return Lam(tuple(params), inner.term(body), f.lam.name), layout, own


def _captured(f: Closure) -> tuple[tuple[str, int], ...]:
    """What a function captures, by identity: what has been written before it."""
    return tuple(sorted((name, id(rep)) for name, rep in f.captured.items()))


def _prepared(block: Block, f: Closure) -> Closure:
    made = prepared(block, f)
    assert isinstance(made, Closure)
    return made


def ready(block: Block, f: Closure) -> dict[str, Rep]:
    """What a function captures; what was put off is written before the λ, not in it."""
    return {name: prepared(block, rep) for name, rep in f.captured.items()}


def prepared(block: Block, rep: Rep) -> Rep:
    """A value that a λ or a branch may capture."""
    match rep:
        case Product():
            return forced(block, rep)
        case Affine(offset, slopes, obj, made) if not made and _has_own(rep):
            return Affine(offset, slopes, obj, [forced(block, rep)])
        case Group(parts, obj):
            new = tuple(prepared(block, part) for part in parts)
            return rep if all(map(is_, new, parts)) else Group(new, obj)
        case Closure(lam, captured, obj):
            inner = ready(block, rep)
            is_same = all(inner[name] is captured[name] for name in inner)
            return rep if is_same else Closure(lam, inner, obj)
        case _:
            return rep


def _has_own(rep: Affine) -> bool:
    return any(isinstance(label, int) for label in rep.slopes)


def written(walk: Evaluation, f: Closure, block: Block) -> Recursive[Term]:
    """A function that depends on no index, as a λ: the same one, where there is nothing to do."""
    lam = f.lam
    if not walk.survey.is_mapped(lam) and all(_is_itself(*item) for item in f.captured.items()):
        return lam
    f = _prepared(block, f)
    key: Any = (id(lam), _captured(f))
    if key not in walk.written:
        inner = Block(names=walk.survey.names)
        env = dict(f.captured)
        env.update({param.name: virtual(inner, param, param.type) for param in lam.params})
        result: Rep = yield walk.value(lam.body, env, inner)
        body: Term = yield walk.written_out(result, inner)
        walk.written[key] = f, Lam(lam.params, inner.term(body), lam.name)
    made: Lam = walk.written[key][1]
    return made


def _is_itself(name: str, rep: Rep) -> bool:
    if isinstance(rep, Array):
        is_plain = rep.labels == tuple(range(len(rep.type.shape)))
        return is_plain and isinstance(rep.term, Var) and rep.term.name == name
    term = getattr(rep, "term", None)
    return isinstance(term, Var) and term.name == name
