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
"""

from __future__ import annotations

from typing import Any

from combinators.bulk.affine import NO_KEY, Key, of_constant
from combinators.bulk.batches import Closure, Deferred, Group, Rep, Whole, axes_of
from combinators.bulk.block import Affine, Block, Product, Tensors
from combinators.bulk.borders import term_of, virtual
from combinators.bulk.builds import indexed_line, is_part, mapped, taken, window
from combinators.bulk.calls import applied, chosen, kept, looped
from combinators.bulk.clauses import clause_of
from combinators.bulk.equations import Site
from combinators.bulk.walk import Env, Walk, behind, has_map
from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Tensor
from combinators.primitives.contraction import MATMUL
from combinators.primitives.indexing import TAKE
from combinators.primitives.loops import LOOP, is_map
from combinators.primitives.structural import RECOMPUTE
from combinators.simplify import simplify
from combinators.simplify.rule import Trace
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var

PASSES = 3
"""A scan that carries nothing becomes a map when it is simplified, and so in bulk the next time."""


def bulk(lam: Lam, *, trace: Trace | None = None) -> Lam:
    """The closed λ ``lam`` with bulk operations for its maps; itself where it has none.

    ``trace`` is called whenever an equation is used. Nothing is refused: what has no bulk form
    stays in a map of its own. Raises ``UnboundVariable`` for a λ that captures.
    """
    with uncollected():
        for _ in range(PASSES):
            if not has_map(lam):
                break
            walk = Evaluation(lam, trace)
            lam = simplify(rewritten(lam, walk))
            if walk.has_split:
                break
        return lam


def rewritten(lam: Lam, walk: Evaluation) -> Lam:
    """The closed λ ``lam``, each line of it in bulk."""
    block = Block(names=walk.survey.names)
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
                captured = {var.name: env[var.name] for var in self.survey.captured[id(term)]}
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
                if id(line) in self.survey.deferred:
                    env[var.name] = Deferred(line, self.mentioned(line, env), line.type)
                    continue
                rep: Rep = yield self.value(line, env, block)
                if self.trace is not None and axes_of(rep):
                    self.say("build1-let", var, var)
                if isinstance(rep, Product) and self.survey.uses[var.name] > 1:
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
