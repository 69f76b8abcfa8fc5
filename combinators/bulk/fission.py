"""Fission: what has no bulk form stays in a map of its own; the lines before and after are bulk.

    map (λx. sin (f (x * x))) xs                     f unknown
    ⇝  let y = map f (xs * xs) in sin y

That are calls of unknown functions, ``with_derivative``, primitives of others that say nothing of
their rows, and functions that depend on an index. The line's operands become the arrays that a map
runs over, one map for each build that any of them depends on; what depends on none is captured.
"""

from __future__ import annotations

from combinators.block import remade
from combinators.bulk.block import Axis, Block
from combinators.bulk.borders import term_of, virtual
from combinators.bulk.rowing import Columns
from combinators.bulk.values import Array, Group, Rep, Rows, axes_of, place_of
from combinators.bulk.walk import Env, Walk
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Product, Tensor, components
from combinators.primitives.loops import MAP
from combinators.terms import Lam, Prim, Proj, Term, Var


def kept(walk: Walk, term: Term, reps: list[Rep], block: Block) -> Recursive[Rep]:
    """A line as it is; in a map of its own where its operands depend on an index."""
    if any(axes_of(rep) for rep in reps):
        apart: Rep = yield split_line(walk, term, reps, block)
        return apart
    args = []
    for rep in reps:
        args.append((yield term_of(walk, rep, block)))
    return virtual(block, block.bind(remade(term, tuple(args)) if args else term), term.type)


def split_line(walk: Walk, term: Term, reps: list[Rep], block: Block) -> Recursive[Rep]:
    """A line whose operands are known."""
    env: dict[str, Rep] = {}
    names = []
    for rep in reps:
        var = Var(walk.survey.names.fresh("x"), rep.type)
        env[var.name] = rep
        names.append(var)
    found: Rep = yield _split(walk, remade(term, tuple(names)), env, block)
    return found


def split(walk: Walk, term: Term, env: Env, block: Block) -> Recursive[Rep]:
    """A term, at each index of the builds that it depends on."""
    mentioned = {name: env[name] for name in walk.mentioned(term) if name in env}
    found: Rep = yield _split(walk, term, mentioned, block)
    return found


def _split(walk: Walk, term: Term, env: Env, block: Block) -> Recursive[Rep]:
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
        result: Term = yield term_of(walk, rep, block)
        return result
    columns = Columns(block, axes[0].extent, axes[0])
    for rep in env.values():
        columns.add(rep)
    inner = Block(names=walk.survey.names)
    whole = Group(tuple(env.values()), Product(*[rep.type for rep in env.values()]))
    param, rows = columns.parameter(inner, whole)
    assert isinstance(rows, Group)
    below = dict(zip(env, rows.parts, strict=True))
    body: Term = yield _nested(walk, term, below, axes[1:], inner)
    lam = Lam((param,), inner.term(body))
    return block.bind(Prim(MAP, (lam, columns.operand()), getattr(term, "place", None)))


def lifted(block: Block, line: Term, obj: Object, axes: tuple[Axis, ...]) -> Rep:
    """What maps over ``axes`` gave."""
    product = components(obj)
    if isinstance(obj, Tensor):
        assert isinstance(line, Var)
        return Array(line, (*axes, *range(len(obj.shape))), obj)
    if product is None:
        return Rows(line, axes, obj)
    parts = tuple(
        lifted(block, block.bind(Proj(index, line)), part, axes)
        for index, part in enumerate(product.parts)
    )
    return Group(parts, obj)
