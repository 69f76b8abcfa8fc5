"""What a loop's body does with what it carries: what matters, never changes, or stays zero.

Of ``fold (λ((c, s, k, z), x). (c * k + z, s + c, k, z · x)) (1, 0, a, 0) xs``, of which only the
first component is needed, ``live`` is {0, 2, 3}: s is never read for it. ``steady`` is {2}: k is
what it was before. ``zero`` of {1, 3}, which start at zero, is {3}: if both were zero before a
step, s + c is not known to be so after it, but z scaled by x is, and so stays. What is left is

    fold (λ(c, x). c * a + 0) 1 xs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from combinators.block import opened
from combinators.objects import components
from combinators.primitives.loops import LoopTerm
from combinators.simplify.parts import Need
from combinators.simplify.patterns import is_atom
from combinators.terms import App, Cond, Lam, Prim, Proj, Term, Tuple, Var

ROUNDS = 4
"""A pattern of zeros that is not settled after so many steps is taken to have none."""

_KEEP_ZERO = frozenset(
    {
        "plus",
        "negative",
        "sum",
        "cumsum",
        "reshape",
        "transpose",
        "broadcast_to",
        "slice",
        "embed",
        "convert",
        "pack",
        "unpack",
        "stop_gradient",
        "concatenate",
    }
)
"""Primitives that give zero where all their arguments are."""
_ABSORB = frozenset(["scale", "unscale", "matmul", "take", "put"])
"""Primitives that give zero where their first argument is."""

Captures = Callable[[Term], tuple[Var, ...]]
"""What a λ or a conditional captures."""


class LoopBody:
    """The body of a loop, in let-normal form."""

    def __init__(self, loop: LoopTerm, lam: Lam, inside: Captures) -> None:
        """``inside`` says what each λ and conditional in it captures."""
        self.loop, self.types, self.lam, self.inside = loop, loop.types, lam, inside
        self.carry = loop.params(lam)[0]
        """What it carries, where it has a name of its own."""
        self.lines, self.result = opened(lam.body)
        self.is_pair = self.types.carry is not None and self.types.item is not None
        product = None if self.types.carry is None else components(self.types.carry)
        self.indices: list[int | None] = [None] if product is None else [*range(product.width)]
        """The components of the carry; of one that is no product, None."""
        self.defined = {var.name: term for var, term in self.lines}

    def definition(self, atom: Term) -> Term:
        """The line of a variable of the body; another atom itself."""
        return self.defined.get(atom.name, atom) if isinstance(atom, Var) else atom

    def component(self, atom: Term, index: int | None) -> Term:
        """A component of a tuple of the body; of what is no tuple, itself."""
        line = self.definition(atom)
        return line.items[index] if isinstance(line, Tuple) and index is not None else atom

    @property
    def after(self) -> Term:
        """The carry that a step gives."""
        return self.component(self.result, 0) if self.is_pair else self.result

    def is_carry(self, term: Term) -> bool:
        """Whether a variable is the carry."""
        return isinstance(term, Var) and self.carry is not None and term.name == self.carry.name

    def part(self, line: Term) -> int | None:
        """Which component of the carry a line is."""
        return line.index if isinstance(line, Proj) and self.is_carry(line.product) else None

    def live(self, need: Need) -> tuple[frozenset[int] | None, Need]:
        """The components that what is needed depends on, and what the body has to give.

        All of them are None; of a carry that is no product, none at all is the empty set.
        """
        if self.types.carry is None:
            return None, need
        wanted = need.get(0, {}) if self.is_pair and need is not None else need
        live: frozenset[int] | None = None
        if self.carry is not None and wanted is not None:
            reached = self._reach(set(wanted), need)
            if reached is not None and (self.indices != [None] or not (reached or wanted)):
                live = frozenset(reached)
        inside: Need = None if live is None else dict.fromkeys(live)
        if not self.is_pair or need is None:
            return live, inside
        body = {0: inside} if inside is None or inside else {}
        return live, body | ({1: need[1]} if 1 in need else {})

    def _reach(self, live: set[int], need: Need) -> set[int] | None:
        """Follow what is needed back through the body, from step to step; None for all."""
        todo = [self.component(self.after, index) for index in live]
        if self.is_pair and need is not None and 1 in need:
            item = self.component(self.result, 1)
            wanted = [None] if need[1] is None else need[1]
            todo += [self.component(item, index) for index in wanted]
        seen: set[str] = set()
        while todo:
            term = todo.pop()
            if not isinstance(term, Var):
                todo += self._operands(term)
                continue
            if self.is_carry(term):
                return None
            if term.name in seen:
                continue
            seen.add(term.name)
            line = self.defined.get(term.name)
            index = None if line is None else self.part(line)
            if index is None:
                todo += [] if line is None else [line]
            elif index not in live:
                live.add(index)
                todo.append(self.component(self.after, index))
        return live

    def _operands(self, term: Term) -> Iterator[Term]:
        match term:
            case Prim(_, items) | Tuple(items):
                yield from items
            case Proj(_, product):
                yield product
            case App(function, argument):
                yield from (function, argument)
            case Cond(test):
                yield test
                yield from self.inside(term)
            case Lam():
                yield from self.inside(term)
            case _:
                pass

    def steady(self) -> set[int | None]:
        """The components that every step passes on."""
        if self.carry is None:
            return set()
        if self.indices == [None]:
            return {None} if self.is_carry(self.after) else set()
        every = ((i, self.definition(self.component(self.after, i))) for i in self.indices)
        return {i for i, line in every if self.part(line) == i}

    def zero(self, start: set[int | None], is_zero: Callable[[Term], bool]) -> set[int | None]:
        """Those components of ``start``, which begin at zero, that stay there.

        ``is_zero`` knows the variables from outside the loop.
        """
        for _ in range(ROUNDS):
            if not start or self.carry is None:
                break
            zeros = self._zeros(start, is_zero)
            stay = {i for i in start if zeros(self.component(self.after, i))}
            if stay == start or self.indices == [None]:
                return stay
            start = stay
        return set()

    def _zeros(
        self, start: set[int | None], is_zero: Callable[[Term], bool]
    ) -> Callable[[Term], bool]:
        """Whether an atom of the body is zero if the components ``start`` are."""
        found = {self.carry.name} if self.carry is not None and None in start else set[str]()

        def zero(atom: Term) -> bool:
            if not isinstance(atom, Var):
                return is_atom(atom) and is_zero(atom)
            inner = atom.name in self.defined or self.is_carry(atom)
            return atom.name in found or (not inner and is_zero(atom))

        for var, term in self.lines:
            match term:
                case Proj(_, product):
                    index = self.part(term)
                    holds = zero(product) if index is None else index in start
                case Tuple(items):
                    holds = bool(items) and all(map(zero, items))
                case Prim(operation, items) if operation.name in _KEEP_ZERO:
                    holds = all(map(zero, items))
                case Prim(operation, (first, *rest)) if operation.name in _ABSORB:
                    holds = zero(first) or (operation.name == "scale" and zero(rest[0]))
                case _:
                    holds = False
            if holds:
                found.add(var.name)
        return zero
