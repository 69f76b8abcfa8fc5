"""From one line an operation to the house's let-normal form, as a trace writes it.

What nothing uses is dropped, what is used once stands where it is used, up to a height, and what
is used again is named. Nothing moves into a λ or a branch.
"""

from __future__ import annotations

from collections import Counter

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Tensor, Unit
from combinators.simplify.holes import filled, is_typed_zero
from combinators.simplify.patterns import is_atom
from combinators.simplify.rule import Switches
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var
from combinators.tracing.scope import LINE


def written(lam: Lam, closed: set[int], switches: Switches) -> Lam:
    """The program of closed λs ``closed`` with its lines put into each other."""
    return recurse(_Writing(closed, switches).unit(lam))


class _Writing:
    def __init__(self, closed: set[int], switches: Switches) -> None:
        self._closed = closed
        self._switches = switches
        self._done: dict[int, Lam] = {}

    def unit(self, lam: Lam) -> Recursive[Lam]:
        """A closed λ, once."""
        if id(lam) not in self._done:
            body: tuple[Term, Counter[str]] = yield self._block(lam.body)
            self._done[id(lam)] = Lam(lam.params, body[0], lam.name)
        return self._done[id(lam)]

    def _block(self, body: Term) -> Recursive[tuple[Term, Counter[str]]]:
        """The block written, and how often it uses each name."""
        lines, result = (body.bindings, body.body) if isinstance(body, Let) else ((), body)
        uses: Counter[str] = Counter()
        parts: dict[str, tuple[Term, ...]] = {}
        end: tuple[Term, ...] = yield self._scopes((result,), uses)
        for var, term in reversed(lines):
            if uses[var.name]:
                parts[var.name] = yield self._scopes(_parts(term), uses)
        inside: dict[str, tuple[Term, int]] = {}
        named: list[tuple[Var, Term]] = []
        for var, term in lines:
            if var.name not in parts:
                continue
            placed = [_placed(part, inside) for part in parts[var.name]]
            made = _rebuilt(term, tuple([part for part, _ in placed]))
            height = 1 + max((tall for _, tall in placed), default=0)
            if uses[var.name] == 1 and height <= LINE:
                inside[var.name] = made, height
            else:
                named.append((var, made))
        last = _placed(end[0], inside)[0]
        own = {var.name for var, _ in lines}
        outer = Counter({name: count for name, count in uses.items() if name not in own})
        return (Let(tuple(named), last) if named else last), outer

    def _scopes(self, parts: tuple[Term, ...], uses: Counter[str]) -> Recursive[tuple[Term, ...]]:
        """The parts of a line with their own scopes written; names used there are used twice."""
        found: list[Term] = []
        for part in parts:
            match part:
                case Var(name):
                    uses[name] += 1
                    found.append(part)
                case Lam() if id(part) in self._closed:
                    found.append((yield self.unit(part)))
                case Lam(params, body):
                    made, names = yield self._block(body)
                    _use(names, {param.name for param in params}, uses)
                    found.append(Lam(params, made, part.name))
                case _ if is_atom(part):
                    found.append(self._number(part))
                case _:
                    made, names = yield self._block(part)
                    _use(names, set(), uses)
                    found.append(made)
        return tuple(found)

    def _number(self, atom: Term) -> Term:
        """A zero of numbers as a number, which reads better."""
        if not is_typed_zero(atom) or not self._switches.has("zeros-number"):
            return atom
        if isinstance(atom.type, Tensor):
            return filled(0, atom.type)
        return Tuple(()) if atom.type is Unit else atom


def _use(names: Counter[str], bound: set[str], uses: Counter[str]) -> None:
    for name in names:
        if name not in bound:
            uses[name] += 2


def _placed(part: Term, inside: dict[str, tuple[Term, int]]) -> tuple[Term, int]:
    return inside.get(part.name, (part, 0)) if isinstance(part, Var) else (part, 0)


def _parts(term: Term) -> tuple[Term, ...]:
    match term:
        case Prim(_, ()):
            return (term,)
        case Prim(_, items) | Tuple(items):
            return items
        case Proj(_, product):
            return (product,)
        case App(function, argument):
            return function, argument
        case Cond(test, then, other):
            return test, then, other
        case _:
            return (term,)


def _rebuilt(term: Term, parts: tuple[Term, ...]) -> Term:
    match term:
        case Prim(_, ()):
            return parts[0]
        case Prim(operation, _, place):
            return Prim(operation, parts, place)
        case Tuple(_, names):
            return Tuple(parts, names)
        case Proj(index, _):
            return Proj(index, parts[0])
        case App(_, _, place):
            return App(parts[0], parts[1], place)
        case Cond(_, _, _, place):
            return Cond(parts[0], parts[1], parts[2], place)
        case _:
            return parts[0]
