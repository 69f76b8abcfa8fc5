"""The walk: each term is looked at once, inside all the builds around it at once.

A term has a value, which is what it stands for at every index of those builds. A ``map`` adds an
axis, and its body is walked over in the same block: what a body does not take from its index is
computed once, before. Innermost builds end first, since the end of a build only changes labels.

    build 5 (λi. let y = sin u[0] in y * v[i])               v : Tensor[5]
    u[0] → no labels; sin u[0] → a line, no labels; v[i] → v with (i,)
    y * v[i] → a product with (i,); the end of the build → with (0,): sin u[0] * v

The measure that decreases: the nodes that are still below a ``map`` or an index. A clause takes
away the node that it is about and leaves its operands; none puts a node back, and a known function
is walked over once for each choice of batch axes. So the walk ends, after a number of steps that is
linear in the program, written out where a body is used in several maps.

An index goes down (Fig. 10 of 003), so that only what is asked for of a line is computed. One that
may lie outside is masked, once, where it is first met, since ``op`` of what reads 0 need not be 0.
A part of what is built is built alone: a window is a gather at affine indices, and a gather is a
build of indices (003, section 3.3):

    index (slice[start=1, step=2] (build 9 f)) [i]  ⇝  index (build 9 f) [1 + 2·i]  ⇝  f (1 + 2·i)
"""

from __future__ import annotations

import math
from typing import Any

from combinators.bulk.affine import (
    NO_KEY,
    Index,
    Key,
    arithmetic,
    index_of,
    masked,
    narrowed,
    number,
    of_constant,
    validity,
    without,
)
from combinators.bulk.batches import Closure, Deferred, Group, Rep, Whole, axes_of, is_of_tensors
from combinators.bulk.block import (
    Affine,
    Axis,
    Block,
    Label,
    Product,
    Tensors,
    own_labels,
    relabelled,
    rows_axis,
    shape_of,
)
from combinators.bulk.borders import rows_of, tensorwise, term_of, virtual
from combinators.bulk.calls import applied, bound, called, chosen, kept, looped
from combinators.bulk.clauses import as_builds, clause_of, gathered, indexing_of, of_operand, pushed
from combinators.bulk.equations import Site, changed
from combinators.bulk.selection import selected
from combinators.bulk.walk import Env, Walk, behind
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Int, Tensor
from combinators.primitives.contraction import MATMUL
from combinators.primitives.indexing import TAKE
from combinators.primitives.loops import LOOP, is_map
from combinators.primitives.structural import PLUS, RECOMPUTE
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import length_of


def rewritten(lam: Lam, walk: Evaluation) -> Lam:
    """The closed λ ``lam``, each line of it in bulk."""
    block = Block(names=walk.names)
    env: Env = {param.name: virtual(block, param, param.type) for param in lam.params}
    result: Rep = recurse(walk.value(lam.body, env, block))
    body: Term = recurse(term_of(walk, result, block))
    return Lam(lam.params, block.term(body), lam.name)


class Evaluation(Walk):
    """One walk over one program."""

    def value(self, term: Term, env: Env, block: Block, key: Key = NO_KEY) -> Recursive[Rep]:
        """What ``index term key`` stands for."""
        term, env = behind(term, env)
        self.steps += not key
        match term:
            case Let():
                if key:
                    self.say("index-let", term, term.body)
                return (yield from self._let(term, key, env, block))
            case Cond():
                if key:
                    self.say("index-cond", term, term)
                return (yield from chosen(self, term, key, env, block))
            case App():
                return (yield from applied(self, term, env, block, key))
            case Prim():
                return (yield from self._operation(term, key, env, block))
            case _ if key:
                return (yield from self.read(term, key, env, block))
            case Var(name):
                return env[name]
            case Const():
                return of_constant(term)
            case Lam():
                captured = {var.name: env[var.name] for var in self.captured[id(term)]}
                return Closure(term, captured, term.type)
            case Tuple(items):
                parts: list[Rep] = []
                for item in items:
                    parts.append((yield self.value(item, env, block)))
                return Group(tuple(parts), term.type)
            case Proj(index, product):
                rep: Rep = yield self.value(product, env, block)
                if isinstance(rep, Group):
                    return rep.parts[index]
                if isinstance(rep, Whole) and not rep.labels:
                    return virtual(block, block.bind(Proj(index, rep.term), "p"), term.type)
                return (yield from kept(self, term, [rep], block))
        raise AssertionError(term)

    def _let(self, term: Let, key: Key, env: Env, block: Block) -> Recursive[Rep]:
        """Lets, the last of which is indexed; names mean what they meant before, afterwards."""
        before: list[tuple[str, Rep | None]] = []
        body: Term = term
        while isinstance(body, Let):
            for var, line in body.bindings:
                before.append((var.name, env.get(var.name)))
                if id(line) in self.deferred:
                    env[var.name] = Deferred(line, self.mentioned(line, env), line.type)
                    continue
                rep: Rep = yield self.value(line, env, block)
                if self.trace is not None and axes_of(rep):
                    self.say("build1-let", var, var)
                if isinstance(rep, Product) and self.uses[var.name] > 1:
                    rep = block.array(rep)  # a product that is used again is multiplied
                env[var.name] = rep
            body = body.body
        result: Rep = yield self.value(body, env, block, key)
        for name, rep_before in reversed(before):
            if rep_before is None:
                del env[name]
            else:
                env[name] = rep_before
        return result

    def _operation(self, term: Prim, key: Key, env: Env, block: Block) -> Recursive[Rep]:
        primitive = term.operation.primitive
        if is_map(term):
            return mapped(self, term, env, block, key)
        if primitive is TAKE:
            return taken(self, term, key, env, block)
        if primitive.name == "slice" and (key or is_part(self, term, env)):
            self.say(
                *(("index-slice", term, term) if key else ("gather-build1", term, term.args[0]))
            )
            return window(self, term, key, env, block)
        if key:
            return indexed_line(self, term, key, env, block)
        if primitive is LOOP:
            return looped(self, term, env, block)
        if primitive is RECOMPUTE.primitive:
            return applied(self, term, env, block)
        return self._line(term, env, block)

    def _line(self, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
        """An operation on what its operands stand for: by its clause, or else as it is."""
        if term.operation.name == "iota":
            assert isinstance(term.type, Tensor)
            return Affine(0, {0: 1}, term.type)
        reps: list[Any] = []
        for arg in term.args:
            reps.append((yield self.value(arg, env, block)))
        if term.operation == PLUS.plain and (whole := added(block, *reps)) is not None:
            return whole
        clause = clause_of(term.operation.primitive)
        lines = len(block.lines)
        if clause is not None and all(isinstance(rep, Tensors) for rep in reps):
            made = clause.carry(Site(block, term.operation, reps, term.place))
            if made is not None:
                if self.trace is not None and any(map(axes_of, reps)):
                    new = [line for _, line in block.lines[lines:]]
                    multiplied = any(getattr(x, "operation", None) == MATMUL.plain for x in new)
                    is_sum = clause.equation == "build1-sumOuter"
                    told = "sum-product" if is_sum and multiplied else clause.equation
                    self.say(told, term, new[-1] if new else term)
                return made
        return (yield from kept(self, term, reps, block))


def added(block: Block, x: Rep, y: Rep) -> Rep | None:
    """The sum of two cotangents of a product, by components; None of others."""
    if not isinstance(x, Group) or not isinstance(y, Group):
        return None
    parts: list[Rep] = []
    for pair in zip(x.parts, y.parts, strict=True):
        clause = clause_of(PLUS)
        if all(isinstance(part, Tensors) for part in pair) and clause is not None:
            found: Rep | None = clause.carry(Site(block, PLUS.plain, list(pair), None))
        else:
            found = added(block, *pair)
        if found is None:
            return None
        parts.append(found)
    return Group(tuple(parts), x.type)


# ---- builds, and what is asked of them ----------------------------------------------------------

DEARER = 4
"""An element that is asked for alone, and may lie outside, costs so much more than one of many."""


def is_part(walk: Walk, term: Prim, env: Env) -> bool:
    """Whether a window or a gather asks for less than is built right there, and nothing raises."""
    x, _ = behind(term.args[0], env)
    is_less = math.prod(shape_of(term)) < math.prod(shape_of(x))
    return is_less and walk.is_built(x) and walk.is_compound(x)


def indexed_line(walk: Walk, term: Prim, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """An operation, of which only ``key`` is asked."""
    clause, equation = clause_of(term.operation.primitive), indexing_of(term.operation.primitive)
    made = pushed(block, term, key) if equation else None
    if made is None or equation is None or clause is None:
        return (yield from walk.read(term, key, env, block))
    walk.say(equation, term, term)
    reps, (keys, left) = [], made
    for arg, inner in zip(term.args, keys, strict=True):
        reps.append((yield walk.value(arg, env, block, inner)))
    assert isinstance(term.type, Tensor)
    shape = narrowed(term.type, key).shape
    operation = changed(term.operation, {"shape": shape})
    done = clause.carry(Site(block, operation, reps, term.place))
    assert isinstance(done, Tensors)
    return selected(block, done, left) if left else done


def window(walk: Walk, term: Prim, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """``start + step · i``, an index of the whole; what is left of the window is cut out of it."""
    x, known = term.args[0], term.operation.keywords
    inner: dict[int, Index] = {}
    moved: dict[Label, Label] = {}
    rows = zip(known["start"], known["step"], known["extent"], shape_of(x), strict=True)
    for axis, (start, step, extent, whole) in enumerate(rows):
        if axis in key:
            stretched = arithmetic(block, "multiply", key[axis].at, number(step))
            at = arithmetic(block, "add", stretched, number(start))
        elif (start, step, extent) == (0, 1, whole):
            continue
        elif extent == 1:
            at = number(start)
        else:
            label = Axis(extent)
            moved[label] = axis
            at = Affine(start, {label: step}, Int)
        inner[axis] = Index(at, sure=True)
    found = yield from walk.array(x, env, block, inner)
    extents = Tensor(known["extent"], found.type.dtype)
    return relabelled(found, moved, narrowed(extents, key))


def taken(walk: Walk, term: Prim, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """``index`` where no index has an axis of its own, and a gather else.

    A gather at the same index everywhere is ``replicate sh (index t ix)``, and an index of an index
    is one index. What the inner one reads outside is 0, by a mask.
    """
    assert isinstance(term.type, Tensor)
    x, *tables = term.args
    axis, out = term.operation.keywords["axis"], narrowed(term.type, key)
    rows = range(axis, axis + len(out.shape) - len(shape_of(x)) + len(tables))
    of_rows = {a - axis: index for a, index in key.items() if a in rows}
    of_x = {
        a if a < axis else a - len(rows) + len(tables): index
        for a, index in key.items()
        if a not in rows
    }
    reps: list[Tensors] = []
    for table in tables:
        inner = of_operand(of_rows, shape_of(table), term.type.shape[axis : rows.stop])
        reps.append((yield walk.value(table, env, block, inner)))
    scalars = not any(isinstance(label, int) for rep in reps for label in rep.labels)
    is_index = bool(key) and not rows
    if key:
        walk.say("index-index" if is_index else "index-gather", term, term)
    if not is_index and (key or not _is_pushed(walk, term, reps, env, scalars=scalars)):
        if scalars and not key and not any(map(axes_of, reps)):
            walk.indexed.append(x)
        found = yield from walk.array(x, env, block, of_x)
        lines = len(block.lines)
        result = gathered(Site(block, term.operation, [found, *reps], term.place))
        if not key and walk.trace is not None and any(map(axes_of, (found, *reps))):
            _tell(walk, term, block, lines, scalars=scalars)
        return result
    if not scalars:
        walk.say("gather-build1", term, x)
    asked, moved = as_builds(block, axis, reps, out)
    obj = x.type
    assert isinstance(obj, Tensor)
    valid = validity(block, asked, obj)
    if valid is not None:
        asked = {at: Index(index.at, sure=True) for at, index in asked.items()}
    part = yield from walk.array(x, env, block, {**asked, **of_x})
    return relabelled(masked(block, part, valid), moved, out)


def _is_pushed(walk: Walk, term: Prim, indices: list[Tensors], env: Env, *, scalars: bool) -> bool:
    """Whether an index goes down: what all indices of a build share is computed once instead.

    Not if the builds around it ask for fewer elements than are built right there.
    """
    axes = {axis for index in indices for axis in axes_of(index)}
    if not scalars:
        return not axes and is_part(walk, term, env)
    x, where = behind(term.args[0], env)
    if not walk.is_compound(x):
        return False
    if not axes or any(map(axes_of, walk.mentioned(x, where).values())):
        return True
    axis = term.operation.keywords["axis"]
    whole = math.prod(shape_of(x)[axis : axis + len(indices)])
    return walk.is_built(x) and 0 < DEARER * math.prod(a.extent for a in axes) <= whole


def _tell(walk: Walk, term: Prim, block: Block, lines: int, *, scalars: bool) -> None:
    """Which equation of Figure 11 it was; a gather at affine indices has no table."""
    new = [line for _, line in block.lines[lines:]]
    x = term.args[0]
    head = getattr(getattr(x, "operation", None), "name", "")
    name = {"concatenate": "stack", "put": "scatter"}.get(head, "variable")
    equation = f"build1-index-{'constant' if isinstance(x, Const) else name}"
    if not any(isinstance(line, Prim) and line.operation.name == "take" for line in new):
        equation = "gather-affine"
    elif not scalars:
        equation = "build1-gather"
    walk.say(equation, term, new[-1] if new else term)


def mapped(walk: Walk, term: Prim, env: Env, block: Block, key: Key = NO_KEY) -> Recursive[Rep]:
    """The values of a map, whose axis is the first of its own, or what ``key`` asks of them.

    A map of an unknown function, or over or to functions, stays.
    """
    f: Rep = yield walk.value(term.args[0], env, block)
    xs = term.args[1]
    is_of_arrays = is_of_tensors(term.type) and is_of_tensors(xs.type)
    # What may not end is computed for a row, and not where there is none.
    if is_of_arrays and isinstance(f, Closure) and id(f.lam) in walk.checked:
        is_of_arrays = length_of(xs.type) > 0
    if not isinstance(f, Closure) or not is_of_arrays:
        if key:
            return (yield from walk.read(term, key, env, block))
        walk.has_split = True
        stacks: Rep = yield walk.value(xs, env, block)
        return (yield from kept(walk, term, [f, stacks], block))
    axis = rows_axis(length_of(xs.type), walk.widest[id(f.lam)])
    row: Rep = yield _row(walk, xs, key.get(0, Index(index_of(axis))), env, block)
    if key:
        walk.say("index-build1", term, f.lam.body)
    elif axes_of(f) | axes_of(row) > {axis}:
        walk.say("build1-build1", term, f.lam.body)
    below = {number - 1: index for number, index in key.items() if number}
    result: Rep
    if walk.is_used_again(term.args[0], f.lam):
        result = yield called(walk, f, row, block)
        if below:
            assert isinstance(result, Tensors)
            result = selected(block, result, below)
    else:
        result = yield walk.value(f.lam.body, bound(f, row, block), block, below)
    if 0 not in key:
        if isinstance(result, Affine) and dict(result.slopes) == {axis: 1} and not result.offset:
            walk.say("build1-itself", f.lam, f.lam.body)
        elif walk.trace is not None and axis not in axes_of(result):
            walk.say("build1-invariant", f.lam, f.lam.body)

    def stacked(stack: Tensor, row: Tensors) -> Rep:
        """The end of a build: its axis is the first own axis."""
        own = {label: label + 1 for label in own_labels(row.type)}
        return relabelled(row, {**own, axis: 0}, narrowed(stack, key))

    return tensorwise(block, stacked, term.type, result)


def _row(walk: Walk, xs: Term, at: Index, env: Env, block: Block) -> Recursive[Rep]:
    """A row of what is mapped over; if that is compound, and few rows are asked for, no others."""
    count, (inside, _) = math.prod(axis.extent for axis in axes_of(at.at)), behind(xs, env)
    is_open = walk.is_compound(inside) and id(inside) not in walk.checked
    if is_open and isinstance(xs.type, Tensor) and count < xs.type.shape[0]:
        return without((yield from walk.array(xs, env, block, {0: at})), {0: at})
    stacks: Rep = yield walk.value(xs, env, block)
    return rows_of(block, stacks, at)
