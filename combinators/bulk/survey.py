"""What is asked of a program before it is walked over: where there are maps, and what is used."""

from __future__ import annotations

from collections import Counter

from combinators.free import captured
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.primitives.checks import CHECKS
from combinators.primitives.loops import MAP
from combinators.terms import Const, Lam, Prim, Term, Var


def has_map(term: Term) -> bool:
    """Whether there is a ``map`` anywhere below ``term``: a look at every node, once."""
    todo: list[Term] = [term]
    seen: set[int] = set()
    while todo:
        for part in todo.pop().below():
            kind = type(part)
            if kind is Var or kind is Const or id(part) in seen:
                continue
            if isinstance(part, Prim) and part.operation.primitive is MAP.primitive:
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
        names: set[str] = set()
        for node in distinct_nodes(lam, kind=Term):
            if isinstance(node, Var):
                names.add(node.name)
                continue
            if isinstance(node, Lam):
                names.update(param.name for param in node.params)
            below = node.below()
            primitive = node.operation.primitive if isinstance(node, Prim) else None
            if primitive is MAP.primitive or any(id(part) in self._mapped for part in below):
                self._mapped.add(id(node))
            is_check = primitive is not None and primitive.name in CHECKS
            if is_check or any(id(part) in self._checked for part in below):
                self._checked.add(id(node))
            for part in below:
                if isinstance(part, Var):
                    self.uses[part.name] += 1
                elif isinstance(part, Lam):
                    self.references[id(part)] += 1
        self.names = Names(names)

    def is_mapped(self, term: Term) -> bool:
        """Whether there is a ``map`` in it."""
        return id(term) in self._mapped

    def is_checked(self, term: Term) -> bool:
        """Whether something in it may raise."""
        return id(term) in self._checked
