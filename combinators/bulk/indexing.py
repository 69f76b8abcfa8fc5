"""Where an index goes down: a key that is used up where Figure 10 has no rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from combinators.bulk import choices, maps
from combinators.bulk.block import Block
from combinators.bulk.elementwise import is_elementwise
from combinators.bulk.figure11 import of_what
from combinators.bulk.gathering import as_scalar, gathered
from combinators.bulk.masking import Index, Key, masked, validity
from combinators.bulk.narrowing import is_compound, is_part
from combinators.bulk.rule import Pushed, Site
from combinators.bulk.selecting import selected
from combinators.bulk.tables import INDEX, INDEX_OP
from combinators.bulk.values import Label, Rep, Tensors, axes_of, relabelled
from combinators.kit.recursion import Recursive
from combinators.objects import Tensor
from combinators.primitives.indexing import TAKE
from combinators.primitives.loops import MAP
from combinators.terms import Cond, Let, Prim, Term

if TYPE_CHECKING:
    from combinators.bulk.evaluation import Env, Evaluation


def taken(walk: Evaluation, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """``index`` where no index has an axis of its own, and a gather else.

    A gather at the same index everywhere is ``replicate sh (index t ix)``.
    """
    x, *indices = term.args
    reps: list[Any] = []
    for index in indices:
        reps.append((yield walk.value(index, env, block)))
    rank = max(len(rep.type.shape) for rep in reps)
    tensors = all(isinstance(rep, Tensors) for rep in reps)
    scalars = tensors and not any(own(rep) for rep in reps)
    found: Any
    result: Rep
    if not tensors or not _is_pushed(walk, term, reps, env, scalars=scalars):
        if scalars and not any(axes_of(rep) for rep in reps):
            walk.indexed.append(x)
        found = yield walk.value(x, env, block)
        lines = len(block.lines)
        if not isinstance(found, Tensors):
            result = yield walk.applied(term, [found, *reps], block)
            return result
        result = gathered(Site(block, term.operation, [found, *reps], term.place))
        if axes_of(found) or any(axes_of(rep) for rep in reps):
            _tell(walk, term, block, lines, scalars=scalars)
        return result
    axis = term.operation.keywords["axis"]
    assert isinstance(x.type, Tensor)
    assert isinstance(term.type, Tensor)
    rows = term.type.shape[axis : axis + rank]
    temporary = [block.axis(extent) for extent in rows]
    if not scalars:
        walk.say("gather-build1", term, x)
    at_scalars = [as_scalar(block, rep, rows, temporary) for rep in reps]
    key = {axis + number: Index(rep) for number, rep in enumerate(at_scalars)}
    valid = validity(block, key, x.type)
    if valid is not None:
        key = {at: Index(index.at, sure=True) for at, index in key.items()}
    found = yield indexed(walk, x, key, env, block)
    if valid is not None:
        found = masked(block, found, valid)
    moved: dict[Label, Label] = {a: a + rank for a in range(axis, len(found.type.shape))}
    moved.update({label: axis + number for number, label in enumerate(temporary)})
    return relabelled(found, moved, term.type)


def own(rep: Tensors) -> tuple[Label, ...]:
    """The own axes that a value depends on."""
    return tuple(label for label in rep.labels if isinstance(label, int))


def indexed(walk: Evaluation, term: Term, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """What ``index term key`` stands for."""
    found: Rep
    if not key:
        found = yield walk.value(term, env, block)
        return found
    if isinstance(term, Let):
        walk.say("index-let", term, term.body)
        found = yield walk.let(term, key, env, block)
        return found
    if isinstance(term, Cond):
        walk.say("index-cond", term, term)
        found = yield choices.chosen(walk, term, key, env, block)
        return found
    if isinstance(term, Prim) and term.operation.primitive is MAP.primitive:
        one: Rep | None = yield maps.element(walk, term, key, env, block)
        if one is not None:
            return one
    elif _is_index(term):
        assert isinstance(term, Prim)
        found = yield _together(walk, term, key, env, block)
        return found
    elif isinstance(term, Prim):
        rule = INDEX.get(term.operation.name)
        if rule is None and is_elementwise(term.operation.primitive):
            rule = INDEX_OP
        made = rule.push(block, term, key) if rule is not None else None
        if rule is not None and made is not None:
            walk.say(rule.name, term, term)
            found = yield pushed(walk, made, env, block)
            return found
    walk.indexed.append(term)
    array: Any = yield walk.value(term, env, block)
    return selected(block, array, key)


def pushed(walk: Evaluation, made: Pushed, env: Env, block: Block) -> Recursive[Rep]:
    """What an index became: its operands are indexed."""
    reps = []
    for operand, key in made.operands:
        reps.append((yield indexed(walk, operand, key, env, block)))
    return made.combine(reps)


def _together(walk: Evaluation, term: Prim, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """An index of an index is one index; what the inner one reads outside is masked."""
    walk.say("index-index", term, term)
    x, *indices = term.args
    assert isinstance(x.type, Tensor)
    axis, count = term.operation.keywords["axis"], len(indices)
    inner: dict[int, Index] = {}
    for number, index in enumerate(indices):
        inner[axis + number] = Index((yield walk.value(index, env, block)))
    valid = validity(block, inner, x.type)
    both = {at: Index(index.at, sure=True) for at, index in inner.items()}
    both.update({at if at < axis else at + count: index for at, index in key.items()})
    found: Any = yield indexed(walk, x, both, env, block)
    return found if valid is None else masked(block, found, valid)


def _is_index(term: Term) -> bool:
    """Whether it is an index at scalars."""
    if not isinstance(term, Prim) or term.operation.primitive is not TAKE:
        return False
    return all(getattr(index.type, "shape", None) == () for index in term.args[1:])


def _is_pushed(
    walk: Evaluation, term: Prim, indices: list[Any], env: Env, *, scalars: bool
) -> bool:
    """Whether an index goes down: what all indices of a build share is computed once instead."""
    x = term.args[0]
    everywhere = not any(axes_of(index) for index in indices)
    if not scalars:
        return everywhere and is_part(walk, term)
    return is_compound(x) and (everywhere or bool(walk.axes_in(x, env)))


def _tell(walk: Evaluation, term: Prim, block: Block, lines: int, *, scalars: bool) -> None:
    """Which rule of Figure 11 has fired; a gather at affine indices has no table."""
    new = [line for _, line in block.lines[lines:]]
    has_table = any(isinstance(line, Prim) and line.operation.name == "take" for line in new)
    rule = of_what(term.args[0]) if scalars else "build1-gather"
    if not has_table:
        rule = "gather-affine"
    walk.say(rule, term, new[-1] if new else term)
