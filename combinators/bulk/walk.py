"""What all clauses of the evaluation share: the survey of the program, and the walk over it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import Any

from combinators.bulk.affine import Key
from combinators.bulk.batches import Rep, axes_of
from combinators.bulk.block import Block
from combinators.bulk.selection import selected
from combinators.free import captured
from combinators.kit.recursion import Recursive
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.objects import Tensor
from combinators.primitives.checks import CHECKS
from combinators.primitives.loops import is_map
from combinators.primitives.structural import UNPACK
from combinators.simplify.rule import Fired, Trace
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Term, Var

Env = dict[str, Rep]
"""What the variables stand for."""


def has_map(term: Term) -> bool:
    """Whether there is a ``map`` anywhere below ``term``: a look at every node, once."""
    todo: list[Term] = [term]
    seen: set[int] = set()
    while todo:
        for part in todo.pop().below():
            kind = type(part)
            if kind is Var or kind is Const or id(part) in seen:
                continue
            if kind is Prim and is_map(part):
                return True
            seen.add(id(part))
            todo.append(part)
    return False


class Survey:
    """Where maps are, what λs and branches capture, and how often names and λs are used."""

    def __init__(self, lam: Lam) -> None:
        """Of a closed λ, in a walk over its distinct nodes."""
        self.free, self.captured = captured(lam)
        self.uses: Counter[str] = Counter()
        self.references: Counter[int] = Counter()
        self._mapped: set[int] = set()
        self._checked: set[int] = set()
        self._widest: dict[int, int] = {}
        names: set[str] = set()
        nodes = list(distinct_nodes(lam, kind=Term))
        lines = [line for node in nodes if isinstance(node, Let) for line in node.bindings]
        self._functions = {var.name: term for var, term in lines if isinstance(term, Lam)}
        for node in nodes:
            if isinstance(node, Var):
                names.add(node.name)
                continue
            if isinstance(node, Lam):
                names.update(param.name for param in node.params)
            below = node.below()
            inside = [id(part) for part in below]
            if isinstance(node, App) and isinstance(node.function, Var):
                inside.append(id(self._functions.get(node.function.name)))
            primitive = node.operation.primitive if isinstance(node, Prim) else None
            if is_map(node) or not self._mapped.isdisjoint(inside):
                self._mapped.add(id(node))
            is_check = primitive is UNPACK or getattr(primitive, "name", "") in CHECKS
            if is_check or not self._checked.isdisjoint(inside):
                self._checked.add(id(node))
            size = node.type.size if primitive and isinstance(node.type, Tensor) else 0
            self._widest[id(node)] = max([size, *(self._widest.get(part, 0) for part in inside)])
            for part in below:
                if isinstance(part, Var):
                    self.uses[part.name] += 1
                elif isinstance(part, Lam):
                    self.references[id(part)] += 1
        self.names = Names(names)

    def is_mapped(self, term: Term) -> bool:
        """Whether there is a ``map`` in it."""
        return id(term) in self._mapped

    def is_built(self, term: Term) -> bool:
        """Whether there is a ``map`` in it, and nothing that may raise."""
        return self.is_mapped(term) and not self.is_checked(term)

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

    def widest(self, term: Term) -> int:
        """The size of the largest tensor that an operation in it gives."""
        return self._widest.get(id(term), 0)

    def is_checked(self, term: Term) -> bool:
        """Whether something in it may raise."""
        return id(term) in self._checked

    def mentioned(self, term: Term) -> set[str]:
        """The names of variables in a term: those that it captures, and some that it binds."""
        found: set[str] = set()
        todo = [term]
        while todo:
            here = todo.pop()
            if isinstance(here, Var):
                found.add(here.name)
            elif isinstance(here, Lam | Cond):
                todo += self.captured[id(here)]
                todo += [here.test] if isinstance(here, Cond) else []
            else:
                todo += here.below()
        return found


class Walk(ABC):
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
        """The λs that have been made bulk, as terms."""
        self.called: dict[Any, Any] = {}
        """The λs that have been made bulk at batch axes."""

    @abstractmethod
    def value(self, term: Term, env: Env, block: Block, key: Key | None = None) -> Recursive[Rep]:
        """What ``index term key`` stands for; its lines go into ``block``."""

    @abstractmethod
    def applied(self, term: Prim, reps: list[Any], block: Block) -> Recursive[Rep]:
        """An operation on what its operands stand for."""

    def read(self, term: Term, key: Key, env: Env, block: Block) -> Recursive[Rep]:
        """``index term key`` in normal form: the whole is there, and is read from."""
        self.indexed.append(term)
        array: Any = yield self.value(term, env, block)
        return selected(block, array, key)

    def say(self, equation: str, before: Term, after: Term) -> None:
        """Note that an equation was used."""
        if self.trace is not None:
            self.trace(Fired(equation, before, after, "", getattr(before, "place", None)))

    def axes_in(self, term: Term, env: Env) -> set[Any]:
        """The batch axes of what a term mentions."""
        reps = [env[name] for name in self.survey.mentioned(term) if name in env]
        return {axis for rep in reps for axis in axes_of(rep)}
