"""What all clauses of the evaluation share: the survey of the program, and the walk over it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import Any

from combinators.bulk.affine import NO_KEY, Key
from combinators.bulk.batches import Deferred, Rep
from combinators.bulk.block import Block, Tensors
from combinators.bulk.clauses import indexing_of
from combinators.bulk.selection import selected
from combinators.kit.recursion import Recursive
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.objects import Fun, Tensor
from combinators.primitives.checks import CHECKS
from combinators.primitives.loops import is_map
from combinators.primitives.structural import FIX, UNPACK
from combinators.primitives.sums import PARTIAL
from combinators.simplify.rule import Fired, Trace
from combinators.terms import App, Cond, Lam, Let, Prim, Term, Var, captured

_PARTIAL = {UNPACK, *PARTIAL}

Env = dict[str, Rep]
"""What the variables stand for."""


def behind(term: Term, env: Env) -> tuple[Term, Env]:
    """What a name stands for that waits, or the term itself, and what variables are there."""
    while isinstance(term, Var) and isinstance(rep := env[term.name], Deferred):
        term, env = rep.term, dict(rep.captured)
    return term, env


class Survey:
    """Where maps are, what λs and branches capture, and how often names and λs are used."""

    def __init__(self, lam: Lam) -> None:
        nodes = list(distinct_nodes(lam, kind=Term))
        _, self.captured = captured(lam)
        self.uses: Counter[str] = Counter()
        self.references: Counter[int] = Counter()
        for part in (part for node in nodes for part in node.below()):
            if isinstance(part, Var):
                self.uses[part.name] += 1
            elif isinstance(part, Lam):
                self.references[id(part)] += 1
        lines = [line for node in nodes if isinstance(node, Let) for line in node.bindings]
        params = (param.name for node in nodes if isinstance(node, Lam) for param in node.params)
        self._functions = {var.name: term for var, term in lines if isinstance(term, Lam)}
        once = self._used_once(nodes, lines)
        self.mapped: set[int] = set()
        """In which terms there is a ``map``, by ``id``."""
        self.checked: set[int] = set()
        """In which something may raise, or may not end: a branch stays lazy for it."""
        self.widest: dict[int, int] = {}
        """The size of the largest tensor that an operation in a term gives."""
        recurs = any(isinstance(node, Prim) and node.operation == FIX for node in nodes)
        for node in nodes:
            if isinstance(node, Var):
                continue
            inside = [id(part) for part in node.below()]
            if isinstance(node, App) and isinstance(node.function, Var):
                inside.append(id(self._functions.get(node.function.name)))
            named = (once.get(p.name, 0) for p in node.below() if isinstance(p, Var))
            inside += self.mapped.intersection(named)
            primitive = node.operation.primitive if isinstance(node, Prim) else None
            if is_map(node) or not self.mapped.isdisjoint(inside):
                self.mapped.add(id(node))
            is_check = primitive in _PARTIAL or getattr(primitive, "name", "") in CHECKS
            is_check |= recurs and any(self._is_unknown(part) for part in node.below())
            if is_check or not self.checked.isdisjoint(inside):
                self.checked.add(id(node))
            size = node.type.size if primitive and isinstance(node.type, Tensor) else 0
            self.widest[id(node)] = max([size, *(self.widest.get(part, 0) for part in inside)])
        self.deferred = self.mapped.intersection(once.values())
        """The ``id`` of each build behind a name that one place of its own block uses."""
        variables = (node.name for node in nodes if isinstance(node, Var))
        self.names = Names({*variables, *params})

    def _is_unknown(self, part: Term) -> bool:
        """Whether a part of a term is a function that may be recursive."""
        is_function = isinstance(part.type, Fun) and not isinstance(part, Lam)
        return is_function and not (isinstance(part, Var) and part.name in self._functions)

    def _used_once(self, nodes: list[Any], lines: list[tuple[Var, Term]]) -> dict[str, int]:
        """What is bound, by name, where one place of its own block uses it, and no name is twice.

        A trace breaks high expressions into named parts, and behind a name an index would not see
        that what it asks for has no other use. The body of another build is of the same block, if
        nothing else refers to its λ.
        """
        bodies = {id(node.args[0]) for node in nodes if isinstance(node, Prim) and is_map(node)}
        own = {body for body in bodies if self.references[body] == 1}
        outside = {v.name for at, found in self.captured.items() if at not in own for v in found}
        found = {
            var.name: id(term)
            for var, term in lines
            if self.uses[var.name] == 1 and var.name not in outside and not isinstance(term, Lam)
        }
        return found if len({var.name for var, _ in lines}) == len(lines) else {}

    def is_built(self, term: Term) -> bool:
        """Whether there is a ``map`` in it, and nothing that may raise."""
        return id(term) in self.mapped and id(term) not in self.checked

    def is_used_again(self, function: Term, lam: Lam) -> bool:
        """Whether a λ that stands for ``function`` here stands in other places, too."""
        again = isinstance(function, Var) and self.uses[function.name] > 1
        return again or self.references[id(lam)] > 1

    def is_only_call(self, term: App) -> bool:
        """Whether this is the one call of a λ that is known."""
        lam = term.function
        if isinstance(lam, Var):
            lam = self._functions.get(lam.name, lam)
        return isinstance(lam, Lam) and not self.is_used_again(term.function, lam)


class Walk(Survey, ABC):
    """One walk over one program."""

    def __init__(self, lam: Lam, trace: Trace | None) -> None:
        super().__init__(lam)
        self.trace = trace
        self.steps = 0
        """How many terms have been looked at."""
        self.has_split = False
        """Whether something stays in a map of its own."""
        self.indexed: list[Term] = []
        """What an index was left in front of."""
        self.written: dict[Any, Any] = {}
        """The λs that have been made bulk, at batch axes or at none."""

    @abstractmethod
    def value(self, term: Term, env: Env, block: Block, key: Key = NO_KEY) -> Recursive[Rep]:
        """What ``index term key`` stands for; its lines go into ``block``."""

    def array(self, term: Term, env: Env, block: Block, key: Key = NO_KEY) -> Recursive[Tensors]:
        """The same of a term that is a tensor."""
        found: Tensors = yield self.value(term, env, block, key)
        return found

    def is_compound(self, term: Term) -> bool:
        """Whether an index goes down into a term; into no variable, which may have other uses."""
        if isinstance(term, App):
            has_elements = isinstance(term.type, Tensor) and term.type.size > 0
            return has_elements and self.is_built(term) and self.is_only_call(term)
        if not isinstance(term, Prim):
            return isinstance(term, Let | Cond)
        is_moved = term.operation.name in ("slice", "take")
        return is_map(term) or is_moved or indexing_of(term.operation.primitive) is not None

    def read(self, term: Term, key: Key, env: Env, block: Block) -> Recursive[Rep]:
        """``index term key`` in normal form: the whole is there, and is read from."""
        self.indexed.append(term)
        return selected(block, (yield from self.array(term, env, block)), key)

    def say(self, equation: str, before: Term, after: Term) -> None:
        """Note that an equation was used."""
        if self.trace is not None:
            self.trace(Fired(equation, before, after, "", getattr(before, "place", None)))

    def mentioned(self, term: Term, env: Env) -> Env:
        """What stands for the variables of a term: those it captures, and some that it binds."""
        found: Env = {}
        todo = [term]
        while todo:
            here = todo.pop()
            if isinstance(here, Var):
                found |= {here.name: env[here.name]} if here.name in env else {}
            elif isinstance(here, Lam | Cond):
                todo += self.captured[id(here)]
                todo += [here.test] if isinstance(here, Cond) else []
            else:
                todo += here.below()
        return found
