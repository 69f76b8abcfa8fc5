"""Two choices by one test in one block, made one where nothing between them stands in the way.

Reverse mode writes a choice twice: forwards, with what its branches keep, and backwards, which
opens that again. ``a = if p then s else t; …; b = if p then u else v`` is
``m = if p then let a = s in (a, u) else let a = t in (a, v); a = π0 m; b = π1 m`` if ``u`` and
``v`` see, of what stands since ``a``, only components, as of ``a``: the same lines run, once each,
and what was kept between the choices is seen in place.
"""

from __future__ import annotations

from combinators.block import Lines
from combinators.simplify.walks import Inside, everywhere
from combinators.terms import Cond, Lam, Let, Proj, Term, Tuple, Var


def fused(lam: Lam) -> Lam:
    """The closed λ with choices by one test made one; a name may then be bound in two branches."""
    return everywhere([lam], lambda lines, inside: _Block(lines, inside).fused())[0]


class _Block:
    """The lines of one block; a choice goes up to the one before by the same test, if it can."""

    def __init__(self, lines: Lines, inside: Inside) -> None:
        self.lines = lines
        self._inside = inside
        self._index = {var.name: index for index, (var, _) in enumerate(lines)}
        self._terms = {var.name: term for var, term in lines}

    def fused(self) -> Lines:
        """The lines with choices made one, or as they were."""
        last: dict[str, tuple[Var, Cond]] = {}
        into: dict[str, tuple[Var, Cond, list[Var]]] = {}
        for var, term in self.lines:
            if not isinstance(term, Cond) or not isinstance(term.test, Var):
                continue
            earlier = last.pop(term.test.name, None)
            parts = None if earlier is None else self._seen(term, earlier[0])
            if earlier is not None and parts is not None:
                into[earlier[0].name] = var, term, parts
            else:
                last[term.test.name] = var, term
        if not into:
            return self.lines
        gone = {later.name for later, _, _ in into.values()}
        made: Lines = []
        for var, term in self.lines:
            if var.name in into and isinstance(term, Cond):
                made += self._one(var, term, *into[var.name])
            elif var.name not in gone:
                made.append((var, term))
        return made

    def _seen(self, later: Cond, var: Var) -> list[Var] | None:
        """The components that a choice sees and that stand after ``var``; None if it sees more."""
        found: list[Var] = []
        before = self._index[var.name]
        for other in self._inside(later):
            chain = [other]
            while self._index.get(chain[-1].name, -1) > before:
                line = self._terms[chain[-1].name]
                if not isinstance(line, Proj) or not isinstance(line.product, Var):
                    return None
                chain.append(line.product)
            found += [part for part in reversed(chain[:-1]) if part not in found]
        return found

    def _one(self, var: Var, first: Cond, later: Var, second: Cond, parts: list[Var]) -> Lines:
        opened = [(part, self._terms[part.name]) for part in parts]
        branches = []
        for one, other in ((first.then, second.then), (first.other, second.other)):
            lines, value = _opened(one)
            more, result = _opened(other)
            both = (*lines, (var, value), *opened, *more)
            branches.append(Let(both, Tuple((var, result))))
        whole = Var(var.name, branches[0].type)
        choice = Cond(first.test, branches[0], branches[1], first.place)
        return [(whole, choice), (later, Proj(1, whole)), (var, Proj(0, whole))]


def _opened(body: Term) -> tuple[tuple[tuple[Var, Term], ...], Term]:
    return (body.bindings, body.body) if isinstance(body, Let) else ((), body)
