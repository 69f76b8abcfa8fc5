"""Which components of a loop's carry matter, which never change, and which stay zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from combinators.free import Captured
from combinators.objects import components
from combinators.primitives.loops import LoopTerm
from combinators.simplify.parts import Need
from combinators.simplify.patterns import is_atom, same
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var

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


class Carry:
    """What one loop carries, whose body is in let-normal form."""

    def __init__(self, loop: LoopTerm, lam: Lam, inside: Captured) -> None:
        """``inside`` says what each λ and conditional captures."""
        self._types = loop.types
        self._both = loop.types.carry is not None and loop.types.item is not None
        self._inside = inside
        self._carry = loop.params(lam)[0]
        product = None if loop.types.carry is None else components(loop.types.carry)
        self.width = product.width if product is not None else None
        lines, self._result = _lines(lam.body)
        self._defined = {var.name: term for var, term in lines}
        self._lines = lines

    def live(self, need: Need) -> tuple[frozenset[int] | None, Need]:
        """The components that what is needed depends on, and what the body has to give.

        All of them are None; of a carry that is no product, none at all is the empty set.
        """
        if self._types.carry is None:
            return None, need
        wanted = need.get(0, {}) if self._both and need is not None else need
        live: frozenset[int] | None = None
        if self._carry is not None and wanted is not None:
            reached = self._reach(self._carry, set(wanted), need)
            if reached is not None and (self.width is not None or not (reached or wanted)):
                live = frozenset(reached)
        inside: Need = None if live is None else dict.fromkeys(live)
        if not self._both or need is None:
            return live, inside
        body = {0: inside} if inside is None or inside else {}
        return live, body | ({1: need[1]} if 1 in need else {})

    def _reach(self, carry: Var, live: set[int], need: Need) -> set[int] | None:
        """Follow what is needed back through the body, from step to step; None for all."""
        todo: list[Term] = []
        if self._both:
            todo += self._outputs(need)
        todo += [item for index in live for item in self._next(index)]
        seen: set[str] = set()
        while todo:
            term = todo.pop()
            if not isinstance(term, Var):
                todo += self._operands(term)
                continue
            if term.name == carry.name:
                return None
            if term.name in seen:
                continue
            seen.add(term.name)
            line = self._defined.get(term.name)
            if isinstance(line, Proj) and _is(line.product, carry):
                if line.index not in live:
                    live.add(line.index)
                    todo += self._next(line.index)
            elif line is not None:
                todo.append(line)
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
                yield from self._inside.get(id(term), ())
            case Lam():
                yield from self._inside.get(id(term), ())
            case _:
                pass

    def _component(self, atom: Term, index: int) -> Term:
        """A component of what a variable of the body stands for, or the variable."""
        line = self._defined.get(atom.name) if isinstance(atom, Var) else None
        return line.items[index] if isinstance(line, Tuple) else atom

    def _after(self) -> Term:
        return self._component(self._result, 0) if self._both else self._result

    def _next(self, index: int) -> list[Term]:
        return [self._component(self._after(), index)]

    def _outputs(self, need: Need) -> list[Term]:
        if need is None or 1 not in need:
            return []
        whole = self._component(self._result, 1)
        wanted = need[1]
        return [whole] if wanted is None else [self._component(whole, i) for i in wanted]

    def steady(self) -> set[int | None]:
        """The components that every step passes on; of a carry that is no product, None."""
        if self._carry is None:
            return set()
        if self.width is None:
            return {None} if _is(self._after(), self._carry) else set()
        return {i for i in range(self.width) if self._passes(self._next(i)[0], i)}

    def _passes(self, atom: Term, index: int) -> bool:
        line = self._defined.get(atom.name) if isinstance(atom, Var) else None
        return isinstance(line, Proj) and line.index == index and _is(line.product, self._carry)

    def zero(self, start: set[int | None], is_zero: Callable[[Term], bool]) -> set[int | None]:
        """Those components of ``start``, which begin at zero, that stay there.

        ``is_zero`` knows the variables from outside the loop.
        """
        for _ in range(ROUNDS):
            if not start or self._carry is None:
                break
            zeros = self._zeros(self._carry, start, is_zero)
            if self.width is None:
                return start if zeros(self._after()) else set()
            stay: set[int | None] = {i for i in start if i is not None and zeros(self._next(i)[0])}
            if stay == start:
                return stay
            start = stay
        return set()

    def _zeros(
        self, carry: Var, start: set[int | None], is_zero: Callable[[Term], bool]
    ) -> Callable[[Term], bool]:
        """Whether an atom of the body is zero if the components ``start`` are."""
        found: set[str] = {carry.name} if None in start else set()

        def zero(atom: Term) -> bool:
            if not isinstance(atom, Var):
                return is_atom(atom) and is_zero(atom)
            if atom.name in found:
                return True
            inner = atom.name in self._defined or same(atom, carry)
            return not inner and is_zero(atom)

        for var, term in self._lines:
            match term:
                case Proj(index, product) if _is(product, carry):
                    holds = index in start
                case Proj(_, product):
                    holds = zero(product)
                case Tuple(items):
                    holds = bool(items) and all(map(zero, items))
                case Prim(operation, items) if operation.name in _KEEP_ZERO:
                    holds = all(map(zero, items))
                case Prim(operation, (first, *rest)) if operation.name in _ABSORB:
                    second = operation.name == "scale" and zero(rest[0])
                    holds = zero(first) or second
                case _:
                    holds = False
            if holds:
                found.add(var.name)
        return zero


def _lines(body: Term) -> tuple[tuple[tuple[Var, Term], ...], Term]:
    return (body.bindings, body.body) if isinstance(body, Let) else ((), body)


def _is(term: Term, var: Var | None) -> bool:
    return isinstance(term, Var) and var is not None and term.name == var.name
