"""Two choices by one test in one block, made one where nothing between them stands in the way.

Reverse mode writes a choice twice: forwards, with what its branches keep, and backwards, which
opens that again. ``a = if p then s else t; …; b = if p then u else v`` is
``m = if p then let a = s in (a, u) else let a = t in (a, v); a = π0 m; b = π1 m`` if ``u`` and
``v`` see, of what stands since ``a``, only components, as of ``a``: the same lines run, once each,
and what was kept between the choices is seen in place.
"""

from __future__ import annotations

from combinators.free import Captured, captured
from combinators.kit.recursion import Recursive, recurse
from combinators.simplify.rebuilt import operands, rebuilt
from combinators.terms import Cond, Lam, Let, Proj, Term, Tuple, Var

Lines = list[tuple[Var, Term]]


def fused(lam: Lam) -> Lam:
    """The closed λ with choices by one test made one; a name may then be bound in two branches."""
    return recurse(_Fusing(captured(lam)[1]).function(lam))


class _Fusing:
    def __init__(self, inside: Captured) -> None:
        self._inside = inside
        self._done: dict[int, Lam] = {}
        self._held: list[Term] = []

    def function(self, lam: Lam) -> Recursive[Lam]:
        """A λ, once."""
        if id(lam) not in self._done:
            body: Term = yield self._block(lam.body)
            made = lam if body is lam.body else Lam(lam.params, body, lam.name)
            self._done[id(lam)] = made
        return self._done[id(lam)]

    def _block(self, body: Term) -> Recursive[Term]:
        if isinstance(body, Lam):
            made: Lam = yield self.function(body)
            return made
        if not isinstance(body, Let):
            return body
        lines: Lines = []
        for var, term in body.bindings:
            lines.append((var, (yield self._line(term))))
        block = _Block(lines, self._inside)
        result: Term = yield self._block(body.body)
        same = all(
            new is old for (_, new), (_, old) in zip(block.lines, body.bindings, strict=False)
        )
        if same and len(block.lines) == len(body.bindings) and result is body.body:
            return body
        return Let(tuple(block.lines), result)

    def _line(self, term: Term) -> Recursive[Term]:
        if not isinstance(term, (Cond, Lam)) and not any(
            isinstance(part, Lam) for part in operands(term)
        ):
            return term
        if isinstance(term, Lam):
            function: Lam = yield self.function(term)
            return function
        before, parts = operands(term), list[Term]()
        for part in before:
            parts.append((yield self._block(part)))
        made = rebuilt(term, before, tuple(parts))
        if id(term) in self._inside:
            self._inside[id(made)] = self._inside[id(term)]
            self._held.append(made)
        return made


class _Block:
    """The lines of one block; a choice goes up to the one before by the same test, if it can."""

    def __init__(self, lines: Lines, inside: Captured) -> None:
        self.lines: Lines = []
        self._inside = inside
        self._index = {var.name: index for index, (var, _) in enumerate(lines)}
        self._terms = {var.name: term for var, term in lines}
        last: dict[str, tuple[Var, Cond]] = {}
        into: dict[str, tuple[Var, Cond, list[Var]]] = {}
        for var, term in lines:
            if not isinstance(term, Cond) or not isinstance(term.test, Var):
                continue
            earlier = last.pop(term.test.name, None)
            parts = None if earlier is None else self._seen(term, earlier[0])
            if earlier is not None and parts is not None:
                into[earlier[0].name] = var, term, parts
            else:
                last[term.test.name] = var, term
        gone = {later.name for later, _, _ in into.values()}
        for var, term in lines:
            if var.name in into and isinstance(term, Cond):
                self._write(var, term, *into[var.name])
            elif var.name not in gone:
                self.lines.append((var, term))

    def _seen(self, later: Cond, var: Var) -> list[Var] | None:
        """The components that a choice sees and that stand after ``var``; None if it sees more."""
        found: list[Var] = []
        before = self._index[var.name]
        for other in self._inside[id(later)]:
            chain = [other]
            while self._index.get(chain[-1].name, -1) > before:
                line = self._terms[chain[-1].name]
                if not isinstance(line, Proj) or not isinstance(line.product, Var):
                    return None
                chain.append(line.product)
            found += [part for part in reversed(chain[:-1]) if part not in found]
        return found

    def _write(self, var: Var, first: Cond, later: Var, second: Cond, parts: list[Var]) -> None:
        opened = [(part, self._terms[part.name]) for part in parts]
        branches = []
        for one, other in ((first.then, second.then), (first.other, second.other)):
            lines, value = _opened(one)
            more, result = _opened(other)
            both = (*lines, (var, value), *opened, *more)
            branches.append(Let(both, Tuple((var, result))))
        whole = Var(var.name, branches[0].type)
        self.lines.append((whole, Cond(first.test, branches[0], branches[1], first.place)))
        self.lines += [(later, Proj(1, whole)), (var, Proj(0, whole))]


def _opened(body: Term) -> tuple[tuple[tuple[Var, Term], ...], Term]:
    return (body.bindings, body.body) if isinstance(body, Let) else ((), body)
