"""``map (λx. t) xs`` is ``build1 k (λi. t[index xs [i]/x])``: its index is an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.bulk import calls, fission, indexing
from combinators.bulk.block import Axis, Block
from combinators.bulk.borders import is_first_order, parts_of, rows_of, virtual
from combinators.bulk.masking import Index, Key, without
from combinators.bulk.selecting import selected
from combinators.bulk.values import (
    Affine,
    Array,
    Closure,
    Group,
    Label,
    Product,
    Rep,
    Tensors,
    axes_of,
    relabelled,
)
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor
from combinators.rows import length_of, stack_of
from combinators.terms import Prim, Term, Var

if TYPE_CHECKING:
    from combinators.bulk.evaluation import Env, Evaluation


def mapped(walk: Evaluation, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """The values of a map, whose axis is the first of its own."""
    f: Rep = yield walk.value(term.args[0], env, block)
    xs: Rep = yield walk.value(term.args[1], env, block)
    if not (isinstance(f, Closure) and is_first_order(term.type) and is_first_order(xs.type)):
        as_it_is: Rep = yield kept(walk, term, [f, xs], block)
        return as_it_is
    if axes_of(f) or axes_of(xs):
        walk.say("build1-build1", term, f.lam.body)
    axis = block.axis(length_of(xs.type))
    row = rows_of(block, xs, lambda stack: _row(block, stack, axis))
    if _is_used_again(walk, term.args[0], f):
        result: Rep = yield calls.called(walk, f, row, block)
    else:
        result = yield body(walk, f, row, block)
    if walk.trace is not None:
        _tell(walk, f, result, axis)
    return _stacked(block, result, axis, term.type)


def _is_used_again(walk: Evaluation, function: Term, f: Closure) -> bool:
    """Whether the λ stands in other places too: then it is made bulk once, and called."""
    again = isinstance(function, Var) and walk.survey.uses[function.name] > 1
    return again or walk.survey.references[id(f.lam)] > 1


def _tell(walk: Evaluation, f: Closure, result: Rep, axis: Axis) -> None:
    """The end of a build whose body is its index, or does not use it."""
    if isinstance(result, Affine) and dict(result.slopes) == {axis: 1} and not result.offset:
        walk.say("build1-itself", f.lam, f.lam.body)
    elif axis not in axes_of(result):
        walk.say("build1-invariant", f.lam, f.lam.body)


def element(
    walk: Evaluation, term: Prim, key: Key, env: Env, block: Block
) -> Recursive[Rep | None]:
    """A map that is indexed: only the row that is asked for, or what is asked for of each."""
    f: Rep = yield walk.value(term.args[0], env, block)
    known = isinstance(f, Closure) and len(f.lam.params) == 1
    if not known or not is_first_order(term.args[1].type):
        return None
    assert isinstance(f, Closure)
    assert isinstance(term.type, Tensor)
    xs: Rep = yield walk.value(term.args[1], env, block)
    walk.say("index-build1", term, f.lam.body)
    axis = block.axis(length_of(xs.type))
    at = key.get(0, Index(Affine(0, {axis: 1}, Tensor((), "int64"))))
    inner = dict(f.captured)
    inner[f.lam.params[0].name] = rows_of(block, xs, lambda x: selected(block, x, {0: at}))
    below = {axis - 1: index for axis, index in key.items() if axis}
    result: Rep = yield indexing.indexed(walk, f.lam.body, below, inner, block)
    return result if 0 in key else _stacked(block, result, axis, without(term.type, key))


def kept(walk: Evaluation, term: Prim, reps: list[Rep], block: Block) -> Recursive[Rep]:
    """A map of an unknown function, or over or to functions, stays."""
    if any(axes_of(rep) for rep in reps):
        split: Rep = yield fission.split_line(walk, term, reps, block)
        return split
    walk.has_split = True
    args = []
    for rep in reps:
        args.append((yield walk.written_out(rep, block)))
    return virtual(block, block.operate(term.operation, *args, place=term.place), term.type)


def body(walk: Evaluation, f: Closure, argument: Rep, block: Block) -> Recursive[Rep]:
    """The body of a known function, written here."""
    params = f.lam.params
    parts = (argument,) if len(params) == 1 else parts_of(block, argument)
    env = dict(f.captured)
    env.update({param.name: part for param, part in zip(params, parts, strict=True)})
    result: Rep = yield walk.value(f.lam.body, env, block)
    return result


def _row(block: Block, stack: Tensors, axis: Axis) -> Rep:
    index = Affine(0, {axis: 1}, Tensor((), "int64"))
    return selected(block, stack, {0: Index(index)})


def _stacked(block: Block, rep: Rep, axis: Axis, obj: Object) -> Rep:
    """The end of a build: its axis is the first own axis."""
    if isinstance(rep, Array | Affine | Product):
        assert isinstance(obj, Tensor)
        moved: dict[Label, Label] = {own: own + 1 for own in range(len(rep.type.shape))}
        return relabelled(rep, {**moved, axis: 0}, obj)
    parts = tuple(
        _stacked(block, part, axis, stack_of(part.type, axis.extent))
        for part in parts_of(block, rep)
    )
    return Group(parts, getattr(obj, "names", None), obj)
