"""The walk: each term is looked at once, inside all the builds around it at once.

A term has a value, which is what it stands for at every index of those builds. A ``map`` adds an
axis, and its body is walked over in the same block: what a body does not take from its index is
computed once, before. Innermost builds end first, since the end of a build only changes labels.

The measure that decreases: the nodes that are still below a ``map`` or an index. A rule takes away
the node that it is about and leaves its operands; none puts a node back, and a known function is
walked over once for each choice of batch axes. So the walk ends, after a number of steps that is
linear in the program, written out where a body is used in several maps.
"""

from __future__ import annotations

from typing import Any

from combinators.bulk import calls, choices, fission, indexing, loops, maps, narrowing
from combinators.bulk.affine import of_constant, positions
from combinators.bulk.block import Block
from combinators.bulk.borders import Layout, parts_of, virtual
from combinators.bulk.elementwise import is_elementwise
from combinators.bulk.laying import forced, laid, own_axes, whole
from combinators.bulk.masking import Key
from combinators.bulk.rule import Site
from combinators.bulk.survey import Survey
from combinators.bulk.tables import BUILD, OP
from combinators.bulk.values import (
    Affine,
    Array,
    Closure,
    Group,
    Product,
    Rep,
    Tensors,
    Whole,
    axes_of,
)
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Tensor
from combinators.primitives.loops import FOLD, MAP, RECOMPUTE, SCAN
from combinators.simplify.rule import Fired, Trace
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var

Env = dict[str, Rep]
"""What the variables stand for."""


class Evaluation:
    """One walk over one program."""

    def __init__(self, lam: Lam, trace: Trace | None) -> None:
        """Of a closed λ."""
        self.survey = Survey(lam)
        self.trace = trace
        self.steps = 0
        """How many terms have been looked at."""
        self.has_split = False
        """Whether something stays in a map of its own."""
        self.indexed: list[Term] = []
        """What an index was left in front of."""
        self.written: dict[Any, Any] = {}
        self.called: dict[Any, Any] = {}

    # Values.

    def value(self, term: Term, env: Env, block: Block) -> Recursive[Rep]:
        """What ``term`` stands for."""
        self.steps += 1
        match term:
            case Let():
                return self.let(term, {}, env, block)
            case Tuple():
                return self._tuple(term, env, block)
            case Proj():
                return self._component(term, env, block)
            case App():
                return calls.applied(self, term, env, block)
            case Cond():
                return choices.chosen(self, term, {}, env, block)
            case Prim():
                return self._operation(term, env, block)
            case _:
                return self._atom(term, env)

    def _atom(self, term: Term, env: Env) -> Recursive[Rep]:
        if isinstance(term, Var):
            return env[term.name]
        if isinstance(term, Const):
            return of_constant(term)
        assert isinstance(term, Lam)
        captured = {var.name: env[var.name] for var in self.survey.captured[id(term)]}
        return Closure(term, captured, term.type)
        yield

    def _tuple(self, term: Tuple, env: Env, block: Block) -> Recursive[Rep]:
        parts = []
        for item in term.items:
            parts.append((yield self.value(item, env, block)))
        return Group(tuple(parts), term.type)

    def _component(self, term: Proj, env: Env, block: Block) -> Recursive[Rep]:
        rep: Rep = yield self.value(term.product, env, block)
        if isinstance(rep, Group):
            return rep.parts[term.index]
        if isinstance(rep, Whole):
            return virtual(block, block.bind(Proj(term.index, rep.term), "p"), term.type)
        split: Rep = yield fission.split_line(self, term, [rep], block)
        return split

    def let(self, term: Let, key: Key, env: Env, block: Block) -> Recursive[Rep]:
        """Lets, the last of which is indexed; names mean what they meant before, afterwards."""
        before: list[tuple[str, Rep | None]] = []
        body: Term = term
        while isinstance(body, Let):
            for var, bound in body.bindings:
                rep: Rep = yield self.value(bound, env, block)
                before.append((var.name, env.get(var.name)))
                env[var.name] = self._named(var, rep, block)
            body = body.body
        result: Rep = yield indexing.indexed(self, body, key, env, block)
        for name, rep_before in reversed(before):
            if rep_before is None:
                del env[name]
            else:
                env[name] = rep_before
        return result

    def _named(self, var: Var, rep: Rep, block: Block) -> Rep:
        """A product that is used again is multiplied."""
        if self.trace is not None and axes_of(rep):
            self.say("build1-let", var, var)
        if isinstance(rep, Product) and self.survey.uses[var.name] > 1:
            return forced(block, rep)
        return rep

    # Operations.

    def _operation(self, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
        primitive, name = term.operation.primitive, term.operation.name
        if primitive is MAP.primitive:
            return maps.mapped(self, term, env, block)
        if primitive in (FOLD.primitive, SCAN.primitive):
            return loops.looped(self, term, env, block)
        if primitive is RECOMPUTE.primitive:
            return calls.recomputed(self, term, env, block)
        if name == "take":
            return indexing.taken(self, term, env, block)
        if name == "slice" and narrowing.is_part(self, term):
            return narrowing.cut(self, term, env, block)
        return self._line(term, env, block)

    def _line(self, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
        if term.operation.name == "iota":
            assert isinstance(term.type, Tensor)
            return positions(term.type)
        reps = []
        for arg in term.args:
            reps.append((yield self.value(arg, env, block)))
        result: Rep = yield self.applied(term, reps, block)
        return result

    def applied(self, term: Prim, reps: list[Rep], block: Block) -> Recursive[Rep]:
        """An operation on what its operands stand for."""
        made = self._by_rule(term, reps, block)
        if made is not None:
            return made
        result: Rep = yield self.kept(term, reps, block)
        return result

    def kept(self, term: Prim, reps: list[Rep], block: Block) -> Recursive[Rep]:
        """An operation as it is; in a map of its own where it depends on an index."""
        if any(axes_of(rep) for rep in reps):
            split: Rep = yield fission.split_line(self, term, reps, block)
            return split
        args = []
        for rep in reps:
            args.append((yield self.written_out(rep, block)))
        return virtual(block, block.operate(term.operation, *args, place=term.place), term.type)

    def _by_rule(self, term: Prim, reps: list[Rep], block: Block) -> Rep | None:
        rule = BUILD.get(term.operation.name)
        if rule is None and is_elementwise(term.operation.primitive):
            rule = OP
        if rule is None or not all(isinstance(rep, Tensors) for rep in reps):
            return None
        lines = len(block.lines)
        made = rule.carry(Site(block, term.operation, reps, term.place))
        if made is not None and self.trace is not None and any(axes_of(rep) for rep in reps):
            new = [line for _, line in block.lines[lines:]]
            self.say(_told(rule.name, new), term, new[-1] if new else term)
        return made

    # What terms mention.

    def axes_in(self, term: Term, env: Env) -> set[Any]:
        """The batch axes of what a term mentions."""
        reps = [env[name] for name in self.mentioned(term) if name in env]
        return {axis for rep in reps for axis in axes_of(rep)}

    def mentioned(self, term: Term) -> set[str]:
        """The names of variables in a term: those that it captures, and some that it binds."""
        found: set[str] = set()
        todo = [term]
        while todo:
            here = todo.pop()
            if isinstance(here, Var):
                found.add(here.name)
            elif isinstance(here, Lam | Cond):
                todo += self.survey.captured[id(here)]
                todo += [here.test] if isinstance(here, Cond) else []
            else:
                todo += here.below()
        return found

    # Values as terms.

    def written_out(self, rep: Rep, block: Block) -> Recursive[Term]:
        """A value without batch axes as a term."""
        match rep:
            case Array() | Affine() | Product():
                return whole(block, forced(block, rep))
            case Group(parts):
                items = []
                for part in parts:
                    items.append((yield self.written_out(part, block)))
                return Tuple(tuple(items), rep.names)
            case Closure():
                function: Term = yield calls.written(self, rep, block)
                return function
            case _:
                return rep.term

    def over(self, rep: Rep, layout: Layout, block: Block) -> Recursive[Term]:
        """A value as one term with these batch axes."""
        if layout is None:
            alone: Term = yield self.written_out(rep, block)
            return alone
        if isinstance(layout, list):
            items = []
            for part, below in zip(parts_of(block, rep), layout, strict=True):
                items.append((yield self.over(part, below, block)))
            return Tuple(tuple(items), getattr(rep.type, "names", None))
        assert isinstance(rep, Tensors)
        array = forced(block, rep)
        return laid(block, array, (*layout, *own_axes(array.type)), full=True)

    def say(self, rule: str, before: Term, after: Term) -> None:
        """Note that a rule has fired."""
        if self.trace is not None:
            self.trace(Fired(rule, before, after, "", getattr(before, "place", None)))


def rewritten(lam: Lam, walk: Evaluation) -> Lam:
    """The closed λ ``lam``, each line of it in bulk."""
    block = Block(names=walk.survey.names)
    env: Env = {param.name: virtual(block, param, param.type) for param in lam.params}
    result: Rep = recurse(walk.value(lam.body, env, block))
    body: Term = recurse(walk.written_out(result, block))
    return Lam(lam.params, block.term(body), lam.name)


def _told(rule: str, new: list[Term]) -> str:
    """What has fired: a sum that became a matrix product is told as one."""
    products = (isinstance(line, Prim) and line.operation.name == "matmul" for line in new)
    return "sum-product" if rule == "build1-sumOuter" and any(products) else rule
