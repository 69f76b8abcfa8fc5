"""What is used of every value, read from the end: counts, needed components, live carries.

Of the result of

    λ(u, xs).
      p = (sin u, cos u)
      t = fold (λ((a, b), x). (a * x, a + b)) (u, 0) xs
      π0 t + π0 p

both t and p are needed as ``{0: None}``, the first component as a whole. So ``cos u`` is dead; of
the loop's carry a is live, and b is not, since a * x does not mention it; of a step's result a * x
is needed; u is counted twice, for ``sin u`` and for where the loop starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import components
from combinators.primitives.loops import LOOP, LoopTerm, is_map
from combinators.simplify.carries import LoopBody
from combinators.simplify.parts import Need, Uses, is_partial, merged, shallow
from combinators.simplify.rule import Switches
from combinators.simplify.walks import Inside
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var

SMALL = 4
"""A function of at most so many lines, none of them a call, is written at each of its calls."""
_MISSING: Any = object()


class Analysis:
    """The uses in a program in let-normal form, of a λ and of the closed λs that it reaches."""

    def __init__(self, root: Lam, units: Sequence[Lam], switches: Switches) -> None:
        """``units`` are the closed λs, each after those that it mentions; ``root`` is the last."""
        self._switches = switches
        self.units: dict[int, Uses] = {}
        self.calls: Counter[int] = Counter()
        self.values: set[int] = {id(root)}
        """The closed λs that are more than called."""
        self.results: dict[int, Need] = {id(root): None}
        self.small = {id(lam) for lam in units if _is_small(lam)}
        self._closed = {id(lam) for lam in units}
        self._inside = Inside(root)
        self._uses = Uses()
        for lam in reversed(units):
            if id(lam) in self.results:
                self._uses = self.units[id(lam)] = Uses()
                recurse(self._block(lam.body, self.results[id(lam)]))

    def used_params(self, lam: Lam) -> list[int]:
        """The parameters of a closed λ that have to be given: of one that is only called, used."""
        every = list(range(len(lam.params)))
        if id(lam) in self.values or not self._switches.has("call-parts"):
            return every
        count = self.units[id(lam)].count
        return [i for i in every if count[lam.params[i].name]] or every[:1]

    def _mark(self, atom: Term, need: Need = None) -> Recursive[None]:
        match atom:
            case Var():
                self._count(atom, need)
            case Lam() if id(atom) in self._closed:
                self._call(atom, None)
                self.values.add(id(atom))
            case Lam(_, body):
                yield self._block(body, None)
            case _:
                pass

    def _count(self, var: Var, need: Need) -> None:
        self._uses.count[var.name] += 1
        known = self._uses.needs.get(var.name, _MISSING)
        if known is None or need is None or components(var.type) is None:
            self._uses.needs[var.name] = None
            return
        mine = self._uses.needs.setdefault(var.name, {})
        assert mine is not None
        for index, below in need.items():
            mine[index] = merged(mine[index], below) if index in mine else shallow(below)

    def _call(self, lam: Lam, need: Need) -> None:
        need = need if self._switches.has("call-parts") else None
        self.calls[id(lam)] += 1
        known = self.results.get(id(lam), _MISSING)
        self.results[id(lam)] = need if known is _MISSING else merged(known, need)

    def _block(self, body: Term, need: Need) -> Recursive[None]:
        lines, result = (body.bindings, body.body) if isinstance(body, Let) else ((), body)
        yield self._mark(result, need)
        read: set[str] = set()
        for var, term in reversed(lines):
            if self._uses.count[var.name]:
                self._fuse(var, term, read)
                yield self._line(term, self._uses.needs[var.name])

    def _fuse(self, var: Var, term: Term, read: set[str]) -> None:
        """Note which lines of this block one loop reads, and nothing else."""
        alone = var.name in read and self._uses.count[var.name] == 1
        alone = alone and not is_partial(self._uses.needs[var.name], var.type)
        match term:
            case Prim(operation, (*_, xs)) if operation.primitive is LOOP:
                if alone and is_map(term):
                    self._uses.fused.add(var.name)
                if isinstance(xs, Var):
                    read.add(xs.name)
            case Tuple(items) if alone:
                self._uses.fused.add(var.name)
                read.update(item.name for item in items if isinstance(item, Var))

    def _line(self, term: Term, need: Need) -> Recursive[None]:
        match term:
            case Prim(operation, (Lam() as lam, *_)) if (
                operation.primitive is LOOP
                and id(lam) not in self._closed
                and self._switches.has("loop-parts")
            ):
                yield self._loop(LoopTerm(term), lam, need)
            case Prim(_, items):
                for item in items:
                    yield self._mark(item)
            case Tuple(items):
                for index, item in enumerate(items):
                    if need is None or index in need:
                        yield self._mark(item, None if need is None else need[index])
            case Proj(index, product):
                inside = None if components(product.type) is None else {index: need}
                yield self._mark(product, inside)
            case App(Lam() as lam, argument) if id(lam) in self._closed:
                self._call(lam, need)
                yield self._mark(argument)
            case App(Lam(_, body), argument):
                yield self._block(body, need)
                yield self._mark(argument)
            case App(function, argument):
                yield self._mark(function)
                yield self._mark(argument)
            case Cond(test, then, other):
                inside = need if self._switches.has("cond-parts") else None
                yield self._block(then, inside)
                yield self._block(other, inside)
                yield self._mark(test)
            case _:
                yield self._mark(term, need)

    def _loop(self, loop: LoopTerm, lam: Lam, need: Need) -> Recursive[None]:
        live, inside = LoopBody(loop, lam, self._inside).live(need)
        self._uses.carries[id(loop.term)] = live
        self._uses.bodies[id(loop.term)] = inside
        yield self._block(lam.body, inside)
        yield self._mark(loop.xs, row_need(loop, lam, self._uses))
        if loop.init is not None:
            yield self._mark(loop.init, None if live is None else dict.fromkeys(live))


def row_need(loop: LoopTerm, lam: Lam, uses: Uses) -> Need:
    """What the body of a loop needs of a row; of one that it does not use, something."""
    product, params = components(loop.types.row), loop.params(lam)[1]
    need: Need = None
    if product is None:
        return None
    if len(params) > 1:
        need = {i: shallow(uses.need(p)) for i, p in enumerate(params) if uses.count[p.name]}
    elif params:
        need = uses.need(params[0])
    return need if need is None or need else dict.fromkeys(range(min(1, product.width)))


def _is_small(lam: Lam) -> bool:
    match lam.body:
        case Let(lines, _):
            return len(lines) <= SMALL and all(_is_plain(term) for _, term in lines)
        case _:
            return not isinstance(lam.body, Lam)


def _is_plain(term: Term) -> bool:
    match term:
        case Prim(_, items) | Tuple(items):
            return not any(isinstance(item, Lam) for item in items)
        case _:
            return isinstance(term, Proj)
